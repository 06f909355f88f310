// Which joints stick, which rest against a stop, and how does the rest accelerate?
//
// Coulomb friction and stops make the equation of motion a choice of cases. Each entry i of v is in one of them:
//   free           no Coulomb friction (or smoothed by tanh): friction is a function of v
//   sliding +-     friction opposes with its level for that direction, whatever rounding says of v
//   stuck          v_i = 0, a_i = 0, and the friction that this takes stays within the static level
//   at a stop      v_i = 0, a_i = 0, and the stop only pushes inward
// With S the entries held at a_S = 0:  M_FF a_F = rhs_F,  lambda_S = M_SF a_F - rhs_S is what holding takes. An entry
// whose lambda exceeds what may hold it is released, the worst one first, until all cases are consistent. So a joint at
// rest under a small torque stays exactly at rest: nothing chatters.
// The static level is the breakaway torque where Stribeck's effect is on, else the Coulomb level.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "server/core/dynamics/forward_dynamics.h"

namespace torqued {

enum class Slip : signed char { kFree = 2, kNegative = -1, kStuck = 0, kPositive = 1 };
enum class Stop : signed char { kLower = -1, kNone = 0, kUpper = 1 };

class StickSlip {
 public:
  StickSlip(const Prepared& m, const Conditions& c)
      : slip(m.nv, Slip::kFree), stop(m.nv, Stop::kNone), m_(m), c_(c), without_(c), ws_(m), n_(m.nv), M_(n_, n_),
        A_(n_, n_), rhs_(n_), lambda_(n_), x_(n_), held_(n_) {
    without_.terms.friction = false;
    without_.terms.inertia = true;
  }

  std::vector<Slip> slip;
  std::vector<Stop> stop;

  // Dry friction that can hold a joint still.
  bool CanStick(int i) const {
    const Friction& f = m_.friction[i];
    return c_.terms.friction && f.smoothing_velocity == 0 && (StaticLevel(i, 1) > 0 || StaticLevel(i, -1) > 0);
  }
  double StaticLevel(int i, int direction) const {
    const Friction& f = m_.friction[i];
    const double coulomb = direction > 0 ? f.coulomb_positive : f.coulomb_negative;
    return f.stribeck_velocity > 0 ? std::max(coulomb, f.breakaway) : coulomb;
  }

  // Sliding directions from the rates; resting entries are first assumed stuck.
  void ReadRates(const double* v) {
    for (int i = 0; i < n_; ++i)
      slip[i] = !CanStick(i) ? Slip::kFree : v[i] > 0 ? Slip::kPositive : v[i] < 0 ? Slip::kNegative : Slip::kStuck;
  }

  // Torque by friction in the present cases [nv]; held entries: what viscous friction alone would be (zero at rest).
  void Resist(const double* v, double* out) const {
    for (int i = 0; i < n_; ++i) {
      out[i] = 0;
      if (!c_.terms.friction) continue;
      const Friction& f = m_.friction[i];
      if (slip[i] == Slip::kFree) {
        out[i] = FrictionTorque(f, v[i]);
      } else if (slip[i] != Slip::kStuck) {
        const int direction = static_cast<int>(slip[i]);
        double level = direction > 0 ? f.coulomb_positive : f.coulomb_negative;
        if (f.stribeck_velocity > 0) {
          const double r = v[i] / f.stribeck_velocity;
          level += (f.breakaway - level) * std::exp(-r * r);
        }
        out[i] = f.viscous * v[i] + direction * level;
      }
    }
  }

  // a [nv] in the present cases under drive torques tau. Does not allocate.
  SolveStatus Accelerate(const double* q, const double* v, const double* tau, double* a) {
    Resist(v, x_.data());
    for (int i = 0; i < n_; ++i) x_[i] = tau[i] - x_[i];
    if (!AnyHeld()) return ForwardDynamics<double>(m_, without_, q, v, x_.data(), ws_, a);
    InverseDynamics<double>(m_, without_, q, v, nullptr, ws_, rhs_.data());
    for (int i = 0; i < n_; ++i) rhs_[i] = x_[i] - rhs_[i];
    MassMatrix(m_, without_, q, ws_, M_.data());
    return SolveHeld(a);
  }

