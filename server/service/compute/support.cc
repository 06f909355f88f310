// How does a legged robot stand on its feet?
#include "server/core/dynamics/support.h"

#include <absl/strings/str_cat.h>

#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {

absl::Status Answer(const Call& call, const v1::ComputeSupportRequest& request, v1::ComputeSupportResponse* response) {
  const auto question = ReadQuestion(call, Needs::kAllInertias, false, request.context(), request.positions());
  if (!question.ok()) return question.status();
  const ModelEntry& entry = call.entry;
  if (!entry.loaded.capabilities.floating_base)
    return wire::Precondition("NOT_FLOATING", "model", {entry.id},
                              absl::StrCat("model '", entry.id, "' is fixed to the world, so it needs no feet; register it "
                                           "with a floating base"));
  if (request.feet().empty()) return wire::BadField("feet", "absent, want the frames that touch the ground", "MISSING_FIELD");
  const double mu = request.friction_coefficient();
  if (absl::Status s = wire::CheckFinite("friction_coefficient", mu); !s.ok()) return s;
  if (mu <= 0) return wire::BadField("friction_coefficient", absl::StrCat(mu, ", want above 0"));
  const Eigen::Vector3d gravity = ToEigen(question->asked.conditions.gravity);
  if (gravity.norm() == 0) return wire::BadField("context.gravity", "is zero: nothing presses the feet to the ground");
  Eigen::Vector3d normal = -gravity.normalized();
  if (request.has_normal()) {
    if (absl::Status s = wire::CheckFinite("normal", request.normal()); !s.ok()) return s;
    normal = {request.normal().x(), request.normal().y(), request.normal().z()};
    if (normal.norm() < 1e-9) return wire::BadField("normal", "has no length");
    normal.normalize();
  }
  std::vector<Foot> feet;
  for (int k = 0; k < request.feet_size(); ++k) {
    const auto frame = AskedFrame(call, question->asked, absl::StrCat("feet[", k, "]"), request.feet(k));
    if (!frame.ok()) return frame.status();
    feet.push_back({entry.prepared.frames[*frame], normal, mu});
  }
  Workspace<double>& ws = call.scratch.For(entry.prepared, entry.serial);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i * 16); !s.ok()) return s;
    const Support support =
        AnalyseSupport(entry.prepared, question->asked.conditions, question->q().row(i), feet, {}, ws);
    auto* out = response->add_results();
    for (const Eigen::Vector3d& f : support.force) Append(f.data(), 3, out->mutable_foot_forces());
    Append(support.torque.data(), static_cast<int>(support.torque.size()), out->mutable_efforts());
    out->set_residual(support.residual * support.weight);
    out->set_stands(support.stands);
    out->set_margin(support.tipping_margin);
    if (absl::Status s = wire::CheckAnswer("efforts", out->efforts(), 0); !s.ok()) return s;
  }
  return Conclude(call, *question, request.context(), nullptr, false, response->mutable_info());
}

}  // namespace torqued
