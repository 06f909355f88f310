#include "client/card/firmware.h"

#include <algorithm>
#include <cmath>

#include "client/card/ring.h"

namespace torqued {

Firmware::Firmware(const CardConfig& config, const SegmentView& segment)
    : config_(config), segment_(segment), axes_(config.axis_count()) {
  for (int i = 0; i < axes_; ++i)
    if (config_.axes[i].homing.method == HomingMethod::kAbsolute) homed_ |= 1u << i;
  segment_.header->homed.store(homed_);
}

void Firmware::Cycle(const DriveInput& in, std::int64_t now_ns, std::int64_t lateness_ns, DriveOutput& out) noexcept {
  ++cycle_;
  executed_now_ = false;
  saturated_ = false;
  ReadDrive(in);
  TakeCommand(now_ns);
  TakeStop(now_ns);
  WatchBridge(now_ns);
  Move(in);
  if (!executed_now_) Follows(q_command_, v_command_);
  CloseLoop(out);
  Publish(now_ns, lateness_ns);
}

bool Firmware::Go(CardEvent event) noexcept { return Advance(state_, event); }

void Firmware::ReadDrive(const DriveInput& in) noexcept {
  in_ = in;
  emergency_ = in.emergency_stop;
  for (int i = 0; i < axes_; ++i) {
    q_[i] = in.q[i] + offset_[i];
    v_[i] = in.v[i];
  }
  if (state_ == CardState::kOffline) return;
  if (in.emergency_stop && state_ != CardState::kFaulted) TripOff(CardError(CardCode::kEmergencyStop));
  for (int i = 0; i < axes_; ++i) {
    const bool powered = Powered(state_);
    if (powered && !std::isfinite(in.q[i] + in.v[i])) TripOff(CardError(CardCode::kFeedbackInvalid, i, in.q[i]));
    if (powered && (in.fault >> i & 1)) {
      CardStatus why = CardError(CardCode::kDriveFault, i);
      why.vendor = in.fault_code;
      TripOff(why);
    }
    if (state_ == CardState::kStreaming && (in.limit_high >> i & 1) && v_command_[i] > 0) TripRamp(CardError(CardCode::kLimitSwitch, i, 1), StopKind::kQuick);
    if (state_ == CardState::kStreaming && (in.limit_low >> i & 1) && v_command_[i] < 0) TripRamp(CardError(CardCode::kLimitSwitch, i, -1), StopKind::kQuick);
  }
}

void Firmware::Move(const DriveInput& in) noexcept {
  switch (state_) {
    case CardState::kStreaming: Stream(); break;
    case CardState::kStopping: Ramp(); break;
    case CardState::kHoming: HomeStep(in); break;
    case CardState::kReady:
      v_command_ = {};
      feed_forward_ = hold_;
      break;
    default:  // unpowered: the command follows the robot, so that power comes on without motion
      q_command_ = q_;
      v_command_ = {};
      feed_forward_ = {};
  }
}

void Firmware::Stream() noexcept {
  if (starved_) {  // hold the last speed for a few cycles, then ramp
    if (hold_left_-- > 0) {
      for (int i = 0; i < axes_; ++i) q_command_[i] += config_.cycle_s * v_command_[i];
      return;
    }
    BeginStop(StopKind::kRamp);
    Ramp();
    return;
  }
  SetPoint p;
  if (!RingPop(segment_.header->setpoints, segment_.setpoints, segment_.setpoint_capacity, &p)) {
    if (RingCount(segment_.header->setpoints) != 0) return TripRamp(CardError(CardCode::kProtocol)), Ramp();
    Latch(CardError(CardCode::kStarved, -1, static_cast<double>(executed_in_session_)));
    VoidSession();
    starved_ = true;
    hold_left_ = config_.hold_cycles;
    return Stream();
  }
  CardStatus why = CheckOrder(p, want_);
  if (why.ok()) why = CheckMotion(p, config_, q_command_, v_command_, want_.sequence == 1);
  if (!why.ok()) {
    TripRamp(why);
    Ramp();
    return;
  }
  if (!Follows(p.q, p.v)) return;
  if (want_.sequence == 1) hold_ = p.tau;
  ++want_.sequence;
  ++executed_in_session_;
  segment_.header->executed.fetch_add(1, std::memory_order_relaxed);
  executed_now_ = true;
  for (int i = 0; i < axes_; ++i) {
    q_command_[i] = p.q[i];
    v_command_[i] = p.v[i];
    feed_forward_[i] = p.tau[i];
  }
  if (p.flags & kLastSetPoint) {
    hold_ = feed_forward_;
    v_command_ = {};
    VoidSession();
    Go(CardEvent::kFinished);
  }
}

void Firmware::Ramp() noexcept {
  if (state_ != CardState::kStopping) return;
  if (!stop_.Step(config_, stop_kind_, hold_, q_command_, v_command_, feed_forward_)) return;
  if (cause_.ok()) {
    Go(CardEvent::kAtRest);
  } else {
    Go(CardEvent::kFault);
  }
  stop_kind_ = StopKind::kNone;
}

void Firmware::HomeStep(const DriveInput& in) noexcept {
  CardStatus why;
  HomingSequence::Reference found;
  const auto result = homing_.Step(config_, in.home_switch, q_, q_command_, v_command_, homed_, found, why);
  feed_forward_ = hold_;
  if (found.axis >= 0) {
    offset_[found.axis] += found.amount;
    q_[found.axis] += found.amount;
  }
  if (result == HomingSequence::Result::kDone) Go(CardEvent::kHomed);
  if (result == HomingSequence::Result::kFailed) {
    TripRamp(why);
    Ramp();
  }
}

// The error is taken against the command of this same cycle: a robot that tracks perfectly has none at any speed.
bool Firmware::Follows(const AxisArray& q_command, const AxisArray& v_command) noexcept {
  if (!Powered(state_)) {
    outside_ = {};
    return true;
  }
  for (int i = 0; i < axes_; ++i) {
    const AxisConfig& a = config_.axes[i];
    const double error = std::abs(q_command[i] - q_[i]);
    peak_following_[i] = std::max(peak_following_[i], error);
    const double limit = std::max(a.following.floor, a.following.at_full_speed * std::abs(v_command[i]) / a.velocity);
    outside_[i] = error > limit ? outside_[i] + 1 : 0;
    if (outside_[i] > 0 && outside_[i] * config_.cycle_s > a.following.window_s) {
      TripOff(CardError(CardCode::kFollowingError, i, error, limit));
      return false;
    }
  }
  return true;
}

void Firmware::CloseLoop(DriveOutput& out) noexcept {
  out.power = Powered(state_);
  if (!out.power) {
    q_command_ = q_;
    v_command_ = {};
    feed_forward_ = {};
  }
  for (int i = 0; i < axes_; ++i) {
    const AxisConfig& a = config_.axes[i];
    const double wanted = feed_forward_[i] + a.kp * (q_command_[i] - q_[i]) + a.kd * (v_command_[i] - v_[i]);
    tau_[i] = out.power ? std::clamp(wanted, -a.torque, a.torque) : 0;
    saturated_ = saturated_ || (out.power && tau_[i] != wanted);
    out.q[i] = q_command_[i] - offset_[i];
    out.v[i] = v_command_[i];
    out.tau_feed_forward[i] = feed_forward_[i];
    out.tau[i] = tau_[i];
  }
}

void Firmware::Publish(std::int64_t now_ns, std::int64_t lateness_ns) noexcept {
  CardSegment& h = *segment_.header;
  Feedback f;
  f.cycle = cycle_;
  f.sequence = executed_in_session_;
  f.session = want_.session;
  f.flags = (Powered(state_) ? kPowerOn : 0) | (executed_now_ ? kExecuted : 0) | (saturated_ ? kSaturated : 0) |
            (path_stop_asked_ ? kPathStopAsked : 0) | (emergency_ ? kEmergencyOpen : 0) |
            (homed_ == (1u << axes_) - 1 ? kAllHomed : 0);
  f.queued = static_cast<std::uint32_t>(std::min<std::uint64_t>(RingCount(h.setpoints), segment_.setpoint_capacity));
  f.state = state_;
  f.time_ns = now_ns;
  f.lateness_ns = lateness_ns;
  f.q_command = q_command_;
  f.v_command = v_command_;
  f.q = q_;
  f.v = v_;
  f.tau_feed_forward = feed_forward_;
  f.tau_command = tau_;
  f.tau = in_.tau;
  f.cause = cause_;
  if (!RingPush(h.feedback, segment_.feedback, segment_.feedback_capacity, f)) h.feedback_dropped.fetch_add(1, std::memory_order_relaxed);
  h.newest.Write(f);
  for (int i = 0; i < axes_; ++i) h.peak_following_error[i].store(peak_following_[i], std::memory_order_relaxed);
  if (lateness_ns > h.worst_lateness_ns.load(std::memory_order_relaxed)) h.worst_lateness_ns.store(lateness_ns, std::memory_order_relaxed);
  h.homed.store(homed_, std::memory_order_release);
  h.state.store(static_cast<std::uint32_t>(state_), std::memory_order_release);
  h.cycle.store(cycle_, std::memory_order_release);
}

}  // namespace torqued
