// What went wrong on the card, on which joint, in which cycle, by how much? A status that may cross a ring.
//
// CardStatus is trivially copyable: it travels inside feedback records, through shared memory and out of the cyclic
// thread without an allocation. The first cause of a fault is latched by the card; later ones are consequences.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"

namespace torqued {

// Numbers are part of the shared-memory layout (segment.h) and of recordings: append only.
enum class CardCode : std::int32_t {
  kOk = 0,
  kWrongState = 1,         // the call is not legal in this state; value = state
  kTimeout = 2,            // a control call was not answered in time; limit = time-out [s]
  kBadArgument = 3,        // malformed call (axis count, mask, session not newer than the last)
  kNoSession = 4,          // set-points without a begun session
  kQueueFull = 5,          // back-pressure: value = free places
  kNothingQueued = 6,      // start without a set-point
  kNotHomed = 7,           // joint has no position reference
  kBusy = 8,               // another bridge owns the card
  kProtocol = 9,           // the other side speaks another layout or corrupts the ring
  kCardLost = 10,          // the card's cycle stands still; value = silence [s], limit [s]
  kUnsupported = 11,       // this driver cannot do that
  kBlocked = 12,           // an earlier segment failed and was not acknowledged

  kSequenceGap = 20,       // value = received, limit = expected
  kSequenceRepeat = 21,    // value = received, limit = expected
  kOldSession = 22,        // value = received, limit = current
  kNotFinite = 23,         // a set-point holds NaN or infinity
  kPositionLimit = 24,     // [rad] or [m]
  kVelocityLimit = 25,     // [rad/s] or [m/s]
  kAccelerationLimit = 26, // [rad/s^2] or [m/s^2]
  kTorqueLimit = 27,       // [Nm] or [N]
  kJump = 28,              // position step that the stated velocities do not explain [rad] or [m]
  kStartMismatch = 29,     // first set-point is not where the robot stands [rad] or [m]
  kEndsMoving = 30,        // last set-point has a velocity [rad/s] or [m/s]

  kStarved = 40,           // the queue ran dry while streaming; value = executed set-points
  kWatchdog = 41,          // the bridge was silent; value = silence [s], limit [s]
  kFollowingError = 42,    // [rad] or [m]
  kEmergencyStop = 43,     // the safety chain is open
  kDriveFault = 44,        // vendor = the drive's own code
  kLimitSwitch = 45,       // value = +1 or -1: which end
  kHomingFailed = 46,      // switch not found within the travel; value = travel [rad] or [m]
  kFeedbackInvalid = 47,   // the measured position is not finite

  kPathTolerance = 60,     // seen by the bridge [rad] or [m]
  kGoalTolerance = 61,     // not at the goal, or not at rest there, in time [rad] or [m], [rad/s] or [m/s]
  kFeedbackLost = 62,      // value = missing records
  kTorqueSourceLate = 63,  // closed loop: answers missed in a row; value = misses, limit
  kStopEscalated = 64,     // the path stop was not finished in time; value = seconds given
};

const char* Name(CardCode code);

struct CardStatus {
  CardCode code = CardCode::kOk;
  std::int32_t joint = -1;      // axis; -1: the whole card
  std::uint64_t cycle = 0;      // card cycle at which it was seen
  double value = 0;             // what was found, unit by code
  double limit = 0;             // what was allowed
  std::int64_t vendor = 0;      // a driver's own error number

  bool ok() const { return code == CardCode::kOk; }
};
static_assert(std::is_trivially_copyable_v<CardStatus>);

inline CardStatus CardError(CardCode code, int joint = -1, double value = 0, double limit = 0) {
  CardStatus s;
  s.code = code;
  s.joint = joint;
  s.value = value;
  s.limit = limit;
  return s;
}

// "following-error: joint 2 at cycle 1834: 0.0123, limit 0.01". `joint_name` replaces the number where it is given.
std::string ToString(const CardStatus& status, const std::string& joint_name = "");

// For callers outside the cyclic path. The code tells who has to act: INVALID_ARGUMENT the set-points, FAILED_PRECONDITION
// the order of calls, UNAVAILABLE the other side, DEADLINE_EXCEEDED time, ABORTED a fault of the motion.
absl::Status ToAbslStatus(const CardStatus& status, const std::string& joint_name = "");

}  // namespace torqued
