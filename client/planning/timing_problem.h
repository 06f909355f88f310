// What must the robot be asked to time a path? Grid, limits and coefficients, with one call for the dynamics.
#pragma once

#include <memory>

#include "client/planning/path_timing.h"

namespace torqued {

// Fills `grid` and `problem` (problem.grid == grid.get()).
// INVALID_ARGUMENT: the path is not finite. FAILED_PRECONDITION: it leaves the joints' ranges, or the model's torque is not
// quadratic in speed (a self-test at three points rides in the same call). ABORTED: the revision is not that of `facts`.
absl::Status AskTimingProblem(DynamicsSource& source, const Path& path, const RobotFacts& facts, const MotionLimits& limits,
                              const TimingOptions& options, int intervals, std::shared_ptr<const PathGrid>& grid,
                              TimingProblem& problem);

}  // namespace torqued
