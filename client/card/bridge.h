// Feeds a motion to the card, set-point by set-point, and watches what comes back until it is over, one way or another.
//
// Roles (motion_card.h): Start is the control role. Tick is the streaming and feedback role, once per bridge cycle: it reads all
// feedback, fills the card's queue up to the lead, and keeps the watchdog quiet; it does not allocate, lock, log or call the
// system. SetOverride, Pause, Resume, Stop and Progress may be called by anyone.
// A motion that failed blocks the next one until Acknowledge (no silent success); a motion that was stopped on the path by its
// user does not.
#pragma once

#include <atomic>
#include <vector>

#include "client/card/config.h"
#include "client/card/motion_source.h"
#include "client/card/recorder.h"

namespace torqued {

struct BridgeOptions {
  int lead = 100;                 // set-points kept in the card's queue; bounded by its capacity
  int low_water = 25;             // fewer than this while streaming is counted
  double goal_time_s = 1.0;       // from the last set-point to position and standstill
  AxisArray goal_tolerance{};     // 0: the axis' in-position band [rad] or [m]
  AxisArray path_tolerance{};     // 0: not watched here (the card watches its own law) [rad] or [m]
  double card_silence_s = 0.1;    // without a feedback record: the card is lost
  int lost_feedback_limit = 100;  // records missing in one motion: stop on the path
};

// Torque for each set-point of a closed loop, from somewhere that may be late. Called in the cyclic thread.
class TorqueOverlay {
 public:
  virtual ~TorqueOverlay() = default;
  // The set-point `sequence` will be pushed in the next tick at the earliest; `measured` is the newest feedback.
  virtual void Ask(std::uint64_t sequence, const MotionSample& sample, const Feedback& measured) noexcept = 0;
  // Replaces sample->tau. False: stop on the path (kTorqueSourceLate).
  virtual bool Take(std::uint64_t sequence, bool streaming, MotionSample* sample) noexcept = 0;
  virtual int consecutive_misses() const noexcept = 0;
};

enum class Outcome {
  kNone,           // nothing was started
  kRunning,
  kDone,           // at the goal, at rest, in time
  kStoppedOnPath,  // as asked
  kStopped,        // by a ramp or power off, as asked
  kFailed,         // `cause` tells
};
const char* Name(Outcome outcome);

struct BridgeProgress {
  double path_s = 0, duration_s = 0;  // on the path, at full pace
  double pace = 0;
  std::uint64_t executed = 0, planned = 0;  // planned at full pace
  int queued = 0;
};

class Bridge {
 public:
  // All must outlive the bridge; configuration and card agree in axes and cycle. `recorder`, `overlay` may be null.
  Bridge(MotionCard* card, const CardConfig& config, const BridgeOptions& options, Recorder* recorder);

  // Start check, session, pre-fill, go. The card is Ready. Codes: kStartMismatch, kBlocked, kWrongState, and the card's own.
  CardStatus Start(MotionSource* source, TorqueOverlay* overlay = nullptr);
  // True while the motion goes on. `lateness_ns`: of this tick.
  bool Tick(std::int64_t lateness_ns = 0) noexcept;

  void SetOverride(double share) noexcept { override_.store(share); }  // clamped to 0..1
  void Pause() noexcept { paused_.store(true); }
  void Resume() noexcept { paused_.store(false); }
  void Stop(StopKind kind) noexcept;
  BridgeProgress Progress() const noexcept;

  Outcome outcome() const noexcept { return outcome_.load(); }
  CardStatus cause() const { return cause_; }          // once Tick has returned false
  void Acknowledge() { blocked_ = {}; }
  const RunStatistics& statistics() const { return statistics_; }
  int low_water_cycles() const { return low_water_cycles_; }
  int shortest_queue() const { return shortest_queue_; }
  double settling_s() const { return settling_s_; }

 private:
  enum class Phase { kIdle, kStreaming, kSettling, kEnding };
  struct Pushed {  // what the bridge knows about a set-point that is in the queue
    double path_s = 0, pace = 0;
  };

  void Read(const Feedback& f, std::int64_t lateness_ns) noexcept;
  void Watch(const Feedback& f) noexcept;
  void Settle(const Feedback& f) noexcept;
  void Fill(int room) noexcept;
  void Generate() noexcept;
  void Fail(CardStatus why) noexcept;
  void Finish(Outcome outcome) noexcept;

  MotionCard* card_;
  const CardConfig& config_;
  BridgeOptions options_;
  Recorder* recorder_;
  MotionSource* source_ = nullptr;
  TorqueOverlay* overlay_ = nullptr;
  int axes_, capacity_ = 0, lead_ = 0;

  Phase phase_ = Phase::kIdle;
  std::atomic<Outcome> outcome_{Outcome::kNone};
  CardStatus cause_, blocked_;
  std::uint32_t session_ = 0;
  std::uint64_t generated_ = 0, last_sequence_ = 0;   // last_sequence_: of the set-point that ends the motion
  MotionSample next_;
  SetPoint waiting_;          // generated, not yet taken by the card
  bool has_waiting_ = false, has_torque_ = false, stopping_ = false;
  std::vector<Pushed> pushed_;
  Feedback newest_;
  std::int64_t last_feedback_ns_ = 0, settle_since_ns_ = 0;
  double settling_s_ = 0;
  RunStatistics statistics_;
  int low_water_cycles_ = 0, shortest_queue_ = 0;

  std::atomic<double> override_{1};
  std::atomic<bool> paused_{false};
  std::atomic<std::uint32_t> stop_{0};
  std::atomic<double> path_s_{0}, pace_{0};
  std::atomic<std::uint64_t> executed_{0}, planned_{0};
  std::atomic<int> queued_{0};
};

}  // namespace torqued
