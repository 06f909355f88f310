// What does a motion cost, and how close is it to the limits? Computed from its samples alone.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/dynamics_source.h"
#include "client/planning/limits.h"
#include "client/planning/trajectory.h"

namespace torqued {

struct JointReport {
  std::string name;
  double peak_torque = 0;         // largest |tau| [Nm] or [N]
  double peak_torque_time_s = 0;
  double rms_torque = 0;
  double peak_power = 0;          // largest |tau v| [W]
  double mean_power = 0;          // mean of tau v where positive, over the whole time [W]
  double energy = 0;              // given to the joint [J]
  double regenerated = 0;         // taken back [J]
  double peak_velocity = 0, peak_acceleration = 0, peak_jerk = 0;  // jerk: change of a per sample interval
  double torque_limit = 0, velocity_limit = 0, acceleration_limit = 0;  // infinity: none
  double torque_margin = 1;       // 1 - peak / limit; 1 without a limit
  double saturated_share = 0;     // share of time with |tau| above 98 % of its limit
  double lowest = 0, highest = 0;  // positions reached
};

// Where a limit binds, along the path.
struct BindingSpan {
  double s_from = 0, s_to = 0;
  std::string what;  // "torque j2 +", "velocity j1", "tool speed"
};

struct PlanReport {
  std::vector<JointReport> joints;
  double duration_s = 0;
  double lower_bound_s = 0;       // of a relaxed problem; 0: not computed
  std::string rung;               // of the fallback ladder, where one was climbed
  double path_residual = 0;       // largest distance between the samples and the path asked for [rad or m in joint space; m for a hand path]
  double end_error = 0;           // largest |q - goal| at the last sample
  double worst_torque_ratio = 0;        // largest |tau| / limit
  double worst_acceleration_ratio = 0;  // likewise
  double worst_velocity_ratio = 0;      // likewise
  double energy = 0, regenerated = 0;
  std::vector<BindingSpan> binding;
  std::vector<std::string> violations;  // limits passed by more than 0.1 %, in words
  std::vector<std::string> warnings;
};

// REQUIRES: CheckShape ok; limits of as many joints. Torque fields stay zero without tau.
PlanReport BuildReport(const Trajectory& trajectory, const MotionLimits& limits);

// Full inverse dynamics of every sample, friction on: fills trajectory.tau and answers the report. INVALID_ARGUMENT: shape or
// joint names (permuted columns are not sorted: names must equal the source's order). Errors of the source pass through.
// `expected_revision`: if not empty and another one answers, ABORTED.
absl::StatusOr<PlanReport> CheckTrajectory(DynamicsSource& source, Trajectory& trajectory, const LimitScales& scales = {},
                                           const std::string& expected_revision = "");

}  // namespace torqued
