#include "client/planning/limits.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace torqued {
namespace {

absl::Status CheckScale(const char* name, double value) {
  if (value > 0 && value <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, "_scale: ", value, ", want more than 0 and at most 1"));
}

}  // namespace

absl::StatusOr<MotionLimits> ScaledLimits(const RobotFacts& facts, const LimitScales& scales) {
  absl::Status status = CheckScale("velocity", scales.velocity);
  status.Update(CheckScale("acceleration", scales.acceleration));
  status.Update(CheckScale("jerk", scales.jerk));
  status.Update(CheckScale("torque", scales.torque));
  if (!status.ok()) return status;
  const int n = facts.joint_count();
  constexpr double kNone = std::numeric_limits<double>::infinity();
  MotionLimits out;
  const auto fill = [&](Eigen::VectorXd& to, const char* name, double scale, std::optional<double> Limits::*field) {
    to.resize(n);
    std::vector<std::string> without;
    for (int j = 0; j < n; ++j) {
      const std::optional<double>& value = facts.limits[j].*field;
      if (value && !(*value > 0))
        status.Update(absl::InvalidArgumentError(
            absl::StrCat("joint ", facts.joint_names[j], ": ", name, " limit ", *value, ", want more than 0")));
      if (!value || std::isinf(*value)) without.push_back(facts.joint_names[j]);
      to(j) = value ? scale * *value : kNone;
    }
    if (!without.empty())
      out.missing.push_back(absl::StrCat(name, ": the model has no limit for ", absl::StrJoin(without, ", ")));
  };
  fill(out.velocity, "velocity", scales.velocity, &Limits::velocity);
  fill(out.acceleration, "acceleration", scales.acceleration, &Limits::acceleration);
  fill(out.jerk, "jerk", scales.jerk, &Limits::jerk);
  fill(out.torque, "torque", scales.torque, &Limits::effort);
  out.lower.resize(n);
  out.upper.resize(n);
  for (int j = 0; j < n; ++j) {
    out.lower(j) = facts.limits[j].lower.value_or(-kNone);
    out.upper(j) = facts.limits[j].upper.value_or(kNone);
  }
  if (!status.ok()) return status;
  return out;
}

}  // namespace torqued
