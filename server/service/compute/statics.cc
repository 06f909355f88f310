// Static torques: gravity, springs, and the wrench at the hand.
#include "server/service/compute/compute.h"
#include "server/service/compute/kernels.h"
#include "server/service/compute/states.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeStaticTorqueRequest& request,
                    v1::ComputeStaticTorqueResponse* response) {
  auto asked = ResolveContext(call, request.context(), true);
  if (!asked.ok()) return asked.status();
  // At rest nothing accelerates, moves or rubs: what remains are gravity and springs.
  Terms& terms = asked->conditions.terms;
  terms.inertia = terms.velocity = terms.rotor = terms.friction = false;
  if (absl::Status s = RequireInertias(call, *asked); !s.ok()) return s;
  const auto states = ReadStates(call, request.positions());
  if (!states.ok()) return states.status();
  if (request.has_wrench()) {
    const auto wrench = ReadWrench(call, *asked, "wrench", request.wrench(), states->count);
    if (!wrench.ok()) return wrench.status();
    asked->wrenches.push_back(*wrench);
    response->set_axes(wrench->axes == WrenchAxes::kOfFrame ? v1::AXES_FRAME : v1::AXES_WORLD);
    response->set_exerter(request.wrench().exerter());
    response->mutable_info()->set_frame(call.entry.prepared.frame_names[wrench->frame]);
  }
  if (absl::Status s = CheckWrenches(*asked, states->count); !s.ok()) return s;
  auto* values = response->mutable_efforts()->mutable_values();
  double* efforts = wire::Extend(values, static_cast<size_t>(states->count) * call.entry.nv());
  if (absl::Status s = StaticTorqueRows(call, *asked, states->q, efforts); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("efforts", *values, call.entry.nv()); !s.ok()) return s;
  Inform(call, *asked, request.context(), states->count, response->mutable_info());
  ReportLimits(call, request.context(), states->q, {}, efforts, response->mutable_info());
  if (asked->place == EffortPlace::kJoint) return absl::OkStatus();
  const int nv = call.entry.nv();
  DriveTrain train(call.entry.model(), call.entry.prepared);
  for (int i = 0; i < states->count; ++i) {
    Eigen::Map<Eigen::VectorXd> tau(efforts + static_cast<size_t>(i) * nv, nv);
    tau = train.At(asked->place, asked->conditions, states->q.row(i), nullptr, nullptr, Eigen::VectorXd(tau));
  }
  return wire::CheckAnswer("efforts", *values, nv);
}

}  // namespace torqued
