#include "client/card/status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace torqued {

const char* Name(CardCode code) {
  switch (code) {
    case CardCode::kOk: return "ok";
    case CardCode::kWrongState: return "wrong-state";
    case CardCode::kTimeout: return "timeout";
    case CardCode::kBadArgument: return "bad-argument";
    case CardCode::kNoSession: return "no-session";
    case CardCode::kQueueFull: return "queue-full";
    case CardCode::kNothingQueued: return "nothing-queued";
    case CardCode::kNotHomed: return "not-homed";
    case CardCode::kBusy: return "busy";
    case CardCode::kProtocol: return "protocol";
    case CardCode::kCardLost: return "card-lost";
    case CardCode::kUnsupported: return "unsupported";
    case CardCode::kBlocked: return "blocked";
    case CardCode::kSequenceGap: return "sequence-gap";
    case CardCode::kSequenceRepeat: return "sequence-repeat";
    case CardCode::kOldSession: return "old-session";
    case CardCode::kNotFinite: return "not-finite";
    case CardCode::kPositionLimit: return "position-limit";
    case CardCode::kVelocityLimit: return "velocity-limit";
    case CardCode::kAccelerationLimit: return "acceleration-limit";
    case CardCode::kTorqueLimit: return "torque-limit";
    case CardCode::kJump: return "jump";
    case CardCode::kStartMismatch: return "start-mismatch";
    case CardCode::kEndsMoving: return "ends-moving";
    case CardCode::kStarved: return "starved";
    case CardCode::kWatchdog: return "watchdog";
    case CardCode::kFollowingError: return "following-error";
    case CardCode::kEmergencyStop: return "emergency-stop";
    case CardCode::kDriveFault: return "drive-fault";
    case CardCode::kLimitSwitch: return "limit-switch";
    case CardCode::kHomingFailed: return "homing-failed";
    case CardCode::kFeedbackInvalid: return "feedback-invalid";
    case CardCode::kPathTolerance: return "path-tolerance";
    case CardCode::kGoalTolerance: return "goal-tolerance";
    case CardCode::kFeedbackLost: return "feedback-lost";
    case CardCode::kTorqueSourceLate: return "torque-source-late";
    case CardCode::kStopEscalated: return "stop-escalated";
  }
  return "unknown";
}

std::string ToString(const CardStatus& s, const std::string& joint_name) {
  if (s.ok()) return "ok";
  std::string out = Name(s.code);
  absl::StrAppend(&out, ":");
  if (s.joint >= 0) absl::StrAppend(&out, " joint ", joint_name.empty() ? absl::StrCat(s.joint) : joint_name);
  absl::StrAppendFormat(&out, " at cycle %d: %.9g, limit %.9g", s.cycle, s.value, s.limit);
  if (s.vendor != 0) absl::StrAppend(&out, ", vendor code ", s.vendor);
  return out;
}

absl::Status ToAbslStatus(const CardStatus& s, const std::string& joint_name) {
  if (s.ok()) return absl::OkStatus();
  const std::string text = ToString(s, joint_name);
  switch (s.code) {
    case CardCode::kBadArgument:
    case CardCode::kNotFinite:
    case CardCode::kPositionLimit:
    case CardCode::kVelocityLimit:
    case CardCode::kAccelerationLimit:
    case CardCode::kTorqueLimit:
    case CardCode::kJump:
    case CardCode::kEndsMoving: return absl::InvalidArgumentError(text);
    case CardCode::kWrongState:
    case CardCode::kNoSession:
    case CardCode::kNothingQueued:
    case CardCode::kNotHomed:
    case CardCode::kStartMismatch:
    case CardCode::kBlocked: return absl::FailedPreconditionError(text);
    case CardCode::kBusy:
    case CardCode::kCardLost: return absl::UnavailableError(text);
    case CardCode::kTimeout: return absl::DeadlineExceededError(text);
    case CardCode::kQueueFull: return absl::ResourceExhaustedError(text);
    case CardCode::kUnsupported: return absl::UnimplementedError(text);
    case CardCode::kProtocol: return absl::InternalError(text);
    default: return absl::AbortedError(text);
  }
}

}  // namespace torqued
