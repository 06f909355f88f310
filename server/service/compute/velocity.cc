// Hand velocity to joint rates and back, and where a direction of the hand is lost.
#include "server/core/dynamics/velocity_analysis.h"

#include <absl/strings/str_cat.h>

#include <cmath>

#include "server/core/dynamics/derivatives.h"
#include "server/core/dynamics/singularity.h"
#include "server/core/ik/singularity_probe.h"
#include "server/service/compute/compute.h"
#include "server/service/compute/question.h"

namespace torqued {
namespace {

// The frame's Jacobians, one state at a time.
class Jacobians {
 public:
  Jacobians(const Call& call, int frame, Expression expression)
      : m_(call.entry.prepared), frame_(m_.frames[frame]), expression_(expression),
        ws_(call.scratch.For(m_, call.entry.serial)), J_(6, m_.nv) {}

  const Eigen::MatrixXd& At(const double* q) {
    Jacobian(m_, frame_, expression_, q, ws_, J_.data());
    return J_;
  }

 private:
  const Prepared& m_;
  const BodyFrame& frame_;
  const Expression expression_;
  Workspace<double>& ws_;
  Eigen::MatrixXd J_;
};

// With an explicit lambda every singular value is damped by it: v = sum s / (s^2 + lambda^2) (u . V) v.
InverseVelocity DampedByHand(const Eigen::MatrixXd& J, const std::vector<int>& rows, const Eigen::VectorXd& wanted,
                             double lambda) {
  const Eigen::MatrixXd A = SelectRows(J, rows);
  const Svd svd = ComputeSvd(A);
  InverseVelocity out;
  out.singular_values = svd.s;
  out.damping = Eigen::VectorXd::Constant(svd.s.size(), lambda);
  out.v = Eigen::VectorXd::Zero(A.cols());
  const double nothing = 1e-13 * (svd.s.size() > 0 ? svd.s[0] : 0);
  for (int k = 0; k < svd.s.size(); ++k)
    if (svd.s[k] > nothing)
      out.v += svd.V.col(k) * (svd.U.col(k).dot(wanted) * svd.s[k] / (svd.s[k] * svd.s[k] + lambda * lambda));
  out.residual = wanted - A * out.v;
  return out;
}

v1::SingularityKind ToProto(SingularityKind kind) {
  switch (kind) {
    case SingularityKind::kRegular: return v1::SINGULARITY_KIND_NONE;
    case SingularityKind::kBoundary: return v1::SINGULARITY_KIND_BOUNDARY;
    case SingularityKind::kInterior: return v1::SINGULARITY_KIND_INTERIOR;
    case SingularityKind::kUndetermined: return v1::SINGULARITY_KIND_UNDETERMINED;
  }
  return v1::SINGULARITY_KIND_UNSPECIFIED;
}

double Determinant(const Eigen::MatrixXd& A) {
  // Gaussian elimination with row exchange; the matrices are at most 6 x 6.
  Eigen::MatrixXd B = A;
  double det = 1;
  const int n = static_cast<int>(B.rows());
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(B(i, k)) > std::abs(B(pivot, k))) pivot = i;
    if (B(pivot, k) == 0) return 0;
    if (pivot != k) B.row(k).swap(B.row(pivot)), det = -det;
    det *= B(k, k);
    for (int i = k + 1; i < n; ++i) B.row(i) -= B(i, k) / B(k, k) * B.row(k);
  }
  return det;
}

// Columns as rows of the answer.
void AppendColumns(const Eigen::MatrixXd& from, google::protobuf::RepeatedField<double>* to) {
  if (from.cols() > 0) AppendRowMajor(from.transpose(), to);
}

// M^-1 at q; false where it does not exist.
bool InverseMass(const Prepared& m, const Conditions& c, const double* q, DerivativesWorkspace& w, Eigen::MatrixXd& Minv) {
  const std::vector<double> still(m.nv, 0.0);
  std::vector<double> qdd(m.nv);
  return ForwardDynamicsDerivatives(m, c, q, nullptr, still.data(), w, qdd.data(), nullptr, nullptr, Minv.data()).ok();
}

}  // namespace

