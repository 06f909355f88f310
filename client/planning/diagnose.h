// Where and why does a timing fail, and how much more torque would do? For the message of an infeasible path.
#pragma once

#include "client/planning/infeasible.h"
#include "client/planning/path_timing.h"

namespace torqued {

const char* LimitName(LimitKind kind);

// REQUIRES: solver.Solve(problem, options) was not feasible. Solves again with larger torque limits (about 40 times).
Infeasibility Diagnose(TimingProblem problem, const SolveOptions& options, const std::vector<std::string>& joint_names);

// sdot^2 = alpha min(distance from the last stop, distance to the next): the fastest such timing that the rows allow.
// The last resort of the ladder. REQUIRES: rest at both ends.
TimingSolution UniformTiming(const TimingProblem& problem, const Stages& stages);

// Spans where |g| is above the torque limit of some joint.
std::vector<NotHoldable> FindNotHoldable(const TimingProblem& problem);

// Spans of s with one binding limit.
std::vector<BindingSpan> BindingSpans(const PathGrid& grid, const TimingSolution& solution,
                                      const std::vector<std::string>& joint_names);

}  // namespace torqued
