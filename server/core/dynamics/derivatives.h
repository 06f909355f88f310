// How do torques and accelerations change with the state? d tau / d(q, v, a) and d qdd / d(q, v, tau).
//
// Inverse dynamics runs once per eight directions on dual numbers (math/dual.h): exact, for every joint kind, with the
// same terms (friction, springs, rotors) as the torque itself. Forward dynamics by the implicit function: from
// ID(q, v, qdd) = tau follows
//     dqdd/dq = -M^-1 dtau/dq|a=qdd,   dqdd/dv = -M^-1 dtau/dv|a=qdd,   dqdd/dtau = M^-1.
// Directions in q are those of v: a quaternion turns in body axes, a floating base moves along its own axes (right
// perturbation, API.md). Coulomb friction's slope is that of its smooth branches: zero at the jump.
#pragma once

#include <algorithm>
#include <vector>

#include "server/core/dynamics/forward_dynamics.h"
#include "server/core/dynamics/manifold.h"
#include "server/core/math/dual.h"

namespace torqued {

inline constexpr int kDirections = 8;  // carried per pass

struct DerivativesWorkspace {
  explicit DerivativesWorkspace(const Prepared& m)
      : dual(m), number(m), q(m.nq), v(m.nv), a(m.nv), tau(m.nv), zero(m.nv, 0.0), qdd(m.nv) {}

  Workspace<Dual<kDirections>> dual;
  Workspace<double> number;
  std::vector<Dual<kDirections>> q, v, a, tau;
  std::vector<double> zero, qdd;
};

// q with unit motion along tangent directions [first, first + N): entry d[k] belongs to direction first + k.
template <int N>
void SeedPositions(const Prepared& m, const double* q, int first, Dual<N>* out) {
  for (int i = 0; i < m.nq; ++i) out[i] = Dual<N>(q[i]);
  ForEachGroup(m, [&](int v, int p, int width) {
    for (int k = std::max(v, first); k < std::min(v + width, first + N); ++k) {
      const int d = k - first, axis = k - v;
      if (width == 1) {
        out[p].d[d] = 1;
      } else if (width == 6 && axis < 3) {
        const Vec3<double> step = QuaternionToRotation(q + p + 3).col(axis);
        for (int i = 0; i < 3; ++i) out[p + i].d[d] = step[i];
      } else {
        const int u = p + (width == 6 ? 3 : 0);
        double half[4] = {0, 0, 0, 0}, turn[4];
        half[axis % 3] = 0.5;
        QuaternionProduct(q + u, half, turn);
        for (int i = 0; i < 4; ++i) out[u + i].d[d] = turn[i];
      }
    }
  });
}

// dtau_dq, dtau_dv [nv x nv, column k = direction k]; either may be null. v, a may be null (zero). d tau / d a is
// MassMatrix. Does not allocate. Cost: about 2 nv / 8 inverse dynamics on dual numbers.
inline void InverseDynamicsDerivatives(const Prepared& m, const Conditions& c, const double* q, const double* v,
                                       const double* a, DerivativesWorkspace& w, double* dtau_dq, double* dtau_dv) {
  const int n = m.nv;
  const double* v0 = v ? v : w.zero.data();
  const double* a0 = a ? a : w.zero.data();
  for (int k = 0; k < n; ++k) w.a[k] = Dual<kDirections>(a0[k]);
  const auto run = [&](int first, double* out) {
    InverseDynamics(m, c, w.q.data(), w.v.data(), w.a.data(), w.dual, w.tau.data());
    for (int k = first; k < std::min(first + kDirections, n); ++k)
      for (int i = 0; i < n; ++i) out[k * n + i] = w.tau[i].d[k - first];
  };
  if (dtau_dq) {
    for (int k = 0; k < n; ++k) w.v[k] = Dual<kDirections>(v0[k]);
    for (int first = 0; first < n; first += kDirections) {
      SeedPositions<kDirections>(m, q, first, w.q.data());
      run(first, dtau_dq);
    }
  }
  if (dtau_dv) {
    for (int i = 0; i < m.nq; ++i) w.q[i] = Dual<kDirections>(q[i]);
    for (int first = 0; first < n; first += kDirections) {
      for (int k = 0; k < n; ++k) {
        const bool moves = k >= first && k < first + kDirections;
        w.v[k] = moves ? Dual<kDirections>::Variable(v0[k], k - first) : Dual<kDirections>(v0[k]);
      }
      run(first, dtau_dv);
    }
  }
}

// qdd [nv], dqdd_dq, dqdd_dv, Minv [nv x nv, column = direction] for torques tau [nv]. A singular M: see SolveStatus.
// Minv must not be null; the others may. Does not allocate.
inline SolveStatus ForwardDynamicsDerivatives(const Prepared& m, const Conditions& c, const double* q, const double* v,
                                              const double* tau, DerivativesWorkspace& w, double* qdd, double* dqdd_dq,
                                              double* dqdd_dv, double* Minv) {
  const int n = m.nv;
  const double* v0 = v ? v : w.zero.data();
  const SolveStatus status = ForwardDynamicsByMassMatrix(m, c, q, v0, tau, w.number, w.qdd.data());
  if (qdd) std::copy(w.qdd.begin(), w.qdd.end(), qdd);
  const double* factors = w.number.mass_matrix.data();
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) Minv[k * n + i] = i == k ? 1.0 : 0.0;
    SolveMassMatrix(m, factors, Minv + k * n);
  }
  Conditions accelerating = c;
  accelerating.terms.inertia = true;
  InverseDynamicsDerivatives(m, accelerating, q, v0, w.qdd.data(), w, dqdd_dq, dqdd_dv);
  for (double* out : {dqdd_dq, dqdd_dv}) {
    if (!out) continue;
    for (int k = 0; k < n; ++k) {
      SolveMassMatrix(m, factors, out + k * n);
      for (int i = 0; i < n; ++i) out[k * n + i] = -out[k * n + i];
    }
  }
  return status;
}

}  // namespace torqued
