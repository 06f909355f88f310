// Why is there no timing at all? Place, joint, what would be needed: carried as a payload of the returned status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace torqued {

struct Infeasibility {
  double s = 0;                  // path parameter of the place
  double share = 0;              // s / length, in [0, 1]
  std::vector<double> q;         // [rad] or [m] there
  std::string joint;             // the joint that cannot; empty: not one joint's fault
  std::string limit_kind;        // "torque", "acceleration", ...
  double limit = 0;              // that joint's limit [Nm], [N], ...
  double needed = 0;             // what it would have to be for the whole path, all torque limits raised alike
  double smallest_factor = 0;    // on all torque limits; 0: more torque does not help
};

// FAILED_PRECONDITION with a readable message and the fields as payload.
absl::Status InfeasibleError(const Infeasibility& why);

// The robot cannot do what is asked, whatever the timing: out of reach, singular, lost on the way. FAILED_PRECONDITION.
absl::Status UnreachableError(const std::string& message);

// Whether `status` is one made by InfeasibleError or UnreachableError.
bool IsInfeasible(const absl::Status& status);

// The fields, if `status` is one made by InfeasibleError.
std::optional<Infeasibility> InfeasibilityOf(const absl::Status& status);

}  // namespace torqued
