#include "client/card/ring_card.h"

#include <time.h>

#include <algorithm>

#include "client/card/ring.h"

namespace torqued {

CardStatus RingCard::Ask(CardCommand command, std::uint32_t argument, const AxisArray* hold_torque) {
  CardSegment& h = *view_.header;
  CommandSlot& slot = h.slot;
  // A predecessor may have died between asking and the answer: the slot is free once the card has caught up.
  const std::int64_t began = NowNs();
  const std::int64_t patience = h.command_timeout_ns;
  const auto late = [&] { return NowNs() - began > patience; };
  const auto timeout = [&] {
    return CardError(peer_->Alive() ? CardCode::kTimeout : CardCode::kCardLost, -1, 1e-9 * (NowNs() - began), 1e-9 * patience);
  };
  while (slot.answered.load(std::memory_order_acquire) != slot.asked.load(std::memory_order_relaxed)) {
    if (late()) return timeout();
    Wait(h.cycle_ns);
  }
  slot.command = command;
  slot.argument = argument;
  slot.queue_head = h.setpoints.head.load(std::memory_order_relaxed);
  slot.hold_torque = hold_torque ? *hold_torque : AxisArray{};
  const std::uint64_t ticket = slot.asked.load(std::memory_order_relaxed) + 1;
  KeepAlive();
  slot.asked.store(ticket, std::memory_order_release);
  while (slot.answered.load(std::memory_order_acquire) != ticket) {
    if (late()) return timeout();
    KeepAlive();
    Wait(h.cycle_ns);
  }
  return slot.answer;
}

CardStatus RingCard::Open() {
  const CardStatus status = Ask(CardCommand::kOpen, 0);
  if (!status.ok()) return status;
  Feedback stale;  // what an earlier bridge did not read
  while (RingPopFeedback(&stale)) {
  }
  return status;
}

CardInfo RingCard::Info() {
  const CardSegment& h = *view_.header;
  const CardStatus asked = Ask(CardCommand::kNone, 0);  // fetches the latched cause
  CardInfo info;
  info.driver = std::string(h.driver, strnlen(h.driver, sizeof(h.driver)));
  info.description = std::string(h.description, strnlen(h.description, sizeof(h.description)));
  info.axes = static_cast<int>(std::min<std::uint32_t>(h.axes, kMaxAxes));
  info.cycle_s = 1e-9 * h.cycle_ns;
  info.queue_capacity = static_cast<int>(view_.setpoint_capacity);
  info.feedback_capacity = static_cast<int>(view_.feedback_capacity);
  info.last_session = h.last_session.load(std::memory_order_acquire);
  info.homed = h.homed.load(std::memory_order_acquire);
  info.real_time = h.real_time.load() != 0;
  info.resolution = h.resolution;
  info.cause = asked.ok() ? h.slot.cause : asked;
  return info;
}

CardStatus RingCard::Home(std::uint32_t axis_mask) {
  const CardStatus asked = Ask(CardCommand::kHome, axis_mask);
  if (!asked.ok()) return asked;
  const CardSegment& h = *view_.header;
  std::uint64_t cycle = h.cycle.load();
  std::int64_t moved = NowNs();
  while (State() == CardState::kHoming || State() == CardState::kStopping) {
    KeepAlive();
    Wait(h.cycle_ns);
    if (const std::uint64_t now = h.cycle.load(); now != cycle) cycle = now, moved = NowNs();
    if (NowNs() - moved > h.command_timeout_ns)
      return CardError(CardCode::kCardLost, -1, 1e-9 * (NowNs() - moved), 1e-9 * h.command_timeout_ns);
  }
  if ((h.homed.load() & axis_mask) == axis_mask && State() == CardState::kReady) return {};
  const CardStatus again = Ask(CardCommand::kNone, 0);  // the answer carries the latched cause
  if (!again.ok()) return again;
  const CardStatus cause = h.slot.cause;
  return cause.ok() ? CardError(CardCode::kNotHomed) : cause;
}

int RingCard::Push(const SetPoint* points, int count, CardStatus* why) noexcept {
  CardSegment& h = *view_.header;
  if (why) *why = {};
  const std::uint32_t session = h.session.load(std::memory_order_acquire);
  int taken = 0;
  for (; taken < count; ++taken) {
    if (session == 0) {
      if (why) *why = CardError(CardCode::kNoSession, -1, points[taken].session);
      break;
    }
    if (!RingPush(h.setpoints, view_.setpoints, view_.setpoint_capacity, points[taken])) {
      if (why) *why = CardError(RingCount(h.setpoints) > view_.setpoint_capacity ? CardCode::kProtocol : CardCode::kQueueFull);
      break;
    }
  }
  KeepAlive();
  return taken;
}

int RingCard::Space() const noexcept {
  const std::uint64_t count = RingCount(view_.header->setpoints);
  return count > view_.setpoint_capacity ? 0 : static_cast<int>(view_.setpoint_capacity - count);
}

bool RingCard::RingPopFeedback(Feedback* out) noexcept {
  return RingPop(view_.header->feedback, view_.feedback, view_.feedback_capacity, out);
}

namespace {

class AttachedCard : public CardPeer, public RingCard {
 public:
  explicit AttachedCard(std::unique_ptr<SharedSegment> segment)
      : RingCard(segment->view(), this), segment_(std::move(segment)) {}
  std::int64_t NowNs() const noexcept override {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
  }
  void Wait(std::int64_t ns) override {
    const timespec t{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
  }
  bool Alive() const override { return segment_->CardAlive(); }

 private:
  std::unique_ptr<SharedSegment> segment_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MotionCard>> AttachCard(const std::string& name) {
  auto segment = SharedSegment::Attach(name);
  if (!segment.ok()) return segment.status();
  return std::unique_ptr<MotionCard>(new AttachedCard(*std::move(segment)));
}

}  // namespace torqued
