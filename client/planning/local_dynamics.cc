#include "client/planning/local_dynamics.h"

#include "absl/strings/str_cat.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/tree/prepare.h"

namespace torqued {
namespace {

int FindFrame(const Prepared& m, const std::string& name) {
  for (size_t f = 0; f < m.frame_names.size(); ++f)
    if (m.frame_names[f] == name) return static_cast<int>(f);
  return -1;
}

Eigen::Isometry3d ToIsometry(const Mat3<double>& R, const Vec3<double>& p) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = ToEigen(R);
  X.translation() = ToEigen(p);
  return X;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalDynamics>> LocalDynamics::Create(std::shared_ptr<const Model> model,
                                                                     const LocalOptions& options) {
  for (const Coordinate& c : model->coordinates)
    if (VelocityCount(c.kind) != 1)
      return absl::FailedPreconditionError(
          absl::StrCat("joint ", c.name, ": has more than one degree of freedom; planners take revolute, continuous and "
                       "prismatic joints"));
  std::unique_ptr<LocalDynamics> out(new LocalDynamics);
  out->prepared_ = Prepare(*model);
  const Prepared& m = out->prepared_;
  out->inertias_ = m.inertias;
  out->tool_ = m.tool_frame;
  if (!options.tool_frame.empty()) {
    out->tool_ = FindFrame(m, options.tool_frame);
    if (out->tool_ < 0) return absl::NotFoundError(absl::StrCat("tool frame ", options.tool_frame, ": not in the model"));
  }
  for (const HeldMass& load : options.payloads) {
    const int f = load.frame.empty() ? out->tool_ : FindFrame(m, load.frame);
    if (f < 0) return absl::NotFoundError(absl::StrCat("payload frame ", load.frame, ": not in the model"));
    const BodyFrame& frame = m.frames[f];
    if (frame.body == kWorld) continue;  // held by the world: no joint feels it
    out->inertias_[frame.body] = out->inertias_[frame.body] + ToBodyInertia(load.mass, ToIsometry(frame.R, frame.p));
  }
  out->gravity_ = options.gravity ? FromEigen<double>(*options.gravity) : m.gravity;
  out->revision_ = options.revision;
  out->workspace_.Resize(m);
  out->model_ = std::move(model);
  return out;
}

absl::StatusOr<RobotFacts> LocalDynamics::Facts() {
  RobotFacts facts;
  for (const Coordinate& c : model_->coordinates) {
    facts.joint_names.push_back(c.name);
    facts.limits.push_back(c.limits);
    facts.friction.push_back(c.friction);
    facts.is_linear.push_back(c.kind == JointKind::kPrismatic);
  }
  facts.revision = revision_;
  return facts;
}

absl::Status LocalDynamics::CheckInertias() const {
  std::vector<bool> moved(model_->links.size(), false);
  for (size_t f = 0; f < moved.size(); ++f) moved[f] = prepared_.frames[f].body != kWorld;
  for (size_t l = 0; l < moved.size(); ++l)
    if (moved[l] && !model_->links[l].inertia)
      return absl::FailedPreconditionError(
          absl::StrCat("link ", model_->links[l].name, ": inertia unknown, torques cannot be computed"));
  return absl::OkStatus();
}

absl::Status LocalDynamics::CheckRows(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index columns) const {
  if (matrix.rows() == prepared_.nv && matrix.cols() == columns) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", matrix.rows(), " x ", matrix.cols(), ", want ", prepared_.nv,
                                                 " joints x ", columns, " samples"));
}

absl::StatusOr<PathCoefficients> LocalDynamics::PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                             const Eigen::MatrixXd& ddq) {
  absl::Status status = CheckInertias();
  status.Update(CheckRows("q", q, q.cols()));
  status.Update(CheckRows("dq", dq, q.cols()));
  status.Update(CheckRows("ddq", ddq, q.cols()));
  if (!status.ok()) return status;
  Conditions weightless(prepared_), still(prepared_);
  weightless.inertias = still.inertias = inertias_.data();
  weightless.terms.gravity = weightless.terms.friction = weightless.terms.springs = false;
  still.gravity = gravity_;
  still.terms.friction = false;
  PathCoefficients out;
  out.m.resize(q.rows(), q.cols());
  out.c.resize(q.rows(), q.cols());
  out.g.resize(q.rows(), q.cols());
  const double* none = nullptr;
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    torqued::InverseDynamics(prepared_, weightless, q.col(k).data(), none, dq.col(k).data(), workspace_, out.m.col(k).data());
    torqued::InverseDynamics(prepared_, weightless, q.col(k).data(), dq.col(k).data(), ddq.col(k).data(), workspace_,
                             out.c.col(k).data());
    torqued::InverseDynamics(prepared_, still, q.col(k).data(), none, none, workspace_, out.g.col(k).data());
  }
  out.revision = revision_;
  return out;
}

absl::StatusOr<TorqueAnswer> LocalDynamics::InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                                            const Eigen::MatrixXd& a) {
  absl::Status status = CheckInertias();
  status.Update(CheckRows("q", q, q.cols()));
  status.Update(CheckRows("v", v, q.cols()));
  status.Update(CheckRows("a", a, q.cols()));
  if (!status.ok()) return status;
  Conditions all(prepared_);
  all.inertias = inertias_.data();
  all.gravity = gravity_;
  TorqueAnswer out;
  out.tau.resize(q.rows(), q.cols());
  for (Eigen::Index k = 0; k < q.cols(); ++k)
    torqued::InverseDynamics(prepared_, all, q.col(k).data(), v.col(k).data(), a.col(k).data(), workspace_,
                             out.tau.col(k).data());
  out.revision = revision_;
  return out;
}

absl::StatusOr<FrameAnswer> LocalDynamics::Frames(const Eigen::MatrixXd& q, bool jacobians) {
  if (absl::Status status = CheckRows("q", q, q.cols()); !status.ok()) return status;
  FrameAnswer out;
  out.revision = revision_;
  const BodyFrame& tool = prepared_.frames[tool_];
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    if (jacobians) {
      out.J.emplace_back(6, prepared_.nv);
      Jacobian(prepared_, tool, Expression::kWorldAligned, q.col(k).data(), workspace_, out.J.back().data());
    } else {
      ForwardKinematics(prepared_, q.col(k).data(), workspace_);
    }
    const Pose<double> X = FramePose(tool, workspace_);
    out.X_WF.push_back(ToIsometry(X.R, X.p));
  }
  return out;
}

}  // namespace torqued
