// What is looked at in a state? Torques, singular values, or how much more the robot could carry.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "server/batch/batch.h"
#include "server/service/compute/context.h"
#include "server/service/sweep/sampler.h"
#include "server/service/sweep/tally.h"

namespace torqued::sweep {

// Margins are cut off here: a joint that the load does not reach would have an infinite one [kg].
inline constexpr double kMostMargin = 1000;

// Working memory of one thread.
struct MeasureScratch {
  BatchScratch batch;
  std::vector<double> more;
};

// One case of a sweep, answered by kernels of its own: the robot with the case's load. Immutable, thread-safe.
class Measure {
 public:
  virtual ~Measure() = default;
  int columns() const { return static_cast<int>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Beyond>& beyond() const { return beyond_; }
  // out [rows x columns].
  virtual absl::Status Rows(const Call& call, const StateBlock& states, int rows, MeasureScratch& scratch,
                            double* out) const = 0;
  virtual const Batch& batch() const = 0;
  virtual Method method() const = 0;

 protected:
  std::vector<std::string> names_;
  std::vector<Beyond> beyond_;
};

// `load`: on top of the context's payloads, null for none; `field` names it. `compile`: make machine code for the case.
// `request` outlives the result. Errors as inverse dynamics' and Jacobians'; FAILED_PRECONDITION: no effort limits.
absl::StatusOr<std::unique_ptr<Measure>> MakeMeasure(const Call& call, const v1::SweepRequest& request,
                                                     const Sampler& sampler, const v1::Payload* load,
                                                     const std::string& field, bool compile);

}  // namespace torqued::sweep
