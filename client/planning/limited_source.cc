#include "client/planning/limited_source.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace torqued {

absl::StatusOr<RobotFacts> LimitedSource::Facts() {
  absl::StatusOr<RobotFacts> facts = inner_.Facts();
  if (!facts.ok()) return facts;
  const struct { const char* name; std::optional<double> Limits::*field; bool positive; } fields[] = {
      {"lower", &Limits::lower, false},       {"upper", &Limits::upper, false},
      {"velocity", &Limits::velocity, true},  {"acceleration", &Limits::acceleration, true},
      {"jerk", &Limits::jerk, true},          {"torque", &Limits::effort, true}};
  for (const LimitOverride& change : overrides_) {
    bool found = false;
    for (int j = 0; j < facts->joint_count(); ++j) {
      if (!change.joint.empty() && change.joint != facts->joint_names[j]) continue;
      found = true;
      for (const auto& f : fields) {
        const std::optional<double>& value = change.limits.*f.field;
        if (!value) continue;
        if (std::isnan(*value) || (f.positive && !(*value > 0)))
          return absl::InvalidArgumentError(absl::StrCat("limit ", f.name, " of joint ", facts->joint_names[j], ": ", *value,
                                                         f.positive ? ", want more than 0" : ", want a number"));
        facts->limits[j].*f.field = value;
      }
      const Limits& l = facts->limits[j];
      if (l.lower && l.upper && *l.lower > *l.upper)
        return absl::InvalidArgumentError(absl::StrCat("limits of joint ", facts->joint_names[j], ": lower ", *l.lower,
                                                       " is above upper ", *l.upper));
    }
    if (!found)
      return absl::InvalidArgumentError(absl::StrCat("limit: the robot has no joint '", change.joint, "', want one of ",
                                                     absl::StrJoin(facts->joint_names, ", ")));
  }
  return facts;
}

}  // namespace torqued
