// Can this answer be trusted? Residuals of independent ways to the same thing (`check: true` of a request).
//
//   Newton-Euler against Lagrange   tau - (M a + C v + g + friction + springs): the recursion against the matrices
//   dM/dt - C - C^T                 dM/dt by differentiating M along v on dual numbers, without C
//   power                           tau . v - friction - d/dt (kinetic + potential + springs)
// Each is given absolutely and relative to the size of what it is a difference of; rounding leaves about 1e-13.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/core/dynamics/coriolis.h"
#include "server/core/dynamics/derivatives.h"
#include "server/core/dynamics/energy.h"

namespace torqued {

struct Residual {
  double absolute = 0, relative = 0;
};

struct CheckReport {
  Residual lagrange;  // [Nm, N]
  Residual skew;      // [kg m^2 / s]
  Residual power;     // [W]
};

class Checker {
 public:
  explicit Checker(const Prepared& m)
      : m_(m), ws_(m), dual_(m), n_(m.nv), M_(n_ * n_), C_(n_ * n_), tau_(n_), sum_(n_), zero_(n_, 0.0),
        q_dual_(m.nq), M_dual_(n_ * n_) {}

  // At q [nq], v, a [nv] (null: zero). All rigid terms count, friction and springs as in c. Does not allocate.
  CheckReport Run(const Conditions& conditions, const double* q, const double* v, const double* a) {
    Conditions c = conditions;
    c.terms.inertia = c.terms.velocity = true;
    v = v ? v : zero_.data();
    a = a ? a : zero_.data();
    CheckReport out;
    InverseDynamics(m_, c, q, v, a, ws_, tau_.data());
    MassMatrix(m_, c, q, ws_, M_.data());
    CoriolisMatrix(m_, c, q, v, ws_, C_.data());
    Conditions still = c;
    still.terms.friction = false;
    InverseDynamics<double>(m_, still, q, nullptr, nullptr, ws_, sum_.data());  // gravity and springs
    if (c.terms.friction) AddFrictionTorque(m_, v, sum_.data());
    double size = 0;
    for (int i = 0; i < n_; ++i) {
      double magnitude = std::abs(sum_[i]);
      for (int j = 0; j < n_; ++j) {
        const double x = M_[i * n_ + j] * a[j], y = C_[i * n_ + j] * v[j];
        sum_[i] += x + y;
        magnitude += std::abs(x) + std::abs(y);
      }
      size = std::max(size, magnitude);
      out.lagrange.absolute = std::max(out.lagrange.absolute, std::abs(tau_[i] - sum_[i]));
    }
    out.lagrange.relative = Share(out.lagrange.absolute, size);

    DifferentiateAlong(q, v);
    MassMatrix(m_, c, q_dual_.data(), dual_, M_dual_.data());
    size = 0;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        const double rate = M_dual_[i * n_ + j].d[0], both = C_[i * n_ + j] + C_[j * n_ + i];
        out.skew.absolute = std::max(out.skew.absolute, std::abs(rate - both));
        size = std::max({size, std::abs(rate), std::abs(C_[i * n_ + j])});
      }
    out.skew.relative = Share(out.skew.absolute, size);

    const PowerBalance<double> P = Power(m_, c, q, v, a, ws_);
    out.power.absolute = std::abs(P.residual);
    double terms = std::abs(P.friction) + std::abs(P.kinetic_rate) + std::abs(P.potential_rate) + std::abs(P.spring_rate);
    for (int i = 0; i < n_; ++i) terms += std::abs(tau_[i] * v[i]);
    out.power.relative = Share(out.power.absolute, terms);
    return out;
  }

 private:
  static double Share(double part, double whole) { return whole > 0 ? part / whole : part; }

  // q_dual: q with d[0] = its time derivative at rates v.
  void DifferentiateAlong(const double* q, const double* v) {
    for (int i = 0; i < m_.nq; ++i) q_dual_[i] = Dual<1>(q[i]);
    ForEachGroup(m_, [&](int k, int p, int width) {
      if (width == 1) {
        q_dual_[p].d[0] = v[k];
        return;
      }
      const double* w = v + k + (width == 6 ? 3 : 0);
      const int u = p + (width == 6 ? 3 : 0);
      if (width == 6) {
        const Vec3<double> step = QuaternionToRotation(q + u) * Vec3<double>{v[k], v[k + 1], v[k + 2]};
        for (int i = 0; i < 3; ++i) q_dual_[p + i].d[0] = step[i];
      }
      const double half[4] = {w[0] / 2, w[1] / 2, w[2] / 2, 0};
      double rate[4];
      QuaternionProduct(q + u, half, rate);
      for (int i = 0; i < 4; ++i) q_dual_[u + i].d[0] = rate[i];
    });
  }

  const Prepared& m_;
  Workspace<double> ws_;
  Workspace<Dual<1>> dual_;
  int n_;
  std::vector<double> M_, C_, tau_, sum_, zero_;
  std::vector<Dual<1>> q_dual_, M_dual_;
};

}  // namespace torqued
