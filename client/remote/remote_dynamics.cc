#include "client/remote/remote_dynamics.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued {
namespace {

using google::protobuf::Message;

// Columns are samples, stored one after the other: the wire's row-major order of samples.
void Write(const Eigen::MatrixXd& columns, v1::JointVectors& to) {
  to.mutable_values()->Add(columns.data(), columns.data() + columns.size());
}

template <class Field>
std::optional<double> Optional(bool present, Field value) {
  return present ? std::optional<double>(value) : std::nullopt;
}

Limits LimitsOf(const v1::Coordinate& c) {
  Limits limits;
  limits.lower = Optional(c.has_lower(), c.lower());
  limits.upper = Optional(c.has_upper(), c.upper());
  limits.velocity = Optional(c.has_velocity(), c.velocity());
  limits.acceleration = Optional(c.has_acceleration(), c.acceleration());
  limits.jerk = Optional(c.has_jerk(), c.jerk());
  limits.effort = Optional(c.has_effort(), c.effort());
  return limits;
}

Friction FrictionOf(const v1::Friction& f) {
  return {f.viscous(),   f.coulomb_positive(),  f.coulomb_negative(),
          f.breakaway(), f.stribeck_velocity(), f.smoothing_velocity()};
}

// The same code and payloads with other words.
absl::Status Reworded(const absl::Status& status, const std::string& message) {
  absl::Status out(status.code(), message);
  status.ForEachPayload([&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace

RemoteDynamics::RemoteDynamics(Client& client, const Question& about, const RemoteOptions& options)
    : RemoteDynamics([&client](const Message& request, Message& answer,
                               RowWidths widths) { return client.Call(request, answer, nullptr, widths); },
                     about.context(), options) {}

RemoteDynamics::RemoteDynamics(AskFunction ask, v1::Context context, const RemoteOptions& options)
    : ask_(std::move(ask)), context_(std::move(context)), options_(options) {}

absl::Status RemoteDynamics::Call(const Message& request, Message& answer) {
  if (options_.deadline.count() > 0 && std::chrono::steady_clock::now() - start_ > options_.deadline)
    return absl::DeadlineExceededError(absl::StrCat("planning: ", options_.deadline.count(), " ms are over after ", call_count_,
                                                    " answers of the server"));
  const int width = facts_ ? facts_->joint_count() : 0;
  absl::Status status = ask_(request, answer, RowWidths{width, width});
  if (status.ok()) {
    ++call_count_;
    return status;
  }
  const bool lost = status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kDeadlineExceeded;
  if (lost && call_count_ > 0)
    return Reworded(status, absl::StrCat("the server was lost while planning, after ", call_count_, " answers: ", status.message()));
  // A batch in parts whose revision changed between them is the same event.
  if (status.code() == absl::StatusCode::kAborted) facts_.reset();
  return status;
}

absl::Status RemoteDynamics::CheckRevision(const std::string& revision) {
  if (!facts_ || facts_->revision == revision) return absl::OkStatus();
  const std::string before = facts_->revision;
  facts_.reset();
  return absl::AbortedError(absl::StrCat("the model changed while planning: ", ModelId(before), " answered first, then ",
                                         ModelId(revision)));
}

absl::Status RemoteDynamics::CheckRows(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index columns) {
  if (!facts_)
    if (const auto facts = Facts(); !facts.ok()) return facts.status();
  if (matrix.rows() == facts_->joint_count() && matrix.cols() == columns) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", matrix.rows(), " x ", matrix.cols(), ", want ",
                                                 facts_->joint_count(), " joints x ", columns, " samples"));
}

absl::Status RemoteDynamics::Read(const char* name, const google::protobuf::RepeatedField<double>& values, Eigen::Index rows,
                                  Eigen::Index columns, Eigen::MatrixXd& out) const {
  if (values.size() != rows * columns)
    return absl::InternalError(
        absl::StrCat("the server answered ", values.size(), " values for ", name, ", want ", rows, " x ", columns));
  out = Eigen::Map<const Eigen::MatrixXd>(values.data(), rows, columns);
  return absl::OkStatus();
}

absl::StatusOr<RobotFacts> RemoteDynamics::Facts() {
  if (facts_) return *facts_;
  v1::GetModelRequest request;
  request.set_name(context_.model());
  v1::GetModelResponse answer;
  if (absl::Status status = Call(request, answer); !status.ok()) return status;
  const v1::Model& model = answer.model();
  RobotFacts facts;
  for (const v1::Coordinate& c : model.coordinates()) {
    if (c.kind() != v1::JOINT_KIND_REVOLUTE && c.kind() != v1::JOINT_KIND_CONTINUOUS && c.kind() != v1::JOINT_KIND_PRISMATIC)
      return absl::FailedPreconditionError(absl::StrCat(
          "joint ", c.name(), ": has more than one degree of freedom; planners take revolute, continuous and prismatic joints"));
    facts.joint_names.push_back(c.name());
    facts.limits.push_back(LimitsOf(c));
    facts.friction.push_back(FrictionOf(c.friction()));
    facts.is_linear.push_back(c.kind() == v1::JOINT_KIND_PRISMATIC);
  }
  const std::string name = model.name().substr(0, model.name().find("/revisions/"));
  facts.revision = absl::StrCat(name, "/revisions/", model.revision());
  facts_ = facts;
  return facts;
}

absl::StatusOr<PathCoefficients> RemoteDynamics::PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                              const Eigen::MatrixXd& ddq) {
  absl::Status status = CheckRows("q", q, q.cols());
  status.Update(CheckRows("dq", dq, q.cols()));
  status.Update(CheckRows("ddq", ddq, q.cols()));
  if (!status.ok()) return status;
  v1::ComputePathDynamicsRequest request;
  *request.mutable_context() = context_;
  Write(q, *request.mutable_positions());
  Write(dq, *request.mutable_first_derivatives());
  Write(ddq, *request.mutable_second_derivatives());
  v1::ComputePathDynamicsResponse answer;
  if (status = Call(request, answer); !status.ok()) return status;
  if (status = CheckRevision(answer.info().revision()); !status.ok()) return status;
  PathCoefficients out;
  out.revision = answer.info().revision();
  status = Read("m", answer.m().values(), q.rows(), q.cols(), out.m);
  status.Update(Read("c", answer.c().values(), q.rows(), q.cols(), out.c));
  status.Update(Read("g", answer.g().values(), q.rows(), q.cols(), out.g));
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<TorqueAnswer> RemoteDynamics::InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                                             const Eigen::MatrixXd& a) {
  absl::Status status = CheckRows("q", q, q.cols());
  status.Update(CheckRows("v", v, q.cols()));
  status.Update(CheckRows("a", a, q.cols()));
  if (!status.ok()) return status;
  v1::ComputeInverseDynamicsRequest request;
  *request.mutable_context() = context_;
  Write(q, *request.mutable_positions());
  Write(v, *request.mutable_velocities());
  Write(a, *request.mutable_accelerations());
  v1::ComputeInverseDynamicsResponse answer;
  if (status = Call(request, answer); !status.ok()) return status;
  if (status = CheckRevision(answer.info().revision()); !status.ok()) return status;
  TorqueAnswer out;
  out.revision = answer.info().revision();
  if (status = Read("efforts", answer.efforts().values(), q.rows(), q.cols(), out.tau); !status.ok()) return status;
  return out;
}

absl::StatusOr<FrameAnswer> RemoteDynamics::Frames(const Eigen::MatrixXd& q, bool jacobians) {
  absl::Status status = CheckRows("q", q, q.cols());
  if (!status.ok()) return status;
  v1::ComputeForwardKinematicsRequest request;
  *request.mutable_context() = context_;
  Write(q, *request.mutable_positions());
  v1::ComputeForwardKinematicsResponse answer;
  if (status = Call(request, answer); !status.ok()) return status;
  if (status = CheckRevision(answer.info().revision()); !status.ok()) return status;
  FrameAnswer out;
  out.revision = answer.info().revision();
  Eigen::MatrixXd poses;
  if (status = Read("poses", answer.poses().values(), 7, q.cols(), poses); !status.ok()) return status;
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.translation() = poses.col(k).head<3>();
    X.linear() = Eigen::Quaterniond(poses(6, k), poses(3, k), poses(4, k), poses(5, k)).normalized().toRotationMatrix();
    out.X_WF.push_back(X);
  }
  if (!jacobians) return out;
  v1::ComputeJacobianRequest second;
  *second.mutable_context() = context_;
  *second.mutable_positions() = std::move(*request.mutable_positions());
  v1::ComputeJacobianResponse rates;
  if (status = Call(second, rates); !status.ok()) return status;
  if (status = CheckRevision(rates.info().revision()); !status.ok()) return status;
  Eigen::MatrixXd all;
  if (status = Read("jacobians", rates.jacobians().values(), 6 * q.rows(), q.cols(), all); !status.ok()) return status;
  using RowMajor = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
  for (Eigen::Index k = 0; k < q.cols(); ++k)
    out.J.emplace_back(Eigen::Map<const RowMajor>(all.col(k).data(), 6, q.rows()));
  return out;
}

