// What can every motion-control card do? One set-point per cycle in, one feedback record per cycle out.
//
// Four roles, one thread each at any time (they may be the same thread):
//   control    Open, Close, Info, Enable, Disable, Home, ResetFault, Begin, Start: may block up to the card's time-out
//   streaming  Push, Space, KeepAlive: wait-free, no allocation
//   feedback   Poll: wait-free, no allocation; exactly one record per card cycle, so a jump in `cycle` is lost feedback
//   anyone     Stop, State, Counters: wait-free, callable from every thread and from a signal handler
//
// SI units and the robot's coordinates everywhere; counts, gear, sign and zero exist only inside a driver. Nothing throws.
// A refused call changes nothing. A disable, a fault, a stop or a new Open voids the session: set-points that are still
// queued are never executed, and nothing resumes by itself.
//
// Order of a motion: Open, Enable, (Home), Begin(session), Push..., Start, Push... until a set-point with kLastSetPoint.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "client/card/state.h"
#include "client/card/status.h"

namespace torqued {

inline constexpr int kMaxAxes = 12;
using AxisArray = std::array<double, kMaxAxes>;  // [axes used]; the rest is zero

inline constexpr std::uint32_t kLastSetPoint = 1;  // SetPoint::flags: the motion ends here, at rest

// What the robot shall do in one card cycle.
struct SetPoint {
  std::uint64_t sequence = 0;  // 1, 2, 3, ... within the session; a gap or a repeat is a fault
  std::uint32_t session = 0;
  std::uint32_t flags = 0;
  AxisArray q{};               // [rad] or [m]
  AxisArray v{};               // [rad/s] or [m/s]
  AxisArray tau{};             // feed-forward [Nm] or [N]
};
static_assert(std::is_trivially_copyable_v<SetPoint>);

// Feedback::flags.
inline constexpr std::uint32_t kPowerOn = 1;
inline constexpr std::uint32_t kExecuted = 2;          // this cycle executed `sequence`
inline constexpr std::uint32_t kSaturated = 4;         // at least one torque command was clipped at its limit
inline constexpr std::uint32_t kPathStopAsked = 8;     // somebody called Stop(kOnPath)
inline constexpr std::uint32_t kEmergencyOpen = 16;    // the safety chain is open
inline constexpr std::uint32_t kAllHomed = 32;

// What happened in one card cycle. q and v were measured at its beginning; the commands hold from then on.
struct Feedback {
  std::uint64_t cycle = 0;         // counts every cycle of the card
  std::uint64_t sequence = 0;      // last executed set-point of the session
  std::uint32_t session = 0;
  std::uint32_t flags = 0;
  std::uint32_t queued = 0;        // set-points waiting
  CardState state = CardState::kOffline;
  std::int64_t time_ns = 0;        // the card's clock
  std::int64_t lateness_ns = 0;    // start of the cycle against its schedule
  AxisArray q_command{}, v_command{};
  AxisArray q{}, v{};              // measured
  AxisArray tau_feed_forward{};    // as executed
  AxisArray tau_command{};         // feed-forward + position loop, clipped
  AxisArray tau{};                 // measured or, where a drive does not tell, as commanded
  CardStatus cause;                // latched first cause; ok while there is none
};
static_assert(std::is_trivially_copyable_v<Feedback>);

struct CardInfo {
  std::string driver;              // "sim", "linuxcnc"
  std::string description;
  int axes = 0;
  double cycle_s = 0;
  int queue_capacity = 0;          // set-points
  int feedback_capacity = 0;       // records
  std::uint32_t last_session = 0;  // Begin wants a greater one
  std::uint32_t homed = 0;         // bit per axis
  bool real_time = false;          // the cyclic thread has real-time scheduling and locked memory
  AxisArray resolution{};          // one encoder count [rad] or [m]; 0: unknown
  CardStatus cause;
};

struct CardCounters {
  std::uint64_t cycles = 0;
  std::uint64_t executed = 0;         // set-points, all sessions
  std::uint64_t voided = 0;           // queued set-points that were thrown away with their session
  std::uint64_t faults = 0;
  std::uint64_t feedback_dropped = 0; // records for which the feedback queue had no room
  std::uint64_t overruns = 0;         // cycles that began more than one period late
  std::int64_t worst_lateness_ns = 0;
  AxisArray peak_following_error{};   // since the last ResetFault or Open [rad] or [m]
};

class MotionCard {
 public:
  virtual ~MotionCard() = default;

  // Control. Codes: kWrongState, kTimeout, kBusy, kProtocol, kBadArgument besides those named.
  virtual CardStatus Open() = 0;
  virtual CardStatus Close() = 0;
  virtual CardInfo Info() = 0;
  // Command := measured, then power on. hold_torque: what keeps the robot at rest here (gravity), zero where unknown.
  virtual CardStatus Enable(const AxisArray& hold_torque) = 0;
  virtual CardStatus Disable() = 0;
  virtual CardStatus Home(std::uint32_t axis_mask) = 0;  // returns when homed; kHomingFailed
  virtual CardStatus ResetFault() = 0;                   // kEmergencyStop while the chain is open
  virtual CardStatus Begin(std::uint32_t session) = 0;   // empties the queue; kNotHomed
  virtual CardStatus Start() = 0;                        // kNothingQueued

  // Streaming. Push takes as many as there is room for, in order, and returns how many; `why` tells what kept the rest.
  virtual int Push(const SetPoint* points, int count, CardStatus* why) noexcept = 0;
  virtual int Space() const noexcept = 0;
  virtual void KeepAlive() noexcept = 0;  // within the card's watchdog time, also while nothing is pushed

  // Feedback. False when there is no new record.
  virtual bool Poll(Feedback* out) noexcept = 0;

  // Anyone.
  virtual void Stop(StopKind kind) noexcept = 0;
  virtual CardState State() const noexcept = 0;
  virtual CardCounters Counters() const noexcept = 0;
  // The clock that the bridge's time-outs run on [ns]; a simulated card may have its own.
  virtual std::int64_t NowNs() const noexcept = 0;
  virtual bool HasVirtualClock() const noexcept { return false; }
  // Control thread: lets time pass, at most `ns`; a virtual clock runs the card's cycles meanwhile.
  virtual void Wait(std::int64_t ns) = 0;
};

}  // namespace torqued
