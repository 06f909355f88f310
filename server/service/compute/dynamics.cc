// Inverse and forward dynamics of batches.
#include "server/service/compute/compute.h"
#include "server/service/compute/kernels.h"
#include "server/service/compute/states.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeInverseDynamicsRequest& request,
                    v1::ComputeInverseDynamicsResponse* response) {
  const auto asked = ResolveContext(call, request.context());
  if (!asked.ok()) return asked.status();
  if (absl::Status s = RequireInertias(call, *asked); !s.ok()) return s;
  const auto states = ReadStates(call, request.positions(), &request.velocities(), &request.accelerations());
  if (!states.ok()) return states.status();
  if (absl::Status s = CheckWrenches(*asked, states->count); !s.ok()) return s;
  auto* values = response->mutable_efforts()->mutable_values();
  double* efforts = wire::Extend(values, static_cast<size_t>(states->count) * call.entry.nv());
  if (absl::Status s = InverseDynamicsRows(call, *asked, states->q, states->v, states->a, efforts); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("efforts", *values, call.entry.nv()); !s.ok()) return s;
  Inform(call, *asked, request.context(), states->count, response->mutable_info());
  ReportLimits(call, request.context(), states->q, states->v, efforts, response->mutable_info());
  return absl::OkStatus();
}

}  // namespace torqued
