// Where near a sample does the measured value become extreme? A local search within the sampler's parameters.
//
// Compass search with curvature: both neighbours along every parameter are looked at, at a common step; from the three
// values along each comes the top of a parabola, and all tops together make one more candidate. The best of all is the
// next point; where none is better the step is halved. It needs no gradient and stops at kinks (friction, |.|) too.
#pragma once

#include <cstdint>

#include "server/service/sweep/measure.h"

namespace torqued::sweep {

struct SearchTask {
  const Sampler* sampler = nullptr;
  const Measure* measure = nullptr;
  int column = 0;
  double sign = 1;            // +1: the greatest value, -1: the least
  Best start;
  std::int64_t evaluations = 0;  // at most about so many
};

struct Found {
  double value = 0;
  std::vector<double> x;      // parameters; empty: nothing better than the sample was found
};

// Deterministic.
absl::StatusOr<Found> Search(const SearchTask& task, const Call& call, MeasureScratch& scratch);

}  // namespace torqued::sweep
