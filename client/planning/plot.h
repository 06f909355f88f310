// A picture of a motion: self-contained SVG, no script, no font file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/planning/path_timing.h"

namespace torqued {

enum class Plot {
  kTorque,      // torque against its limit, one panel per joint
  kPhasePlane,  // path speed over s with the largest speed from which the rest can be run (planned paths only)
  kSpeed,       // joint speeds over time, as part of the limit where there is one
  kPower,       // power of each joint and their sum
  kHand,        // way of the tool: seen from above and from the side (needs tool points)
};

struct PlotOptions {
  int width = 900;
  int panel_height = 170;
  std::string title;
};

// `timed`: for the phase plane; `tool` (3 x samples, [m]): for the hand. FAILED_PRECONDITION: what the plot needs is missing.
absl::StatusOr<std::string> PlotTrajectory(Plot plot, const Trajectory& trajectory, const MotionLimits& limits,
                                           const TimedPath* timed = nullptr, const Eigen::Matrix3Xd& tool = {},
                                           const PlotOptions& options = {});

}  // namespace torqued