absl::StatusOr<PoseAnswer> RemoteDynamics::InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) {
  absl::Status status = CheckRows("seed", seed, 1);
  if (!status.ok()) return status;
  if (!X_WF.matrix().allFinite()) return absl::InvalidArgumentError("inverse kinematics: pose not finite, want numbers");
  v1::ComputeInverseKinematicsRequest request;
  *request.mutable_context() = context_;
  const Eigen::Quaterniond r(X_WF.linear());
  for (const double value : {X_WF.translation().x(), X_WF.translation().y(), X_WF.translation().z(), r.x(), r.y(), r.z(), r.w()})
    request.mutable_poses()->add_values(value);
  Write(seed, *request.mutable_seeds());
  v1::ComputeInverseKinematicsResponse answer;
  if (status = Call(request, answer); !status.ok()) return status;
  if (status = CheckRevision(answer.info().revision()); !status.ok()) return status;
  PoseAnswer out;
  out.revision = answer.info().revision();
  if (answer.results_size() != 1 || !answer.results(0).reached()) return out;
  for (const auto& solution : answer.results(0).solutions()) {
    if (solution.positions_size() != seed.size())
      return absl::InternalError(absl::StrCat("the server answered ", solution.positions_size(), " joint values, want ", seed.size()));
    out.solutions.push_back({Eigen::Map<const Eigen::VectorXd>(solution.positions().data(), seed.size()), solution.branch()});
  }
  std::stable_sort(out.solutions.begin(), out.solutions.end(), [&](const PoseSolution& a, const PoseSolution& b) {
    return (a.q - seed).norm() < (b.q - seed).norm();
  });
  return out;
}

}  // namespace torqued
