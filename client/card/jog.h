// A person moves single axes: speeds while a button is held, rest as soon as it is not.
//
// Each axis goes to its asked speed within its acceleration, brakes before its position limits (v^2 = 2 a d), and comes to rest
// when Hold has not been called for the hold-to-run time: a lost connection or a let-go button stops the robot.
// Ends with a stop on the path (Bridge::Stop(kOnPath)).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

#include "client/card/config.h"
#include "client/card/motion_source.h"

namespace torqued {

struct JogOptions {
  double hold_to_run_s = 0.2;
  double acceleration_share = 0.5;   // of each axis' limit
  double speed_share = 0.25;         // of each axis' velocity limit: the fastest jog
  AxisArray hold_torque{};           // feed-forward at rest [Nm] or [N]
};

class JogSource : public MotionSource {
 public:
  // The configuration must outlive the source.
  JogSource(const CardConfig& config, const JogOptions& options) : config_(config), options_(options) {}

  // Anyone: `speeds` [rad/s] or [m/s], clamped to the fastest jog; not finite counts as 0. Call again within hold_to_run_s.
  void Hold(const AxisArray& speeds) noexcept {
    for (int i = 0; i < config_.axis_count(); ++i) {
      const double fastest = options_.speed_share * config_.axes[i].velocity;
      asked_[i].store(std::isfinite(speeds[i]) ? std::clamp(speeds[i], -fastest, fastest) : 0, std::memory_order_relaxed);
    }
    holds_.fetch_add(1, std::memory_order_release);
  }

  AxisArray Start() const override { return q_; }
  AxisArray Goal() const override { return q_; }
  double DurationS() const override { return 0; }
  bool StartsAnywhere() const override { return true; }
  void Begin(const AxisArray& held) override {
    q_ = held;
    v_ = {};
    silent_s_ = options_.hold_to_run_s;  // nothing moves before the first Hold
    seen_ = holds_.load();
  }

  void Next(const PaceRequest& wanted, MotionSample* out) noexcept override {
    const double h = config_.cycle_s;
    const std::uint64_t holds = holds_.load(std::memory_order_acquire);
    silent_s_ = holds != seen_ ? 0 : silent_s_ + h;
    seen_ = holds;
    const bool run = silent_s_ < options_.hold_to_run_s && !wanted.stop;
    *out = {};
    bool at_rest = true;
    for (int i = 0; i < config_.axis_count(); ++i) {
      const AxisConfig& axis = config_.axes[i];
      const double a = options_.acceleration_share * axis.acceleration;
      double speed = run ? asked_[i].load(std::memory_order_relaxed) * wanted.override_ : 0;
      speed = std::clamp(speed, -BrakingSpeed(q_[i] - axis.lower, a), BrakingSpeed(axis.upper - q_[i], a));
      const double before = v_[i];
      v_[i] += std::clamp(speed - before, -a * h, a * h);
      q_[i] += 0.5 * h * (before + v_[i]);
      out->a[i] = (v_[i] - before) / h;
      at_rest = at_rest && v_[i] == 0;
    }
    out->q = q_;
    out->v = v_;
    out->tau = options_.hold_torque;
    out->last = wanted.stop && at_rest;
  }

 private:
  // Fastest speed from which the axis still stops within `distance`, a cycle's way of margin included.
  double BrakingSpeed(double distance, double a) const noexcept {
    if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
    const double h = config_.cycle_s;
    return std::max(0.0, std::sqrt(2 * a * std::max(0.0, distance) + a * a * h * h) - 1.5 * a * h);
  }

  const CardConfig& config_;
  JogOptions options_;
  std::array<std::atomic<double>, kMaxAxes> asked_{};
  std::atomic<std::uint64_t> holds_{0};
  std::uint64_t seen_ = 0;
  double silent_s_ = 0;
  AxisArray q_{}, v_{};
};

}  // namespace torqued
