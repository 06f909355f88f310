// The card as the bridge sees it: MotionCard over a segment, whoever runs the other side.
#pragma once

#include <functional>
#include <memory>

#include "client/card/motion_card.h"
#include "client/card/segment.h"

namespace torqued {

// What a RingCard cannot know from the memory: how time passes and whether the other side still exists.
class CardPeer {
 public:
  virtual ~CardPeer() = default;
  virtual std::int64_t NowNs() const noexcept = 0;
  virtual void Wait(std::int64_t ns) = 0;  // about `ns`, or one card cycle of a virtual clock
  virtual bool Alive() const = 0;
};

class RingCard : public MotionCard {
 public:
  // `peer` and the memory behind `view` must outlive the card.
  RingCard(const SegmentView& view, CardPeer* peer) : view_(view), peer_(peer) {}

  CardStatus Open() override;
  CardStatus Close() override { return Ask(CardCommand::kClose, 0); }
  CardInfo Info() override;
  CardStatus Enable(const AxisArray& hold_torque) override { return Ask(CardCommand::kEnable, 0, &hold_torque); }
  CardStatus Disable() override { return Ask(CardCommand::kDisable, 0); }
  CardStatus Home(std::uint32_t axis_mask) override;
  CardStatus ResetFault() override { return Ask(CardCommand::kResetFault, 0); }
  CardStatus Begin(std::uint32_t session) override { return Ask(CardCommand::kBegin, session); }
  CardStatus Start() override { return Ask(CardCommand::kStart, 0); }

  int Push(const SetPoint* points, int count, CardStatus* why) noexcept override;
  int Space() const noexcept override;
  void KeepAlive() noexcept override { view_.header->bridge_beat.fetch_add(1, std::memory_order_release); }

  bool Poll(Feedback* out) noexcept override {
    return RingPopFeedback(out);
  }

  void Stop(StopKind kind) noexcept override { RaiseStop(*view_.header, kind); }
  CardState State() const noexcept override {
    return static_cast<CardState>(view_.header->state.load(std::memory_order_acquire));
  }
  CardCounters Counters() const noexcept override { return ReadCounters(*view_.header); }
  std::int64_t NowNs() const noexcept override { return peer_->NowNs(); }
  void Wait(std::int64_t ns) override { peer_->Wait(ns); }

 private:
  bool RingPopFeedback(Feedback* out) noexcept;
  CardStatus Ask(CardCommand command, std::uint32_t argument, const AxisArray* hold_torque = nullptr);

  SegmentView view_;
  CardPeer* peer_;
};

// A card in another process, found by name. Owns the mapping and the bridge's lock.
absl::StatusOr<std::unique_ptr<MotionCard>> AttachCard(const std::string& name);

}  // namespace torqued
