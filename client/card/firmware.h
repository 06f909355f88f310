// What does a card do in each cycle? The card's side of the protocol: one call per cycle, from segment and drive to drive.
//
// Order within a cycle: read the drive, take a control call, take a stop, watch the bridge, execute one set-point (or ramp,
// home, hold), check the following error, close the position loop, write one feedback record.
// Deterministic: it sees no clock but `now_ns`. Does not allocate, lock, log or call the system.
#pragma once

#include "client/card/controlled_stop.h"
#include "client/card/homing.h"
#include "client/card/last_hop.h"
#include "client/card/segment.h"

namespace torqued {

// From the drives, in SI and joint coordinates of the encoder (before homing).
struct DriveInput {
  AxisArray q{}, v{}, tau{};
  std::uint32_t home_switch = 0;   // bit per axis
  std::uint32_t limit_low = 0, limit_high = 0;
  std::uint32_t fault = 0;         // bit per axis
  std::int64_t fault_code = 0;     // the drive's own number
  bool emergency_stop = false;
};

// To the drives. q in the same coordinates as DriveInput; a drive with its own position loop takes q and v, else tau.
struct DriveOutput {
  bool power = false;              // false: power off, brakes on
  AxisArray q{}, v{};
  AxisArray tau_feed_forward{};
  AxisArray tau{};                 // feed-forward + kp (q_c - q) + kd (v_c - v), clipped at the torque limit
};

class Firmware {
 public:
  // The configuration has passed CheckCardConfig. `segment` is kept by reference: it must outlive the firmware.
  Firmware(const CardConfig& config, const SegmentView& segment);

  void Cycle(const DriveInput& in, std::int64_t now_ns, std::int64_t lateness_ns, DriveOutput& out) noexcept;

  CardState state() const { return state_; }
  std::uint64_t cycle() const { return cycle_; }

 private:
  void ReadDrive(const DriveInput& in) noexcept;
  void TakeCommand(std::int64_t now_ns) noexcept;
  CardStatus Execute(const CommandSlot& slot, std::int64_t now_ns) noexcept;
  CardStatus BeginSession(std::uint32_t session, std::uint64_t queue_head) noexcept;
  void TakeStop(std::int64_t now_ns) noexcept;
  void WatchBridge(std::int64_t now_ns) noexcept;
  void Move(const DriveInput& in) noexcept;
  void Stream() noexcept;
  void Ramp() noexcept;
  void HomeStep(const DriveInput& in) noexcept;
  bool Follows(const AxisArray& q_command, const AxisArray& v_command) noexcept;  // false: tripped
  void CloseLoop(DriveOutput& out) noexcept;
  void Publish(std::int64_t now_ns, std::int64_t lateness_ns) noexcept;

  void Latch(CardStatus why) noexcept;       // first cause only
  void TripOff(const CardStatus& why) noexcept;   // power off now
  void TripRamp(const CardStatus& why, StopKind kind = StopKind::kRamp) noexcept;  // ride it out with a controlled stop, then power off
  void BeginStop(StopKind kind) noexcept;
  void VoidSession() noexcept;
  bool Go(CardEvent event) noexcept;

  const CardConfig config_;
  const SegmentView& segment_;
  const int axes_;

  CardState state_ = CardState::kOffline;
  CardStatus cause_;
  std::uint64_t cycle_ = 0;
  DriveInput in_;

  LastHopExpectation want_;
  std::uint64_t executed_in_session_ = 0;
  bool executed_now_ = false, saturated_ = false, path_stop_asked_ = false, emergency_ = false;
  std::int64_t path_stop_deadline_ns_ = 0;
  int hold_left_ = 0;
  bool starved_ = false;
  StopKind stop_kind_ = StopKind::kNone;
  ControlledStop stop_;
  HomingSequence homing_;
  std::uint32_t homed_ = 0;

  AxisArray offset_{};                        // homing: joint = encoder + offset
  AxisArray q_{}, v_{};                       // measured
  AxisArray q_command_{}, v_command_{}, feed_forward_{}, tau_{}, hold_{};
  std::array<int, kMaxAxes> outside_{};       // consecutive cycles outside the following-error limit
  AxisArray peak_following_{};

  std::uint64_t last_beat_ = 0;
  std::int64_t last_beat_ns_ = 0;
};

}  // namespace torqued
