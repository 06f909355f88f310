// How fast does time pass on the path? The pace sigma goes to what is asked with bounded rate and bounded change of rate.
//
// Close to the target the rate follows the braking parabola r^2 = 2 b |e| in its sampled form sqrt(2 b |e| + (b h / 2)^2) - b h / 2,
// so that sigma arrives without overshoot and ends exactly on the target. The caller may narrow the rate further (what
// torque and acceleration are left); 0 is always possible: the pace then stays.
#pragma once

#include <algorithm>
#include <cmath>

namespace torqued {

class Pace {
 public:
  // rate: change of sigma per second; smoothing_s: time in which the rate builds up.
  Pace(double rate, double smoothing_s, double cycle_s) : h_(cycle_s) { Limit(rate, smoothing_s); }
  void Limit(double rate, double smoothing_s) {
    rate_limit_ = rate;
    bend_ = rate / std::max(smoothing_s, h_);
  }
  void Reset(double sigma) {
    sigma_ = sigma;
    rate_ = 0;
  }
  // One cycle towards `target`; low <= 0 <= high bound the rate [1/s].
  void Step(double target, double low, double high) {
    const double e = target - sigma_;
    const double braking = std::sqrt(2 * bend_ * std::abs(e) + 0.25 * bend_ * bend_ * h_ * h_) - 0.5 * bend_ * h_;
    const double wanted = std::copysign(std::min({rate_limit_, braking, std::abs(e) / h_}), e);
    rate_ = std::clamp(rate_ + std::clamp(wanted - rate_, -bend_ * h_, bend_ * h_), low, high);
    if (std::abs(e) <= std::abs(rate_) * h_ * (1 + 1e-9) && rate_ * e >= 0 && std::abs(rate_) <= 2 * bend_ * h_) {
      sigma_ = target;
      rate_ = 0;
    } else {
      sigma_ = std::clamp(sigma_ + rate_ * h_, 0.0, 1.0);
      if ((sigma_ == 0 && rate_ < 0) || (sigma_ == 1 && rate_ > 0)) rate_ = 0;
    }
  }
  double sigma() const { return sigma_; }
  double rate() const { return rate_; }

 private:
  double h_, rate_limit_ = 1, bend_ = 1, sigma_ = 1, rate_ = 0;
};

}  // namespace torqued
