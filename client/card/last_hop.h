// May this set-point reach the drive? The last check before the motors: refuse, never clamp.
//
// Against the command of the cycle before (q-, v-), cycle time h:
//   finite; session and sequence as expected; lower <= q <= upper; |v| <= v_max; |v - v-| / h <= a_max; |tau| <= tau_max;
//   the step is explained by the stated velocities: |q - q- - h (v + v-) / 2| <= a_max h^2.
// (The trapezoid's error is h^3 jerk / 12 in a smooth motion, and at most a_max h^2 / 2 across a step of acceleration.)
// Limits have a relative slack of 1e-6 for rounding on the way.
#pragma once

#include <algorithm>
#include <cmath>

#include "client/card/config.h"
#include "client/card/motion_card.h"

namespace torqued {

struct LastHopExpectation {
  std::uint32_t session = 0;
  std::uint64_t sequence = 1;
};

inline CardStatus CheckOrder(const SetPoint& p, const LastHopExpectation& want) {
  if (p.session != want.session) return CardError(CardCode::kOldSession, -1, p.session, want.session);
  const auto got = static_cast<double>(p.sequence), expected = static_cast<double>(want.sequence);
  if (p.sequence > want.sequence) return CardError(CardCode::kSequenceGap, -1, got, expected);
  if (p.sequence < want.sequence) return CardError(CardCode::kSequenceRepeat, -1, got, expected);
  return {};
}

// `first`: of a session, where a step of up to the start tolerance from the held command is allowed.
inline CardStatus CheckMotion(const SetPoint& p, const CardConfig& config, const AxisArray& q_before,
                              const AxisArray& v_before, bool first) {
  constexpr double kSlack = 1 + 1e-6;
  const double h = config.cycle_s;
  for (int i = 0; i < config.axis_count(); ++i) {
    const AxisConfig& a = config.axes[i];
    const double q = p.q[i], v = p.v[i], tau = p.tau[i];
    if (!std::isfinite(q)) return CardError(CardCode::kNotFinite, i, q);
    if (!std::isfinite(v)) return CardError(CardCode::kNotFinite, i, v);
    if (!std::isfinite(tau)) return CardError(CardCode::kNotFinite, i, tau);
    const double slack = std::isfinite(a.upper - a.lower) ? 1e-9 * (a.upper - a.lower) : 0;
    if (q > a.upper + slack) return CardError(CardCode::kPositionLimit, i, q, a.upper);
    if (q < a.lower - slack) return CardError(CardCode::kPositionLimit, i, q, a.lower);
    if (std::abs(v) > a.velocity * kSlack) return CardError(CardCode::kVelocityLimit, i, v, a.velocity);
    if (std::abs(tau) > a.torque * kSlack) return CardError(CardCode::kTorqueLimit, i, tau, a.torque);
    if (first) {
      if (const double step = std::abs(q - q_before[i]); step > a.start_tolerance)
        return CardError(CardCode::kStartMismatch, i, step, a.start_tolerance);
    } else {
      const double step = q - q_before[i] - 0.5 * h * (v + v_before[i]), allowed = a.acceleration * h * h;
      if (std::abs(step) > allowed * kSlack + 1e-12) return CardError(CardCode::kJump, i, q - q_before[i], allowed);
    }
    const double acceleration = (v - v_before[i]) / h;
    if (std::abs(acceleration) > a.acceleration * kSlack + 1e-9)
      return CardError(CardCode::kAccelerationLimit, i, acceleration, a.acceleration);
    if ((p.flags & kLastSetPoint) && std::abs(v) > a.standstill) return CardError(CardCode::kEndsMoving, i, v, a.standstill);
  }
  return {};
}

}  // namespace torqued
