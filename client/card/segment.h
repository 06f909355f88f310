// How do bridge and card talk? A memory layout that both map: two rings, a command slot, a few counters.
//
// The same layout serves the simulated card inside a process (private memory), the card in its own process and the
// LinuxCNC helper (POSIX shared memory). README.md of this folder documents it byte for byte for other authors.
//
//   CardSegment header (fixed size) | set-point ring | feedback ring
//
// Each ring has one producer and one consumer. `head` counts records written, `tail` records read, both only grow;
// a record is visible once `head` has passed it (release/acquire). Whoever dies in the middle of writing has not moved
// `head`, so no torn record is ever read. Nobody waits in the kernel: both sides poll.
// Ownership: an open-file-description lock on byte 0 (card) and byte 1 (bridge) of the segment's file. The kernel drops
// it when its process dies, however it dies, so a dead owner never blocks the next one.
// Both sides treat the other's numbers as unreliable: indices are masked, counts are checked, never trusted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/card/config.h"
#include "client/card/motion_card.h"

namespace torqued {

inline constexpr std::uint64_t kSegmentMagic = 0x4452414344515254;  // "TRQDCARD", little endian
inline constexpr std::uint32_t kSegmentVersion = 2;
inline constexpr std::size_t kConfigTextBytes = 16384;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

enum class CardCommand : std::uint32_t { kNone, kOpen, kClose, kEnable, kDisable, kHome, kResetFault, kBegin, kStart };

struct RingIndex {
  alignas(64) std::atomic<std::uint64_t> head{0};  // producer writes
  alignas(64) std::atomic<std::uint64_t> tail{0};  // consumer writes
};

// One control call at a time: the bridge fills it in and increments `asked`; the card answers and sets `answered`.
struct CommandSlot {
  alignas(64) std::atomic<std::uint64_t> asked{0};
  CardCommand command = CardCommand::kNone;
  std::uint32_t argument = 0;         // axis mask or session
  std::uint64_t queue_head = 0;       // kBegin: set-points before this place belong to the past
  AxisArray hold_torque{};            // kEnable
  alignas(64) std::atomic<std::uint64_t> answered{0};
  CardStatus answer;
  CardStatus cause;                   // latched first cause at the time of the answer
};

// The newest feedback record, for readers that must not take records from the bridge's ring. One writer. A reader that was
// overtaken in the middle sees the version change (odd: being written) and tries again.
struct NewestFeedback {
  static_assert(sizeof(Feedback) % 8 == 0);
  alignas(64) std::atomic<std::uint64_t> version{0};
  std::array<std::atomic<std::uint64_t>, sizeof(Feedback) / 8> words{};

  void Write(const Feedback& f) noexcept;
  bool Read(Feedback* out) const noexcept;  // false: none yet, or overtaken again and again
};

struct CardSegment {
  // Written once by the card before `magic`.
  std::atomic<std::uint64_t> magic{0};
  std::uint32_t version = 0;
  std::uint32_t header_bytes = 0;
  std::uint32_t setpoint_bytes = 0, feedback_bytes = 0;
  std::uint32_t setpoint_capacity = 0, feedback_capacity = 0;  // powers of two
  std::uint32_t axes = 0;
  std::atomic<std::uint32_t> real_time{0};
  std::int64_t cycle_ns = 0;
  std::int64_t command_timeout_ns = 0;
  std::int64_t watchdog_ns = 0;
  AxisArray resolution{};
  char driver[32] = {};
  char description[96] = {};
  char config[kConfigTextBytes] = {};          // the card's configuration as YAML, ends with a zero; empty: too long

  // Card -> bridge, written every cycle.
  alignas(64) std::atomic<std::uint64_t> cycle{0};
  std::atomic<std::uint32_t> state{0};
  std::atomic<std::uint32_t> session{0};       // 0: none is valid
  std::atomic<std::uint32_t> last_session{0};
  std::atomic<std::uint32_t> homed{0};
  std::atomic<std::uint64_t> executed{0}, voided{0}, faults{0}, feedback_dropped{0}, overruns{0};
  std::atomic<std::int64_t> worst_lateness_ns{0};
  std::array<std::atomic<double>, kMaxAxes> peak_following_error{};

  // Bridge -> card.
  alignas(64) std::atomic<std::uint64_t> bridge_beat{0};
  std::atomic<std::uint32_t> stop{0};          // StopKind; raised by the bridge, taken to 0 by the card
  CommandSlot slot;

  RingIndex setpoints, feedback;
  NewestFeedback newest;
};

// A mapped segment; a view of memory that somebody else owns when copied.
struct SegmentView {
  CardSegment* header = nullptr;
  SetPoint* setpoints = nullptr;
  Feedback* feedback = nullptr;
  std::uint64_t setpoint_capacity = 0, feedback_capacity = 0;  // this side's own copy: never re-read from the segment
};

// What anyone may do with a segment: read its counters, ask for a stop (which escalates, never weakens).
CardCounters ReadCounters(const CardSegment& segment) noexcept;
void RaiseStop(CardSegment& segment, StopKind kind) noexcept;

std::size_t SegmentBytes(int setpoint_capacity, int feedback_capacity);
// Lays a fresh segment into zeroed memory of SegmentBytes and publishes it. Card side.
SegmentView FormatSegment(void* memory, const CardConfig& config, const std::string& driver, const std::string& description);
// UNAVAILABLE not published yet, INTERNAL another layout, INVALID_ARGUMENT too small. Bridge side.
absl::StatusOr<SegmentView> ViewSegment(void* memory, std::size_t bytes);

// POSIX shared memory `/name`, mapped; unmapped and unlocked by the destructor.
class SharedSegment {
 public:
  // Card side: removes what a dead card left, makes a new segment, holds byte 0. UNAVAILABLE: a living card has that name.
  static absl::StatusOr<std::unique_ptr<SharedSegment>> Create(const std::string& name, const CardConfig& config,
                                                              const std::string& driver, const std::string& description);
  // Bridge side: holds byte 1. NOT_FOUND no such card, UNAVAILABLE the card is dead or another bridge has it.
  static absl::StatusOr<std::unique_ptr<SharedSegment>> Attach(const std::string& name);
  // Reads only, takes no lock: for watching.
  static absl::StatusOr<std::unique_ptr<SharedSegment>> Watch(const std::string& name);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  const SegmentView& view() const { return view_; }
  // Is the process alive that holds byte 0? One system call; not for the cyclic path.
  bool CardAlive() const;
  // Has a bridge attached (byte 1)? One system call.
  bool BridgeAttached() const;

 private:
  SharedSegment() = default;
  std::string name_;
  int fd_ = -1;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool owner_ = false;
  SegmentView view_;
};

// Names of the cards that live on this machine.
std::vector<std::string> ListCards();

}  // namespace torqued
