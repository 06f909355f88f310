#include "server/service/sweep/sampler.h"

#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"

namespace torqued::sweep {

absl::Status CheckSampleCount(const std::string& field, std::int64_t count, std::int64_t least) {
  if (count >= least && count <= kMostSweepSamples) return absl::OkStatus();
  return wire::BadField(field, absl::StrCat(count, ", want ", least, " to ", kMostSweepSamples), "WRONG_SIZE");
}

absl::StatusOr<std::unique_ptr<Sampler>> MakeSampler(const Call& call, const v1::SweepRequest& request) {
  switch (request.states_case()) {
    case v1::SweepRequest::kBox: return MakeBoxSampler(call, request.box());
    case v1::SweepRequest::kGrid: return MakeGridSampler(call, request.grid());
    case v1::SweepRequest::kKnots: return MakePathSampler(call, request.knots());
    case v1::SweepRequest::kCloud: return MakeCloudSampler(call, request.cloud());
    default: return wire::BadField("states", "absent, want one of box, grid, knots, cloud", "MISSING_FIELD");
  }
}

}  // namespace torqued::sweep
