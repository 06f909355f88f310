#include "server/service/compute/question.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "server/core/dynamics/check.h"
#include "server/core/dynamics/manifold.h"
#include "server/core/dynamics/singularity.h"
#include "server/core/math/random.h"

namespace torqued {
namespace {

absl::Status Check(const Call& call, const Question& question, v1::Check* out) {
  if (absl::Status s = RequireAllInertias(call); !s.ok()) return s;
  Checker checker(call.entry.prepared);
  double lagrange = 0, skew = 0, power = 0;
  for (int i = 0; i < question.count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    const CheckReport report =
        checker.Run(question.asked.conditions, question.q().row(i), question.v().row(i), question.a().row(i));
    lagrange = std::max(lagrange, report.lagrange.relative);
    skew = std::max(skew, report.skew.relative);
    power = std::max(power, report.power.relative);
  }
  out->set_newton_euler_vs_lagrange(lagrange);
  out->set_mass_rate_vs_coriolis(skew);
  out->set_power_balance(power);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Question> ReadQuestion(const Call& call, Needs needs, bool wrenches, const v1::Context& context,
                                      const v1::JointVectors& positions, const v1::JointVectors* velocities,
                                      const v1::JointVectors* accelerations, bool places) {
  auto asked = ResolveContext(call, context, places);
  if (!asked.ok()) return asked.status();
  if (!wrenches && !asked->wrenches.empty())
    return wire::BadField("context.wrenches", "this method has no use for external wrenches; leave them out",
                          "NOT_APPLICABLE");
  absl::Status able;
  if (needs == Needs::kInertias) able = RequireInertias(call, *asked);
  if (needs == Needs::kAllInertias) able = RequireAllInertias(call);
  if (needs == Needs::kInvertibleMass) able = RequireInvertibleMass(call, context);
  if (!able.ok()) return able;
  const auto states = ReadStates(call, positions, velocities, accelerations);
  if (!states.ok()) return states.status();
  if (absl::Status s = CheckWrenches(*asked, states->count); !s.ok()) return s;
  return Question{*std::move(asked), *states};
}

absl::Status Conclude(const Call& call, const Question& question, const v1::Context& context, const double* efforts,
                      bool checked, v1::AnswerInfo* info) {
  Inform(call, question.asked, context, question.count(), info);
  ReportLimits(call, context, question.q(), question.v(), efforts, info);
  if (checked && context.check()) return Check(call, question, info->mutable_check());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int>> ReadTaskRows(const Call& call, const std::string& field,
                                              const google::protobuf::RepeatedField<std::int32_t>& rows, int frame,
                                              Expression expression) {
  std::vector<int> out(rows.begin(), rows.end());
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] < 0 || out[i] > 5)
      return wire::BadField(absl::StrCat(field, "[", i, "]"), absl::StrCat(out[i], ", want 0 to 5 (vx vy vz wx wy wz)"));
    if (std::count(out.begin(), out.end(), out[i]) > 1)
      return wire::BadField(absl::StrCat(field, "[", i, "]"), absl::StrCat("row ", out[i], " twice"));
  }
  if (!out.empty()) return out;
  if (expression == Expression::kWorldAligned)
    out = SuggestRows(call.entry.prepared, call.entry.prepared.frames[frame],
                      call.scratch.For(call.entry.prepared, call.entry.serial));
  // A row that is zero at several random postures is zero everywhere.
  constexpr int kPostures = 4;
  constexpr double kNothing = 1e-9;
  const Prepared& m = call.entry.prepared;
  Workspace<double>& ws = call.scratch.For(m, call.entry.serial);
  Random random(1);
  Eigen::MatrixXd J(6, m.nv);
  Eigen::VectorXd q(m.nq), delta(m.nv), size = Eigen::VectorXd::Zero(6);
  for (int k = 0; k < kPostures; ++k) {
    for (int i = 0; i < m.nv; ++i) delta[i] = random.Uniform(-2, 2);
    SetNeutral(m, q.data());
    AddTangent(m, delta.data(), 1.0, q.data());
    Jacobian(m, m.frames[frame], expression, q.data(), ws, J.data());
    size = size.cwiseMax(J.rowwise().norm());
  }
  if (size.maxCoeff() <= kNothing) out.clear();
  else if (out.empty())
    for (int r = 0; r < 6; ++r)
      if (size[r] > kNothing) out.push_back(r);
  if (out.empty())
    return wire::Error(absl::StatusCode::kFailedPrecondition, "FRAME_DOES_NOT_MOVE",
                       absl::StrCat("frame '", m.frame_names[frame], "' does not move whatever the joints do"),
                       {{"frame", m.frame_names[frame]}});
  return out;
}

std::string EntryName(const ModelEntry& entry, int v_index) {
  for (const Coordinate& c : entry.model().coordinates) {
    const int k = v_index - c.v_index, width = VelocityCount(c.kind);
    if (k >= 0 && k < width) return width == 1 ? c.name : absl::StrCat(c.name, "[", k, "]");
  }
  return absl::StrCat("v[", v_index, "]");
}

absl::Status SingularMass(const Call& call, int sample, int entry) {
  const std::string joint = EntryName(call.entry, entry);
  return wire::Precondition("SINGULAR_MASS_MATRIX", "joint", {joint},
                            absl::StrCat("sample ", sample, ": the mass matrix has no inverse at joint '", joint,
                                         "': it moves no inertia of its own; inverse dynamics and statics can be computed"));
}

void AppendRowMajor(const Eigen::Ref<const Eigen::MatrixXd>& from, google::protobuf::RepeatedField<double>* to) {
  double* out = wire::Extend(to, static_cast<size_t>(from.size()));
  for (int r = 0; r < from.rows(); ++r)
    for (int c = 0; c < from.cols(); ++c) *out++ = from(r, c);
}

}  // namespace torqued
