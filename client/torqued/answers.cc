// Typed results in Eigen: what a request's message and an answer's message hold, without a message
// in sight.
#include <absl/strings/str_cat.h>

#include "client/torqued/client.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/kinematics.pb.h"
#include "torqued/v1/statics.pb.h"

namespace torqued {
namespace {

void Set(const Rows& from, v1::JointVectors& to) {
  to.mutable_values()->Add(from.data(), from.data() + from.size());
}

absl::StatusOr<Rows> Get(const v1::JointVectors& from, int rows) {
  if (rows <= 0 || from.values_size() % rows != 0)
    return absl::InternalError(
        absl::StrCat("answer: ", from.values_size(), " values in ", rows, " rows"));
  return Rows(Eigen::Map<const Rows>(from.values().data(), rows, from.values_size() / rows));
}

Eigen::VectorXd Row(const v1::JointVectors& from) {
  return Eigen::Map<const Eigen::VectorXd>(from.values().data(), from.values_size());
}

absl::StatusOr<Eigen::MatrixXd> Get(const v1::Matrices& from) {
  if (from.values_size() < from.rows() * from.cols())
    return absl::InternalError(absl::StrCat("answer: matrix of ", from.values_size(), " values"));
  return Eigen::MatrixXd(Eigen::Map<const Rows>(from.values().data(), from.rows(), from.cols()));
}

absl::Status CheckRows(const char* field, const Rows& values, const Rows& q) {
  if (values.rows() == q.rows()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": ", values.rows(), " rows, want ", q.rows(), " as positions"));
}

// The common shape of a batch of dynamics questions: positions and two more sets of rows.
template <class Request>
absl::StatusOr<Request> MakeRequest(const Question& about, const Rows& q, const char* second_name,
                                    const Rows& second, v1::JointVectors* (Request::*set_second)(),
                                    const char* third_name, const Rows& third,
                                    v1::JointVectors* (Request::*set_third)()) {
  for (const auto& status : {CheckRows(second_name, second, q), CheckRows(third_name, third, q)})
    if (!status.ok()) return status;
  Request request;
  *request.mutable_context() = about.context();
  Set(q, *request.mutable_positions());
  Set(second, *(request.*set_second)());
  Set(third, *(request.*set_third)());
  return request;
}

absl::StatusOr<Eigen::VectorXd> First(absl::StatusOr<Rows> rows) {
  if (!rows.ok()) return rows.status();
  return Eigen::VectorXd(rows->row(0));
}

}  // namespace

absl::StatusOr<Eigen::Isometry3d> Client::ForwardKinematics(const Question& about,
                                                            const Eigen::VectorXd& q,
                                                            const std::string& frame) {
  v1::ComputeForwardKinematicsRequest request;
  *request.mutable_context() = about.context();
  Set(q.transpose(), *request.mutable_positions());
  if (!frame.empty()) request.add_frames(frame);
  const auto answer = Ask<v1::ComputeForwardKinematicsResponse>(request);
  if (!answer.ok()) return answer.status();
  if (answer->poses().values_size() != 7) return absl::InternalError("answer: not one pose");
  const double* p = answer->poses().values().data();
  return Eigen::Isometry3d(Eigen::Translation3d(p[0], p[1], p[2]) *
                           Eigen::Quaterniond(p[6], p[3], p[4], p[5]));
}

absl::StatusOr<Jacobian6> Client::Jacobian(const Question& about, const Eigen::VectorXd& q,
                                           const std::string& frame, v1::Expression expression) {
  v1::ComputeJacobianRequest request;
  *request.mutable_context() = about.context();
  Set(q.transpose(), *request.mutable_positions());
  request.set_frame(frame);
  request.set_expression(expression);
  const auto answer = Ask<v1::ComputeJacobianResponse>(request);
  if (!answer.ok()) return answer.status();
  const auto J = Get(answer->jacobians());
  if (!J.ok()) return J.status();
  if (J->rows() != 6) return absl::InternalError("answer: Jacobian without six rows");
  return Jacobian6(*J);
}

absl::StatusOr<std::vector<Eigen::VectorXd>> Client::InverseKinematics(
    const Question& about, const Eigen::Isometry3d& X_WF, const std::string& frame) {
  v1::ComputeInverseKinematicsRequest request;
  *request.mutable_context() = about.context();
  request.set_frame(frame);
  const Eigen::Quaterniond r(X_WF.rotation());
  for (const double value : {X_WF.translation().x(), X_WF.translation().y(), X_WF.translation().z(),
                             r.x(), r.y(), r.z(), r.w()})
    request.mutable_poses()->add_values(value);
  const auto answer = Ask<v1::ComputeInverseKinematicsResponse>(request);
  if (!answer.ok()) return answer.status();
  std::vector<Eigen::VectorXd> solutions;
  for (const auto& result : answer->results())
    for (const auto& solution : result.solutions())
      solutions.push_back(Eigen::Map<const Eigen::VectorXd>(solution.positions().data(),
                                                            solution.positions_size()));
  return solutions;
}