  // Releases what cannot be held at q, v under tau; afterwards the cases are consistent. Returns in `released` (flags
  // [nv]) what changed. Stuck and stopped entries must have v_i = 0.
  SolveStatus Resolve(const double* q, const double* v, const double* tau, std::vector<char>& released, double* a) {
    std::fill(released.begin(), released.end(), 0);
    SolveStatus status;
    for (int round = 0; round <= 2 * n_; ++round) {
      status = Accelerate(q, v, tau, a);
      if (!status.ok() || !AnyHeld()) return status;
      int worst = -1;
      double excess = 0;
      for (int i = 0; i < n_; ++i) {
        if (!Held(i)) continue;
        const double e = Excess(i);
        const double relative = e / (1e-12 + std::abs(lambda_[i]));
        if (e > 1e-12 && relative > 1e-12 && e > excess) excess = e, worst = i;
      }
      if (worst < 0) return status;
      Release(worst);
      released[worst] = 1;
    }
    return status;
  }

  // Velocities after entry i hits its stop with speed v_i and leaves with -restitution v_i; other stops stay closed
  // unless the blow opens them. v [nv] in place.
  SolveStatus Impact(const double* q, int i, double restitution, double* v) {
    MassMatrix(m_, without_, q, ws_, M_.data());
    for (int k = 0; k < n_; ++k) held_[k] = k == i || stop[k] != Stop::kNone;
    const double change = -(1 + restitution) * v[i];
    // M_FF dv_F = -M_Fi change; held entries other than i do not move.
    for (int k = 0; k < n_; ++k) rhs_[k] = held_[k] ? 0 : -M_(k, i) * change;
    const SolveStatus status = SolveFree(rhs_.data());
    if (!status.ok()) return status;
    for (int k = 0; k < n_; ++k) v[k] += k == i ? change : held_[k] ? 0 : rhs_[k];
    return status;
  }

  double lambda(int i) const { return lambda_[i]; }
  bool Held(int i) const { return slip[i] == Slip::kStuck || stop[i] != Stop::kNone; }

 private:
  bool AnyHeld() const {
    for (int i = 0; i < n_; ++i)
      if (Held(i)) return true;
    return false;
  }

  // By how much the holding torque lambda_i exceeds what friction and stop can give; <= 0: held.
  double Excess(int i) const {
    const double by_friction_up = slip[i] == Slip::kStuck ? StaticLevel(i, -1) : 0;  // pushes up: opposes motion down
    const double by_friction_down = slip[i] == Slip::kStuck ? StaticLevel(i, 1) : 0;
    const double up = stop[i] == Stop::kLower ? HUGE_VAL : by_friction_up;
    const double down = stop[i] == Stop::kUpper ? HUGE_VAL : by_friction_down;
    return std::max(lambda_[i] - up, -lambda_[i] - down);
  }
  void Release(int i) {
    stop[i] = Stop::kNone;
    if (slip[i] == Slip::kStuck) slip[i] = lambda_[i] > 0 ? Slip::kNegative : Slip::kPositive;
  }

  SolveStatus SolveHeld(double* a) {
    for (int i = 0; i < n_; ++i) held_[i] = Held(i);
    for (int i = 0; i < n_; ++i) a[i] = held_[i] ? 0 : rhs_[i];
    const SolveStatus status = SolveFree(a);
    for (int i = 0; i < n_; ++i) {
      lambda_[i] = 0;
      if (!held_[i]) continue;
      a[i] = 0;
      lambda_[i] = -rhs_[i];
      for (int k = 0; k < n_; ++k)
        if (!held_[k]) lambda_[i] += M_(i, k) * a[k];
    }
    return status;
  }

  // Cholesky of M over the entries that are not held; x in place, held entries untouched.
  SolveStatus SolveFree(double* x) {
    SolveStatus status;
    for (int i = 0; i < n_; ++i) {
      if (held_[i]) continue;
      for (int j = 0; j <= i; ++j) {
        if (held_[j]) continue;
        double s = M_(i, j);
        for (int k = 0; k < j; ++k)
          if (!held_[k]) s -= A_(i, k) * A_(j, k);
        if (i != j) A_(i, j) = s / A_(j, j);
        else if (s > PivotTolerance(n_) * M_(i, i)) A_(i, i) = std::sqrt(s);
        else return {i};
      }
    }
    for (int i = 0; i < n_; ++i) {
      if (held_[i]) continue;
      for (int k = 0; k < i; ++k)
        if (!held_[k]) x[i] -= A_(i, k) * x[k];
      x[i] /= A_(i, i);
    }
    for (int i = n_ - 1; i >= 0; --i) {
      if (held_[i]) continue;
      for (int k = i + 1; k < n_; ++k)
        if (!held_[k]) x[i] -= A_(k, i) * x[k];
      x[i] /= A_(i, i);
    }
    return status;
  }

  const Prepared& m_;
  Conditions c_, without_;
  Workspace<double> ws_;
  int n_;
  Eigen::MatrixXd M_, A_;
  std::vector<double> rhs_, lambda_, x_;
  std::vector<char> held_;
};

}  // namespace torqued
