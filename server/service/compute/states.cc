#include "server/service/compute/states.h"

#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"

namespace torqued {

absl::StatusOr<States> ReadStates(const Call& call, const v1::JointVectors& positions,
                                  const v1::JointVectors* velocities, const v1::JointVectors* accelerations) {
  States states;
  const ModelEntry& entry = call.entry;
  const auto q = wire::ReadRows("positions", positions, entry.positions, wire::kAnyCount, false, call.scratch.positions);
  if (!q.ok()) return q.status();
  states.q = *q;
  states.count = q->count;
  if (states.count > kMostSamples)
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", states.count, " samples, at most ", kMostSamples,
                                        " in one request; split it"));
  if (velocities) {
    const auto v = wire::ReadRows("velocities", *velocities, entry.rates, states.count, true, call.scratch.velocities);
    if (!v.ok()) return v.status();
    states.v = *v;
  }
  if (accelerations) {
    const auto a =
        wire::ReadRows("accelerations", *accelerations, entry.rates, states.count, true, call.scratch.accelerations);
    if (!a.ok()) return a.status();
    states.a = *a;
  }
  return states;
}

absl::StatusOr<wire::Rows> ReadEfforts(const Call& call, const v1::JointVectors& efforts, int count, bool optional) {
  return wire::ReadRows("efforts", efforts, call.entry.rates, count, optional, call.scratch.efforts);
}

}  // namespace torqued
