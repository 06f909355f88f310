// One step of a motion on its manifold: semi-implicit Euler, Runge-Kutta 4, Dormand-Prince 5(4).
//
// Within a step the position is q0 (+) delta (manifold.h): joint displacements, and for spherical and floating joints a
// displacement in the axes of the step's start and a rotation vector theta with q = q0 exp(theta). Its rate follows from
// the body rates w, u exactly,
//     theta' = w + 1/2 theta x w + k theta x (theta x w),   k = (1 - |theta| / 2 cot(|theta| / 2)) / |theta|^2,
//     x' = exp(theta) u,
// so any Runge-Kutta method keeps its order (Munthe-Kaas 1998) and quaternions stay of unit length.
// The energy account (drive work, friction heat) is integrated along with the same method.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "server/core/dynamics/manifold.h"

namespace torqued {

enum class Integrator { kSemiImplicitEuler, kRungeKutta4, kDormandPrince };

struct MotionState {
  Eigen::VectorXd q, v;
  double work = 0;  // by the drives since the start [J]
  double heat = 0;  // lost to friction and impacts since the start [J]
};

// What a dynamics callback answers at (t, q, v).
struct MotionRate {
  Eigen::VectorXd a;
  double power = 0, friction_power = 0;  // [W]
};

namespace integrators_detail {

inline Vec3<double> TurnRate(const double* theta, const double* w) {
  const Vec3<double> t{theta[0], theta[1], theta[2]}, u{w[0], w[1], w[2]};
  const double angle_sq = Dot(t, t), angle = std::sqrt(angle_sq);
  const double k = angle < 1e-3 ? 1.0 / 12 + angle_sq / 720 : (1 - angle / 2 / std::tan(angle / 2)) / angle_sq;
  const Vec3<double> tu = Cross(t, u);
  return u + Scale(tu, 0.5) + Scale(Cross(t, tu), k);
}

inline Vec3<double> Rotate(const double* theta, const Vec3<double>& u) {
  double turn[4] = {0, 0, 0, 1};
  TurnQuaternion(theta, turn);
  return QuaternionToRotation(turn) * u;
}

}  // namespace integrators_detail

// delta' at delta for rates v, both [nv].
inline void ChartRate(const Prepared& m, const double* delta, const double* v, double* out) {
  using namespace integrators_detail;
  ForEachGroup(m, [&](int i, int, int width) {
    if (width == 1) {
      out[i] = v[i];
      return;
    }
    const int turn = i + (width == 6 ? 3 : 0);
    if (width == 6) {
      const Vec3<double> x = Rotate(delta + turn, {v[i], v[i + 1], v[i + 2]});
      out[i] = x.x, out[i + 1] = x.y, out[i + 2] = x.z;
    }
    const Vec3<double> r = TurnRate(delta + turn, v + turn);
    out[turn] = r.x, out[turn + 1] = r.y, out[turn + 2] = r.z;
  });
}

class Stepper {
 public:
  explicit Stepper(const Prepared& m) : m_(m), delta_(m.nv), q_(m.nq), v_(m.nv), error_(m.nv) {
    for (auto* k : {&kd_, &kv_})
      for (Eigen::VectorXd& x : *k) x.resize(m.nv);
    rate_.a.resize(m.nv);
  }

  // From `from` at t over h to `to`. rate(t, q, v, MotionRate&) -> bool; false (no acceleration exists) ends the step and
  // is returned. After Dormand-Prince, error() is the estimated local error in units of the tolerances (<= 1: accept).
  template <class Rate>
  bool Step(Integrator method, double t, double h, const MotionState& from, double tolerance, Rate&& rate, MotionState& to) {
    switch (method) {
      case Integrator::kSemiImplicitEuler: return Euler(t, h, from, rate, to);
      case Integrator::kRungeKutta4: return Tableau<4>(kRk4, t, h, from, tolerance, rate, to);
      case Integrator::kDormandPrince: return Tableau<7>(kDormandPrince, t, h, from, tolerance, rate, to);
    }
    return false;
  }
  double error() const { return estimate_; }

 private:
  template <int S>
  struct Coefficients {
    std::array<double, S> c;
    std::array<std::array<double, S>, S> a;
    std::array<double, S> b, e;  // e: b minus the embedded method's
  };
  static constexpr Coefficients<4> kRk4{{0, .5, .5, 1}, {{{}, {.5}, {0, .5}, {0, 0, 1}}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {}};
  static constexpr Coefficients<7> kDormandPrince{
      {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
      {{{},
        {1. / 5},
        {3. / 40, 9. / 40},
        {44. / 45, -56. / 15, 32. / 9},
        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
      {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}};

  template <class Rate>
  bool Euler(double t, double h, const MotionState& from, Rate& rate, MotionState& to) {
    if (!rate(t, from.q, from.v, rate_)) return false;
    // The account takes the step's starting rates: of first order, as the method is.
    to.v = from.v + h * rate_.a;
    to.q = from.q;
    AddTangent(m_, to.v.data(), h, to.q.data());
    to.work = from.work + h * rate_.power;
    to.heat = from.heat + h * rate_.friction_power;
    return true;
  }

  template <int S, class Rate>
  bool Tableau(const Coefficients<S>& k, double t, double h, const MotionState& from, double tolerance, Rate& rate,
               MotionState& to) {
    std::array<double, S> power, friction;
    for (int s = 0; s < S; ++s) {
      delta_.setZero();
      v_ = from.v;
      for (int j = 0; j < s; ++j) {
        if (k.a[s][j] == 0) continue;
        delta_ += (h * k.a[s][j]) * kd_[j];
        v_ += (h * k.a[s][j]) * kv_[j];
      }
      q_ = from.q;
      AddTangent(m_, delta_.data(), 1.0, q_.data());
      if (!rate(t + k.c[s] * h, q_, v_, rate_)) return false;
      ChartRate(m_, delta_.data(), v_.data(), kd_[s].data());
      kv_[s] = rate_.a;
      power[s] = rate_.power;
      friction[s] = rate_.friction_power;
    }
    delta_.setZero();
    to.v = from.v;
    to.work = from.work;
    to.heat = from.heat;
    for (int s = 0; s < S; ++s) {
      delta_ += (h * k.b[s]) * kd_[s];
      to.v += (h * k.b[s]) * kv_[s];
      to.work += h * k.b[s] * power[s];
      to.heat += h * k.b[s] * friction[s];
    }
    to.q = from.q;
    AddTangent(m_, delta_.data(), 1.0, to.q.data());
    estimate_ = 0;
    if (S == 7) {
      for (const auto* rates : {&kd_, &kv_}) {
        error_.setZero();
        for (int s = 0; s < S; ++s) error_ += (h * k.e[s]) * (*rates)[s];
        const Eigen::VectorXd& size = rates == &kd_ ? delta_ : to.v;
        for (int i = 0; i < m_.nv; ++i)
          estimate_ = std::max(estimate_, std::abs(error_[i]) / (tolerance * (1 + std::abs(size[i]))));
      }
    }
    return true;
  }

  const Prepared& m_;
  std::array<Eigen::VectorXd, 7> kd_, kv_;
  Eigen::VectorXd delta_, q_, v_, error_;
  MotionRate rate_;
  double estimate_ = 0;
};

}  // namespace torqued
