// Which state is sample number i? A box, a grid, a trajectory, a cloud; and where may a local search move from it?
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "server/service/compute/call.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::sweep {

// Rows of states, one per row: q nq wide, v and a nv wide. v, a are zero where the sampler does not move them.
struct StateBlock {
  std::vector<double> q, v, a;

  void Resize(int rows, int nq, int nv) {
    q.resize(static_cast<size_t>(rows) * nq);
    v.resize(static_cast<size_t>(rows) * nv);
    a.resize(static_cast<size_t>(rows) * nv);
  }
};

// Immutable, so thread-safe.
class Sampler {
 public:
  virtual ~Sampler() = default;

  std::int64_t count() const { return count_; }
  bool has_velocity() const { return has_velocity_; }
  bool has_acceleration() const { return has_acceleration_; }

  // Rows [0, rows) become samples first, first + stride, ...  REQUIRES: they exist, `out` has room.
  virtual void Fill(std::int64_t first, std::int64_t stride, int rows, StateBlock& out) const = 0;

  // A local search moves parameters within [0, 1]; none: it does not.
  virtual int parameters() const = 0;
  virtual void Parameters(std::int64_t sample, double* x) const = 0;
  // Rows become the states at x [rows x parameters]; what has no parameter is as in `sample`.
  virtual void At(std::int64_t sample, const double* x, int rows, StateBlock& out) const = 0;
  // [s] at these parameters, for samplers that have a time.
  virtual double Time(const double*) const { return 0; }

 protected:
  std::int64_t count_ = 0;
  bool has_velocity_ = false, has_acceleration_ = false;
};

inline constexpr std::int64_t kMostSweepSamples = 1000000000;

// INVALID_ARGUMENT naming the field; FAILED_PRECONDITION naming joints without the limits that are asked for.
absl::StatusOr<std::unique_ptr<Sampler>> MakeSampler(const Call& call, const v1::SweepRequest& request);

// The kinds (range_sampler.cc, path_sampler.cc).
absl::StatusOr<std::unique_ptr<Sampler>> MakeBoxSampler(const Call& call, const v1::SweepBox& box);
absl::StatusOr<std::unique_ptr<Sampler>> MakeGridSampler(const Call& call, const v1::SweepGrid& grid);
absl::StatusOr<std::unique_ptr<Sampler>> MakePathSampler(const Call& call, const v1::SweepKnots& knots);
absl::StatusOr<std::unique_ptr<Sampler>> MakeCloudSampler(const Call& call, const v1::SweepCloud& cloud);

absl::Status CheckSampleCount(const std::string& field, std::int64_t count, std::int64_t least);

}  // namespace torqued::sweep
