// How far may each joint go, how fast, how strong? Limits of the model, scaled, with what is missing said.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/dynamics_source.h"

namespace torqued {

// Fractions of the model's limits that a plan may use, each in (0, 1].
struct LimitScales {
  double velocity = 1;
  double acceleration = 1;
  double jerk = 1;
  double torque = 1;
};

// One value per joint, infinity where there is no limit. Symmetric: |v| <= velocity and so on.
struct MotionLimits {
  Eigen::VectorXd lower, upper;  // [rad] or [m]
  Eigen::VectorXd velocity, acceleration, jerk, torque;
  // What the model does not limit, in words, one entry per quantity ("acceleration: no limit for joints a, b").
  std::vector<std::string> missing;
};

// INVALID_ARGUMENT: a scale outside (0, 1], a limit that is negative or not a number.
absl::StatusOr<MotionLimits> ScaledLimits(const RobotFacts& facts, const LimitScales& scales);

}  // namespace torqued
