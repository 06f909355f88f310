// What moves the card from one state to another: control calls, stops, the watchdog, faults.
#include <algorithm>

#include "client/card/firmware.h"
#include "client/card/ring.h"

namespace torqued {

void Firmware::Latch(CardStatus why) noexcept {
  if (!cause_.ok()) return;
  why.cycle = cycle_;
  cause_ = why;
  segment_.header->faults.fetch_add(1, std::memory_order_relaxed);
}

// The set-points that are still queued belong to the past: the next Begin drops them.
void Firmware::VoidSession() noexcept {
  segment_.header->session.store(0, std::memory_order_release);
  path_stop_asked_ = false;
}

void Firmware::TripOff(const CardStatus& why) noexcept {
  Latch(why);
  VoidSession();
  Go(CardEvent::kFault);
  stop_kind_ = StopKind::kNone;
}

void Firmware::TripRamp(const CardStatus& why, StopKind kind) noexcept {
  Latch(why);
  VoidSession();
  if (state_ == CardState::kStreaming || state_ == CardState::kHoming || state_ == CardState::kStopping)
    BeginStop(kind);
  else
    Go(CardEvent::kFault);
}

void Firmware::BeginStop(StopKind kind) noexcept {
  const bool already = state_ == CardState::kStopping;
  if (!Go(CardEvent::kStop)) return;
  VoidSession();
  if (state_ != CardState::kStopping) return;  // nothing moves
  starved_ = false;
  if (!already) {
    stop_kind_ = StopKind::kRamp;
    stop_.Begin(config_, v_command_, feed_forward_);
  }
  stop_kind_ = std::max(stop_kind_, kind);
}

void Firmware::TakeCommand(std::int64_t now_ns) noexcept {
  CommandSlot& slot = segment_.header->slot;
  const std::uint64_t asked = slot.asked.load(std::memory_order_acquire);
  if (asked == slot.answered.load(std::memory_order_relaxed)) return;
  CardStatus answer = Execute(slot, now_ns);
  answer.cycle = cycle_;
  slot.answer = answer;
  slot.cause = cause_;
  // What the answer promises is visible before the answer is.
  segment_.header->state.store(static_cast<std::uint32_t>(state_), std::memory_order_release);
  slot.answered.store(asked, std::memory_order_release);
}

CardStatus Firmware::Execute(const CommandSlot& slot, std::int64_t now_ns) noexcept {
  const CardStatus wrong_state = CardError(CardCode::kWrongState, -1, static_cast<double>(state_));
  switch (slot.command) {
    case CardCommand::kNone: return {};
    case CardCommand::kOpen:
      // A reconnect: whatever the earlier bridge began is over, and power goes off.
      if (state_ != CardState::kOffline) {
        VoidSession();
        if (state_ != CardState::kFaulted) Go(CardEvent::kDisable);
        return {};
      }
      Go(CardEvent::kOpen);
      if (!cause_.ok()) Go(CardEvent::kFault);  // a latched cause outlives a Close: only ResetFault clears it
      peak_following_ = {};
      return {};
    case CardCommand::kClose:
      if (!Go(CardEvent::kClose)) return wrong_state;
      VoidSession();
      return {};
    case CardCommand::kEnable: {
      if (state_ != CardState::kDisabled) return wrong_state;
      for (int i = 0; i < axes_; ++i) {
        if (!std::isfinite(slot.hold_torque[i])) return CardError(CardCode::kNotFinite, i, slot.hold_torque[i]);
        if (std::abs(slot.hold_torque[i]) > config_.axes[i].torque)
          return CardError(CardCode::kTorqueLimit, i, slot.hold_torque[i], config_.axes[i].torque);
        if (!std::isfinite(q_[i])) return CardError(CardCode::kFeedbackInvalid, i, q_[i]);
      }
      hold_ = slot.hold_torque;
      q_command_ = q_;
      last_beat_ns_ = now_ns;
      Go(CardEvent::kEnable);
      return {};
    }
    case CardCommand::kDisable:
      if (!Go(CardEvent::kDisable)) return wrong_state;
      VoidSession();
      return {};
    case CardCommand::kHome:
      if (slot.argument == 0 || slot.argument >> axes_) return CardError(CardCode::kBadArgument, -1, slot.argument);
      if (!Go(CardEvent::kHome)) return wrong_state;
      VoidSession();
      homing_.Begin(slot.argument);
      return {};
    case CardCommand::kResetFault:
      if (state_ != CardState::kFaulted) return wrong_state;
      if (emergency_) return CardError(CardCode::kEmergencyStop);
      if (in_.fault) {
        CardStatus why = CardError(CardCode::kDriveFault);
        why.vendor = in_.fault_code;
        return why;
      }
      Go(CardEvent::kResetFault);
      cause_ = {};
      peak_following_ = {};
      return {};
    case CardCommand::kBegin: return BeginSession(slot.argument, slot.queue_head);
    case CardCommand::kStart:
      if (state_ != CardState::kReady) return wrong_state;
      if (segment_.header->session.load(std::memory_order_relaxed) == 0) return CardError(CardCode::kNoSession);
      if (RingCount(segment_.header->setpoints) == 0) return CardError(CardCode::kNothingQueued);
      starved_ = false;
      Go(CardEvent::kStart);
      return {};
  }
  return CardError(CardCode::kBadArgument, -1, static_cast<double>(slot.command));
}

CardStatus Firmware::BeginSession(std::uint32_t session, std::uint64_t queue_head) noexcept {
  CardSegment& h = *segment_.header;
  if (state_ != CardState::kReady) return CardError(CardCode::kWrongState, -1, static_cast<double>(state_));
  const std::uint32_t last = h.last_session.load(std::memory_order_relaxed);
  if (session <= last) return CardError(CardCode::kBadArgument, -1, session, last);
  for (int i = 0; i < axes_; ++i)
    if (!(homed_ >> i & 1)) return CardError(CardCode::kNotHomed, i);
  const std::uint64_t tail = h.setpoints.tail.load(std::memory_order_relaxed);
  const std::uint64_t stale = queue_head - tail;
  if (stale > segment_.setpoint_capacity) return CardError(CardCode::kProtocol, -1, static_cast<double>(stale));
  h.voided.fetch_add(stale, std::memory_order_relaxed);
  h.setpoints.tail.store(queue_head, std::memory_order_release);
  want_ = {session, 1};
  executed_in_session_ = 0;
  path_stop_asked_ = false;
  h.last_session.store(session, std::memory_order_release);
  h.session.store(session, std::memory_order_release);
  return {};
}

void Firmware::TakeStop(std::int64_t now_ns) noexcept {
  const auto kind = static_cast<StopKind>(segment_.header->stop.exchange(0, std::memory_order_acquire));
  if (kind == StopKind::kOnPath && state_ == CardState::kStreaming && !path_stop_asked_) {
    path_stop_asked_ = true;
    path_stop_deadline_ns_ = now_ns + static_cast<std::int64_t>(1e9 * config_.path_stop_s);
  }
  if (kind == StopKind::kOnPath && state_ == CardState::kReady) VoidSession();
  if (kind == StopKind::kOnPath && state_ == CardState::kHoming) BeginStop(StopKind::kRamp);  // there is no path
  if (kind == StopKind::kRamp || kind == StopKind::kQuick) BeginStop(kind);
  if (kind >= StopKind::kPowerOff && Go(CardEvent::kDisable)) {
    VoidSession();
    stop_kind_ = StopKind::kNone;
  }
  if (path_stop_asked_ && state_ == CardState::kStreaming && now_ns > path_stop_deadline_ns_)
    TripRamp(CardError(CardCode::kStopEscalated, -1, config_.path_stop_s, config_.path_stop_s));
}

void Firmware::WatchBridge(std::int64_t now_ns) noexcept {
  const std::uint64_t beat = segment_.header->bridge_beat.load(std::memory_order_acquire);
  if (beat != last_beat_ || !Powered(state_)) {
    last_beat_ = beat;
    last_beat_ns_ = now_ns;
    return;
  }
  const double silence = 1e-9 * static_cast<double>(now_ns - last_beat_ns_);
  if (silence > config_.watchdog_s && state_ != CardState::kStopping)
    TripRamp(CardError(CardCode::kWatchdog, -1, silence, config_.watchdog_s));
}

}  // namespace torqued
