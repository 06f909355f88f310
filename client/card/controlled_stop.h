// How does the card come to rest by itself? Each axis decelerates with its own bound, from the last command.
//
// From the command, not from the measured state: starting at the measured position would step back by the following
// error in one cycle. v goes to zero by at most a h per cycle, q follows by the trapezoid rule, the feed-forward fades
// from its last value to the torque that holds the robot at rest, in proportion to the speed that is left.
#pragma once

#include <algorithm>
#include <cmath>

#include "client/card/config.h"
#include "client/card/motion_card.h"

namespace torqued {

class ControlledStop {
 public:
  // `v`, `tau`: the last command.
  void Begin(const CardConfig& config, const AxisArray& v, const AxisArray& tau) {
    start_tau_ = tau;
    start_speed_ = 0;
    for (int i = 0; i < config.axis_count(); ++i) start_speed_ = std::max(start_speed_, std::abs(v[i]) / config.axes[i].velocity);
  }

  static double Deceleration(const AxisConfig& axis, StopKind kind) {
    const double ramp = axis.stop_deceleration > 0 ? axis.stop_deceleration : axis.acceleration;
    if (kind != StopKind::kQuick) return ramp;
    return axis.quick_deceleration > 0 ? axis.quick_deceleration : 2 * ramp;
  }

  // One cycle. True: every axis' command is at rest.
  bool Step(const CardConfig& config, StopKind kind, const AxisArray& hold, AxisArray& q, AxisArray& v, AxisArray& tau) const {
    const double h = config.cycle_s;
    bool at_rest = true;
    double speed = 0;
    for (int i = 0; i < config.axis_count(); ++i) {
      const double dv = Deceleration(config.axes[i], kind) * h;
      const double before = v[i];
      v[i] = std::abs(before) <= dv ? 0.0 : before - std::copysign(dv, before);
      q[i] += 0.5 * h * (v[i] + before);
      at_rest = at_rest && v[i] == 0;
      speed = std::max(speed, std::abs(v[i]) / config.axes[i].velocity);
    }
    const double share = start_speed_ > 0 ? std::min(1.0, speed / start_speed_) : 0;
    for (int i = 0; i < config.axis_count(); ++i) tau[i] = hold[i] + share * (start_tau_[i] - hold[i]);
    return at_rest;
  }

 private:
  AxisArray start_tau_{};
  double start_speed_ = 0;  // largest share of a velocity limit
};

}  // namespace torqued
