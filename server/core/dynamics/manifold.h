// Where does a robot get to when it moves with constant rates? q (+) delta, and the way back.
//
// delta [nv] is a displacement in the coordinates of v. One-degree and planar entries add. Quaternions turn in the
// body's axes: u (x) exp(delta / 2); a floating base moves by R delta_linear and turns by delta_angular (the right
// perturbation of API.md's tangent directions). Quaternions stay of unit length.
// Groups are read off Prepared::v_to_q: six entries that share a position belong to a floating joint, three to a
// spherical one.
#pragma once

#include <cmath>

#include "server/core/dynamics/place.h"
#include "server/core/tree/prepared.h"

namespace torqued {

// Calls visit(first v entry, first q entry, width in v: 1, 3 or 6) for each coordinate.
template <class Visit>
void ForEachGroup(const Prepared& m, Visit&& visit) {
  for (int i = 0; i < m.nv;) {
    int width = 1;
    while (i + width < m.nv && m.v_to_q[i + width] == m.v_to_q[i]) ++width;
    visit(i, m.v_to_q[i], width);
    i += width;
  }
}

// u (x) w, both xyzw.
inline void QuaternionProduct(const double* u, const double* w, double* out) {
  const double x = u[3] * w[0] + u[0] * w[3] + u[1] * w[2] - u[2] * w[1];
  const double y = u[3] * w[1] + u[1] * w[3] + u[2] * w[0] - u[0] * w[2];
  const double z = u[3] * w[2] + u[2] * w[3] + u[0] * w[1] - u[1] * w[0];
  const double s = u[3] * w[3] - u[0] * w[0] - u[1] * w[1] - u[2] * w[2];
  out[0] = x, out[1] = y, out[2] = z, out[3] = s;
}

// u <- u (x) exp(phi / 2), renormalised.
inline void TurnQuaternion(const double* phi, double* u) {
  const double angle = std::sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
  const double k = angle > 1e-8 ? std::sin(angle / 2) / angle : 0.5 - angle * angle / 48;
  const double turn[4] = {k * phi[0], k * phi[1], k * phi[2], std::cos(angle / 2)};
  QuaternionProduct(u, turn, u);
  const double norm = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (int i = 0; i < 4; ++i) u[i] /= norm;
}

// q [nq] <- q (+) scale delta [nv]. A floating base follows the screw of constant body rates only to first order in
// its position: R delta with R before the turn. Does not allocate.
inline void AddTangent(const Prepared& m, const double* delta, double scale, double* q) {
  ForEachGroup(m, [&](int v, int p, int width) {
    if (width == 1) {
      q[p] += scale * delta[v];
      return;
    }
    double* u = q + p;
    const double* turn = delta + v;
    if (width == 6) {
      const Mat3<double> R = QuaternionToRotation(u + 3);
      const Vec3<double> step =
          R * Vec3<double>{scale * delta[v], scale * delta[v + 1], scale * delta[v + 2]};
      u[0] += step.x, u[1] += step.y, u[2] += step.z;
      u += 3;
      turn += 3;
    }
    const double phi[3] = {scale * turn[0], scale * turn[1], scale * turn[2]};
    TurnQuaternion(phi, u);
  });
}

// The neutral configuration: zeros, and unit quaternions.
inline void SetNeutral(const Prepared& m, double* q) {
  for (int i = 0; i < m.nq; ++i) q[i] = 0;
  ForEachGroup(m, [&](int, int p, int width) {
    if (width == 3) q[p + 3] = 1;
    if (width == 6) q[p + 6] = 1;
  });
}

}  // namespace torqued