absl::Status Answer(const Call& call, const v1::AnalyzeVelocityRequest& request, v1::AnalyzeVelocityResponse* response) {
  const auto question =
      ReadQuestion(call, Needs::kNothing, false, request.context(), request.positions(), &request.velocities());
  if (!question.ok()) return question.status();
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  const auto frame = AskedFrame(call, question->asked, "frame", request.frame());
  if (!frame.ok()) return frame.status();
  const auto rows = ReadTaskRows(call, "task.rows", request.task().rows(), *frame, *expression);
  if (!rows.ok()) return rows.status();
  const auto wanted =
      wire::ReadPlainRows("frame_velocities", request.frame_velocities(), 6, question->count(), true, true);
  if (!wanted.ok()) return wanted.status();
  if (!wanted->data == !question->v().data)
    return wire::BadField("frame_velocities", "want either these (joint rates are answered) or velocities (the frame's are)");
  if (request.has_damping()) {
    if (absl::Status s = wire::CheckFinite("damping", request.damping()); !s.ok()) return s;
    if (request.damping() < 0) return wire::BadField("damping", absl::StrCat(request.damping(), ", want at least 0"));
  }
  Jacobians jacobians(call, *frame, *expression);
  const int nv = call.entry.nv();
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i); !s.ok()) return s;
    const Eigen::MatrixXd& J = jacobians.At(question->q().row(i));
    if (!wanted->data) {
      const Eigen::VectorXd V = J * Eigen::Map<const Eigen::VectorXd>(question->v().row(i), nv);
      Append(V.data(), 6, response->mutable_frame_velocities());
      const Svd svd = ComputeSvd(SelectRows(J, *rows));
      response->add_smallest_singular_values(svd.s.size() > 0 ? svd.s[svd.s.size() - 1] : 0);
      continue;
    }
    const Eigen::VectorXd V = SelectEntries(Eigen::Map<const Eigen::VectorXd>(wanted->row_or_one(i), 6), *rows);
    const InverseVelocity solution = request.has_damping() ? DampedByHand(J, *rows, V, request.damping())
                                                           : SolveInverseVelocity(J, *rows, V);
    const Eigen::VectorXd achieved = J * solution.v;
    Append(achieved.data(), 6, response->mutable_frame_velocities());
    Append(solution.v.data(), nv, response->mutable_velocities()->mutable_values());
    response->add_damping(solution.damping.size() > 0 ? solution.damping.maxCoeff() : 0);
    response->add_residuals(solution.residual.norm());
    response->add_smallest_singular_values(
        solution.singular_values.size() > 0 ? solution.singular_values[solution.singular_values.size() - 1] : 0);
  }
  if (absl::Status s = wire::CheckAnswer("frame_velocities", response->frame_velocities(), 6); !s.ok()) return s;
  if (absl::Status s = wire::CheckAnswer("velocities", response->velocities().values(), nv); !s.ok()) return s;
  response->mutable_info()->set_frame(call.entry.prepared.frame_names[*frame]);
  response->mutable_info()->set_expression(ToProto(*expression));
  return Conclude(call, *question, request.context(), nullptr, false, response->mutable_info());
}

absl::Status Answer(const Call& call, const v1::AnalyzeSingularityRequest& request,
                    v1::AnalyzeSingularityResponse* response) {
  const auto question = ReadQuestion(call, Needs::kNothing, false, request.context(), request.positions());
  if (!question.ok()) return question.status();
  const auto expression = ReadExpression("expression", request.expression());
  if (!expression.ok()) return expression.status();
  const auto frame = AskedFrame(call, question->asked, "frame", request.frame());
  if (!frame.ok()) return frame.status();
  const auto rows = ReadTaskRows(call, "task.rows", request.task().rows(), *frame, *expression);
  if (!rows.ok()) return rows.status();
  SingularityOptions options;
  options.rows = *rows;
  options.tolerance = request.has_relative_tolerance() ? request.relative_tolerance() : 1e-9;
  if (!(options.tolerance > 0 && options.tolerance < 1))
    return wire::BadField("relative_tolerance", absl::StrCat(options.tolerance, ", want between 0 and 1"));
  const Prepared& m = call.entry.prepared;
  std::vector<int> translation, rotation;
  for (const int r : *rows) (r < 3 ? translation : rotation).push_back(r);
  const bool inertias = call.entry.loaded.capabilities.forward_dynamics && !translation.empty();
  DerivativesWorkspace derivatives(m);
  Eigen::MatrixXd Minv(m.nv, m.nv);
  Jacobians jacobians(call, *frame, *expression);
  Workspace<double> ws(m);
  for (const int r : *rows) response->add_task_rows(r);
  for (int i = 0; i < question->count(); ++i) {
    if (absl::Status s = call.Check(i * 8); !s.ok()) return s;
    const double* q = question->q().row(i);
    const Eigen::MatrixXd J = jacobians.At(q);
    const Eigen::MatrixXd A = SelectRows(J, *rows);
    const Svd svd = ComputeSvd(A);
    auto* report = response->add_reports();
    // The kind of a singularity and the ranks are the posture's, whatever axes they are looked at in.
    Singularity found = AnalyseSingularity(m, m.frames[*frame], q, options, ws);
    if (found.kind == SingularityKind::kUndetermined)
      found.kind = ProbeKind(m, m.frames[*frame], Eigen::Map<const Eigen::VectorXd>(q, m.nq), found, options, ws);
    if (*expression != Expression::kWorldAligned) {
      found.singular_values = svd.s;
      found.rank = svd.Rank(options.tolerance * (svd.s.size() > 0 ? svd.s[0] : 0));
      found.lost = svd.U.rightCols(svd.U.cols() - found.rank);
      found.idle = svd.V.rightCols(svd.V.cols() - found.rank);
    }
    Append(found.singular_values.data(), static_cast<int>(found.singular_values.size()), report->mutable_singular_values());
    report->set_rank(found.rank);
    report->set_condition(std::isfinite(found.condition) ? found.condition : -1);
    report->set_manipulability(svd.s.size() == static_cast<long>(rows->size()) || m.nv < static_cast<int>(rows->size())
                                   ? svd.s.prod()
                                   : 0);
    if (!translation.empty()) report->set_manipulability_translation(ComputeSvd(SelectRows(J, translation)).s.prod());
    if (!rotation.empty()) report->set_manipulability_rotation(ComputeSvd(SelectRows(J, rotation)).s.prod());
    if (inertias && InverseMass(m, question->asked.conditions, q, derivatives, Minv))
      report->set_asada(Asada(J, Minv, translation));
    AppendColumns(found.lost, report->mutable_lost_directions());
    AppendColumns(found.idle, report->mutable_idle_motions());
    report->set_kind(ToProto(found.kind));
    if (A.rows() == A.cols()) report->set_determinant(Determinant(A));
    if (absl::Status s = wire::CheckAnswer("singular_values", report->singular_values(), 0); !s.ok()) return s;
  }
  response->mutable_info()->set_frame(m.frame_names[*frame]);
  response->mutable_info()->set_expression(ToProto(*expression));
  return Conclude(call, *question, request.context(), nullptr, false, response->mutable_info());
}

}  // namespace torqued
