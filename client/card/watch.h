// What is a card doing, without being its bridge? Reads along beside whoever owns it; the only thing it may do is stop it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/card/segment.h"

namespace torqued {

class CardWatch {
 public:
  // NOT_FOUND no such card, UNAVAILABLE its process is dead or not ready, INTERNAL another layout.
  static absl::StatusOr<std::unique_ptr<CardWatch>> Open(const std::string& name);

  // As the card itself was given it. NOT_FOUND: longer than the segment has room for.
  absl::StatusOr<CardConfig> Config() const;
  std::string Driver() const;
  std::string Description() const;
  CardState State() const { return static_cast<CardState>(header().state.load(std::memory_order_acquire)); }
  CardCounters Counters() const { return ReadCounters(header()); }
  // The newest cycle's record. False: there was no cycle yet.
  bool Newest(Feedback* out) const { return header().newest.Read(out); }
  std::uint32_t Homed() const { return header().homed.load(std::memory_order_acquire); }  // bit per axis
  bool StopPending() const { return header().stop.load(std::memory_order_acquire) != 0; }   // asked, not yet taken by the card
  bool CardAlive() const { return segment_->CardAlive(); }
  bool BridgeAttached() const { return segment_->BridgeAttached(); }
  bool RealTime() const { return header().real_time.load() != 0; }
  // Escalates, never weakens; whoever owns the card.
  void Stop(StopKind kind) { RaiseStop(*segment_->view().header, kind); }

 private:
  explicit CardWatch(std::unique_ptr<SharedSegment> segment) : segment_(std::move(segment)) {}
  const CardSegment& header() const { return *segment_->view().header; }

  std::unique_ptr<SharedSegment> segment_;
};

}  // namespace torqued
