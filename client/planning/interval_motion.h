// How does s move in time within one interval of a timed path? sddot = u - lean + 2 lean r / ds, with r = s - s_i.
//
// With a = u - lean and k = 2 lean / ds:  r(t) = v S(t) + a C(t),  S = sinh(sqrt(k) t) / sqrt(k),  C = (cosh(sqrt(k) t) - 1) / k
// (sin and cos for k < 0; t and t^2/2 for k = 0), by their series: |k| t^2 stays below 0.4.
#pragma once

#include <algorithm>
#include <cmath>

namespace torqued {

class IntervalMotion {
 public:
  // True where a lean is small enough for the series, and neither end is nearly at rest.
  static bool Allows(double ds, double x, double u, double lean) {
    const double v = std::sqrt(std::max(x, 0.0)), w = std::sqrt(std::max(x + 2 * ds * u, 0.0));
    if (std::min(v, w) < 0.2 * std::max(v, w)) return false;
    const double t = 2 * ds / (v + w);
    return 2 * std::abs(lean) * t * t < 0.3 * ds;
  }

  IntervalMotion(double ds, double x, double u, double lean)
      : ds_(ds), v_(std::sqrt(std::max(x, 0.0))), a_(u - lean), k_(lean == 0 ? 0 : 2 * lean / ds) {
    const double w = std::sqrt(std::max(x + 2 * ds * u, 0.0));
    duration_ = 2 * ds / (v_ + w);
    if (k_ == 0) return;
    for (int step = 0; step < 4; ++step) {
      const double correction = (Travel(duration_) - ds_) / Speed(duration_);
      duration_ -= correction;
      if (std::abs(correction) < 1e-14 * duration_) break;
    }
  }

  double duration() const { return duration_; }
  double Travel(double t) const { return v_ * S(t) + a_ * C(t); }
  double Speed(double t) const { return v_ * (1 + k_ * C(t)) + a_ * S(t); }
  double Acceleration(double t) const { return a_ + k_ * Travel(t); }

 private:
  double S(double t) const {
    const double z = k_ * t * t;
    return t * (1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72 * (1 + z / 110)))));
  }
  double C(double t) const {
    const double z = k_ * t * t;
    return 0.5 * t * t * (1 + z / 12 * (1 + z / 30 * (1 + z / 56 * (1 + z / 90 * (1 + z / 132)))));
  }

  double ds_, v_, a_, k_, duration_;
};

}  // namespace torqued
