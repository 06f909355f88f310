// Which wrench or which load do measured torques tell of?
#include "server/core/dynamics/inverse_statics.h"

#include <absl/strings/str_cat.h>

#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

void Write(const Estimate& from, double sign, v1::InverseStaticsResult* to) {
  const Eigen::VectorXd x = sign * from.x;
  Append(x.data(), static_cast<int>(x.size()), to->mutable_estimate());
  to->set_residual(from.residual.norm());
  to->set_rank(from.rank);
  Append(from.singular_values.data(), static_cast<int>(from.singular_values.size()), to->mutable_singular_values());
  if (from.unknowable.cols() > 0) AppendRowMajor(from.unknowable.transpose(), to->mutable_unknowable_directions());
  AppendRowMajor(from.covariance, to->mutable_covariance());
}

}  // namespace

absl::Status Answer(const Call& call, const v1::ComputeInverseStaticsRequest& request,
                    v1::ComputeInverseStaticsResponse* response) {
  auto question = ReadQuestion(call, Needs::kNothing, true, request.context(), request.positions());
  if (!question.ok()) return question.status();
  Terms& terms = question->asked.conditions.terms;
  terms.inertia = terms.velocity = terms.rotor = terms.friction = false;
  if (absl::Status s = RequireInertias(call, question->asked); !s.ok()) return s;
  const auto measured = ReadEfforts(call, request.efforts(), question->count(), false);
  if (!measured.ok()) return measured.status();
  std::optional<double> sigma;
  if (request.has_effort_noise()) {
    if (absl::Status s = wire::CheckFinite("effort_noise", request.effort_noise()); !s.ok()) return s;
    if (request.effort_noise() < 0) return wire::BadField("effort_noise", absl::StrCat(request.effort_noise(), ", want at least 0"));
    sigma = request.effort_noise();
  }
  const Prepared& m = call.entry.prepared;
  const int n = question->count(), nv = m.nv;
  Eigen::MatrixXd left(nv, n);  // measured minus what is known: gravity, springs, known wrenches
  if (absl::Status s = StaticTorqueRows(call, question->asked, question->q(), left.data()); !s.ok()) return s;
  left = Eigen::Map<const Eigen::MatrixXd>(measured->data, nv, n) - left;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);

  if (request.has_wrench()) {
    const v1::Wrenches& wrench = request.wrench();
    if (wrench.values_size() > 0) return wire::BadField("wrench.values", "given, but the wrench is what is asked");
    v1::Wrenches form = wrench;
    for (int k = 0; k < 6; ++k) form.add_values(0);
    const auto asked = ReadWrench(call, question->asked, "wrench", form, 1);
    if (!asked.ok()) return asked.status();
    const Expression axes = asked->axes == WrenchAxes::kOfFrame ? Expression::kBody : Expression::kWorldAligned;
    Eigen::MatrixXd J(6, nv);
    for (int i = 0; i < n; ++i) {
      if (absl::Status s = call.Check(i); !s.ok()) return s;
      Jacobian(m, m.frames[asked->frame], axes, question->q().row(i), ws, J.data());
      Write(EstimateWrench(J, AllRows(), left.col(i), sigma), asked->sign, response->add_results());
    }
    response->mutable_info()->set_frame(m.frame_names[asked->frame]);
  } else if (request.has_payload()) {
    const v1::UnknownPayload& payload = request.payload();
    const auto frame = AskedFrame(call, question->asked, "payload.frame", payload.frame());
    if (!frame.ok()) return frame.status();
    std::optional<Eigen::Vector3d> com;
    if (payload.has_center_of_mass()) {
      if (absl::Status s = wire::CheckFinite("payload.center_of_mass", payload.center_of_mass()); !s.ok()) return s;
      com = Eigen::Vector3d(payload.center_of_mass().x(), payload.center_of_mass().y(), payload.center_of_mass().z());
    }
    constexpr int kMostRows = 20000;
    if (n * nv > kMostRows)
      return wire::Exhausted("TOO_MANY_SAMPLES", "samples",
                             absl::StrCat("positions: ", n, " samples, at most ", kMostRows / nv, " for a payload"));
    const Eigen::MatrixXd q = Eigen::Map<const Eigen::MatrixXd>(question->q().data, m.nq, n);
    const Vec3<double>& g = question->asked.conditions.gravity;
    Write(EstimateLoad(m, m.frames[*frame], ToEigen(g), q, left, com, ws, sigma), 1, response->add_results());
    response->mutable_info()->set_frame(m.frame_names[*frame]);
  } else {
    return wire::BadField("unknown", "absent, want wrench (frame, axes, exerter) or payload", "MISSING_FIELD");
  }
  for (const auto& result : response->results())
    if (absl::Status s = wire::CheckAnswer("estimate", result.estimate(), 0); !s.ok()) return s;
  return Conclude(call, *question, request.context(), measured->data, false, response->mutable_info());
}

}  // namespace torqued
