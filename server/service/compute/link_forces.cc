// What does each joint carry? Six reaction components at every joint, fixed ones too.
#include "server/core/dynamics/link_forces.h"

#include <absl/strings/str_cat.h>

#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeLinkForcesRequest& request,
                    v1::ComputeLinkForcesResponse* response) {
  const Prepared& m = call.entry.with_fixed;
  const Model& model = call.entry.model();
  auto question = ReadQuestion(call, Needs::kInertias, true, request.context(), request.positions(),
                               &request.velocities(), &request.accelerations());
  if (!question.ok()) return question.status();
  // Once more for the tree that keeps its fixed joints: payloads act on its bodies.
  auto asked = ResolveContext(call, m, request.context());
  if (!asked.ok()) return asked.status();
  const size_t joints = model.joints.size(), n = static_cast<size_t>(question->count());
  if (n * joints > static_cast<size_t>(kMostSamples))
    return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                           absl::StrCat("positions: ", n, " samples of ", joints, " joints; split the request"));
  for (const Joint& joint : model.joints) response->add_joints(joint.name);
  double* out = wire::Extend(response->mutable_forces(), 6 * n * joints);
  Workspace<double> ws(m);
  std::vector<ExternalWrench<double>> wrenches(asked->wrenches.size());
  std::vector<ForcePair<double>> forces(model.links.size());
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    for (size_t w = 0; w < wrenches.size(); ++w) {
      const ForcePair<double> by_robot = asked->wrenches[w].At(i);
      wrenches[w] = {m.frames[asked->wrenches[w].frame], asked->wrenches[w].axes, {-by_robot.f, -by_robot.n}};
    }
    LinkForces(m, asked->conditions, question->q().row(i), question->v().row(i), question->a().row(i), wrenches.data(),
               static_cast<int>(wrenches.size()), ws, forces.data());
    for (const Joint& joint : model.joints) {
      const ForcePair<double>& F = forces[joint.child_link];
      for (int k = 0; k < 3; ++k) *out++ = F.f[k];
      for (int k = 0; k < 3; ++k) *out++ = F.n[k];
    }
  }
  if (absl::Status s = wire::CheckAnswer("forces", response->forces(), static_cast<int>(6 * joints)); !s.ok()) return s;
  return Conclude(call, *question, request.context(), nullptr, true, response->mutable_info());
}

}  // namespace torqued
