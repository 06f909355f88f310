// What is going on at one moment of a plan? In words and numbers, for a person.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/path_timing.h"

namespace torqued {

struct JointExplanation {
  std::string name;
  double q = 0, v = 0, a = 0;
  double torque = 0, limit = 0;                   // limit infinite: none
  double from_acceleration = 0, from_speed = 0;   // m u, c x
  double gravity = 0, friction = 0;               // add up to torque with the two above
};

struct Explanation {
  double t = 0, s = 0, path_speed = 0, path_acceleration = 0;
  double fastest = 0;             // largest path speed from which the rest can still be run
  double slowest = 0;             // smallest; above 0: the robot can pass here but not stop
  double least_acceleration = 0, most_acceleration = 0;  // of the path, that the limits allow at this speed
  std::string binding;            // the limit in force
  std::vector<JointExplanation> joints;
  std::string text;               // all of it, readable
};

// t [s] in [0, duration]. INVALID_ARGUMENT: outside; FAILED_PRECONDITION: the plan has no length or no torque coefficients.
absl::StatusOr<Explanation> ExplainAt(const TimedPath& timed, double t);

// The same for a moment of any trajectory, from its own samples.
struct Moment {
  double t = 0;
  std::vector<JointExplanation> joints;
  std::string nearest;       // the limit that is used most: "torque of elbow"; empty: nothing is limited
  double nearest_share = 0;  // value over that limit
};

// t [s], clamped to the trajectory's ends. Two calls of the source. REQUIRES: CheckShape ok, joints in the source's order, as many
// limits. Errors of the source pass through; ABORTED: the model changed between its calls.
absl::StatusOr<Moment> ExplainMoment(DynamicsSource& source, const Trajectory& trajectory, const MotionLimits& limits, double t);

}  // namespace torqued
