// Where is zero? Looks for the home switch of one axis after the other and sets the encoder's offset there.
//
// Search towards the switch at search_speed, stop, back off at latch_speed; the edge where the switch opens again is the
// reference: q = switch_position there. Then go to home_position. Commands accelerate with the axis' stop deceleration.
#pragma once

#include <algorithm>
#include <cmath>

#include "client/card/controlled_stop.h"

namespace torqued {

class HomingSequence {
 public:
  enum class Result { kBusy, kDone, kFailed };

  void Begin(std::uint32_t axis_mask) {
    left_ = axis_mask;
    axis_ = -1;
  }

  // What a cycle found: the axis' coordinate grows by `amount` from now on (already in the command, not yet in `measured`).
  struct Reference {
    int axis = -1;
    double amount = 0;
  };

  // One cycle. q, v: command. kFailed: `why` tells.
  Result Step(const CardConfig& config, std::uint32_t switches, const AxisArray& measured, AxisArray& q, AxisArray& v,
              std::uint32_t& homed, Reference& found, CardStatus& why) {
    if (axis_ < 0) {
      if (!NextAxis(config, homed)) return Result::kDone;
      phase_ = Phase::kSearch;
      travelled_ = 0;
    }
    const AxisConfig& a = config.axes[axis_];
    const HomingConfig& home = a.homing;
    const bool pressed = switches >> axis_ & 1;
    double wanted = 0;
    switch (phase_) {
      case Phase::kSearch:
        wanted = home.search_speed;
        if (pressed) phase_ = Phase::kHalt;
        break;
      case Phase::kHalt:
        if (v[axis_] == 0) phase_ = Phase::kBackOff;
        break;
      case Phase::kBackOff:
        wanted = -std::copysign(home.latch_speed, home.search_speed);
        if (!pressed) {
          found = {axis_, home.switch_position - measured[axis_]};
          homed |= 1u << axis_;
          q[axis_] += found.amount;
          phase_ = Phase::kGoHome;
          travelled_ = 0;
        }
        break;
      case Phase::kGoHome: {
        // Fastest approach that can still stop: v^2 = 2 a d, at most the search speed, one cycle of margin.
        const double d = home.home_position - q[axis_], h = config.cycle_s;
        const double brake = ControlledStop::Deceleration(a, StopKind::kRamp);
        const double speed = std::sqrt(2 * brake * std::abs(d) + 0.25 * brake * brake * h * h) - 0.5 * brake * h;
        wanted = std::copysign(std::min({speed, std::abs(home.search_speed), std::abs(d) / h}), d);
        if (std::abs(d) < 1e-9 && std::abs(v[axis_]) <= brake * h) {
          v[axis_] = 0;
          axis_ = -1;
          return Result::kBusy;
        }
        break;
      }
    }
    const double dv = ControlledStop::Deceleration(a, StopKind::kRamp) * config.cycle_s;
    const double before = v[axis_];
    v[axis_] += std::clamp(wanted - before, -dv, dv);
    const double step = 0.5 * config.cycle_s * (v[axis_] + before);
    q[axis_] += phase_ == Phase::kGoHome ? ApproachStep(config, home, q[axis_], v[axis_]) : step;
    travelled_ += std::abs(step);
    if (travelled_ > home.travel) {
      why = CardError(CardCode::kHomingFailed, axis_, travelled_, home.travel);
      return Result::kFailed;
    }
    return Result::kBusy;
  }

 private:
  enum class Phase { kSearch, kHalt, kBackOff, kGoHome };

  // The next axis that needs a reference; those with an absolute encoder only get their bit.
  bool NextAxis(const CardConfig& config, std::uint32_t& homed) {
    for (int i = 0; i < config.axis_count(); ++i) {
      if (!(left_ >> i & 1)) continue;
      left_ &= ~(1u << i);
      if (config.axes[i].homing.method == HomingMethod::kSwitch) {
        homed &= ~(1u << i);
        axis_ = i;
        return true;
      }
      homed |= 1u << i;
    }
    return false;
  }

  // Never past the home position within a cycle.
  static double ApproachStep(const CardConfig& config, const HomingConfig& home, double q, double v) {
    const double d = home.home_position - q, step = config.cycle_s * v;
    return std::abs(step) >= std::abs(d) && step * d >= 0 ? d : step;
  }

  std::uint32_t left_ = 0;
  int axis_ = -1;
  Phase phase_ = Phase::kSearch;
  double travelled_ = 0;
};

}  // namespace torqued