absl::StatusOr<Rows> Client::StaticTorques(const Question& about, const Rows& q) {
  v1::ComputeStaticTorqueRequest request;
  *request.mutable_context() = about.context();
  Set(q, *request.mutable_positions());
  const auto answer = Ask<v1::ComputeStaticTorqueResponse>(request);
  if (!answer.ok()) return answer.status();
  return Get(answer->efforts(), static_cast<int>(q.rows()));
}

absl::StatusOr<Rows> Client::InverseDynamicsBatch(const Question& about, const Rows& q,
                                                  const Rows& v, const Rows& a) {
  using Request = v1::ComputeInverseDynamicsRequest;
  const auto request = MakeRequest<Request>(about, q, "velocities", v, &Request::mutable_velocities,
                                            "accelerations", a, &Request::mutable_accelerations);
  if (!request.ok()) return request.status();
  const auto answer = Ask<v1::ComputeInverseDynamicsResponse>(*request);
  if (!answer.ok()) return answer.status();
  return Get(answer->efforts(), static_cast<int>(q.rows()));
}

absl::StatusOr<Rows> Client::ForwardDynamicsBatch(const Question& about, const Rows& q,
                                                  const Rows& v, const Rows& tau) {
  using Request = v1::ComputeForwardDynamicsRequest;
  const auto request = MakeRequest<Request>(about, q, "velocities", v, &Request::mutable_velocities,
                                            "efforts", tau, &Request::mutable_efforts);
  if (!request.ok()) return request.status();
  const auto answer = Ask<v1::ComputeForwardDynamicsResponse>(*request);
  if (!answer.ok()) return answer.status();
  return Get(answer->accelerations(), static_cast<int>(q.rows()));
}

absl::StatusOr<PathDynamicsRows> Client::PathDynamics(const Question& about, const Rows& q,
                                                      const Rows& dq_ds, const Rows& d2q_ds2) {
  using Request = v1::ComputePathDynamicsRequest;
  const auto request = MakeRequest<Request>(
      about, q, "first_derivatives", dq_ds, &Request::mutable_first_derivatives,
      "second_derivatives", d2q_ds2, &Request::mutable_second_derivatives);
  if (!request.ok()) return request.status();
  const auto answer = Ask<v1::ComputePathDynamicsResponse>(*request);
  if (!answer.ok()) return answer.status();
  const int rows = static_cast<int>(q.rows());
  auto m = Get(answer->m(), rows), c = Get(answer->c(), rows), g = Get(answer->g(), rows);
  for (const auto* part : {&m, &c, &g})
    if (!part->ok()) return part->status();
  return PathDynamicsRows{*std::move(m), *std::move(c), *std::move(g)};
}

absl::StatusOr<Eigen::VectorXd> Client::StaticTorque(const Question& about,
                                                     const Eigen::VectorXd& q) {
  return First(StaticTorques(about, q.transpose()));
}

absl::StatusOr<Eigen::VectorXd> Client::InverseDynamics(const Question& about,
                                                        const Eigen::VectorXd& q,
                                                        const Eigen::VectorXd& v,
                                                        const Eigen::VectorXd& a) {
  return First(InverseDynamicsBatch(about, q.transpose(), v.transpose(), a.transpose()));
}

absl::StatusOr<Eigen::VectorXd> Client::ForwardDynamics(const Question& about,
                                                        const Eigen::VectorXd& q,
                                                        const Eigen::VectorXd& v,
                                                        const Eigen::VectorXd& tau) {
  return First(ForwardDynamicsBatch(about, q.transpose(), v.transpose(), tau.transpose()));
}

absl::StatusOr<EquationOfMotion> Client::Equation(const Question& about, const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v) {
  v1::ComputeEquationOfMotionRequest request;
  *request.mutable_context() = about.context();
  Set(q.transpose(), *request.mutable_positions());
  Set(v.transpose(), *request.mutable_velocities());
  const auto answer = Ask<v1::ComputeEquationOfMotionResponse>(request);
  if (!answer.ok()) return answer.status();
  auto M = Get(answer->mass_matrix()), C = Get(answer->coriolis_matrix());
  for (const auto* part : {&M, &C})
    if (!part->ok()) return part->status();
  return EquationOfMotion{
      *std::move(M),          *std::move(C),           Row(answer->velocity_torque()),
      Row(answer->gravity()), Row(answer->friction()), Row(answer->springs())};
}

}  // namespace torqued
