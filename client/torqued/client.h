// How does a C++ program ask a torqued server? No gRPC type stands in this header.
//
//   torqued::ClientOptions options;  options.server = "127.0.0.1:50051";
//   auto client = torqued::Client::Open(options);
//   auto tau = (*client)->StaticTorque("ur5e", q);          // absl::StatusOr<Eigen::VectorXd>
//
// Numbers are SI and radians, joint order is the model's. Errors are absl::Status with the server's
// message; status.h reads reason and field violations out of them. UNAVAILABLE and
// DEADLINE_EXCEEDED may come from any call. Thread-safe: one Client serves all threads of a
// program.
#pragma once

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/torqued/batch.h"
#include "client/torqued/options.h"
#include "client/torqued/question.h"
#include "torqued/v1/models.pb.h"

namespace torqued {

class Transport;
class TorqueStream;

// One row per sample.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Jacobian6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;  // rows linear 3, angular 3

struct EquationOfMotion {
  Eigen::MatrixXd mass_matrix;      // M [nv x nv], rotors inside
  Eigen::MatrixXd coriolis_matrix;  // C with dM/dt - 2 C skew symmetric
  Eigen::VectorXd velocity_torque;  // C v
  Eigen::VectorXd gravity, friction, springs;
};

struct PathDynamicsRows {  // tau = m sddot + c sdot^2 + g, one row per point
  Rows m, c, g;
};

struct Registration {
  v1::Base base = v1::BASE_UNSPECIFIED;
  v1::Policy policy = v1::POLICY_UNSPECIFIED;
  bool validate_only = false;
};

class Client {
 public:
  // Does not connect: the first call does. INVALID_ARGUMENT: a TLS file that cannot be read.
  static absl::StatusOr<std::unique_ptr<Client>> Open(const ClientOptions& options = {});
  ~Client();

  // Kinematics, one state. Frame empty: the tool frame.
  absl::StatusOr<Eigen::Isometry3d> ForwardKinematics(const Question& about,
                                                      const Eigen::VectorXd& q,
                                                      const std::string& frame = "");
  absl::StatusOr<Jacobian6> Jacobian(const Question& about, const Eigen::VectorXd& q,
                                     const std::string& frame = "",
                                     v1::Expression expression = v1::EXPRESSION_WORLD_ALIGNED);
  // Every branch, each a q; empty: not reachable.
  absl::StatusOr<std::vector<Eigen::VectorXd>> InverseKinematics(const Question& about,
                                                                 const Eigen::Isometry3d& X_WF,
                                                                 const std::string& frame = "");

  // Statics and dynamics, one state [Nm or N; rad/s^2 or m/s^2]. The wrenches of the question
  // count.
  absl::StatusOr<Eigen::VectorXd> StaticTorque(const Question& about, const Eigen::VectorXd& q);
  absl::StatusOr<Eigen::VectorXd> InverseDynamics(const Question& about, const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v,
                                                  const Eigen::VectorXd& a);
  absl::StatusOr<Eigen::VectorXd> ForwardDynamics(const Question& about, const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v,
                                                  const Eigen::VectorXd& tau);
  absl::StatusOr<EquationOfMotion> Equation(const Question& about, const Eigen::VectorXd& q,
                                            const Eigen::VectorXd& v);

  // A batch: one row per state, of any length (split to the server's limits).
  absl::StatusOr<Rows> StaticTorques(const Question& about, const Rows& q);
  absl::StatusOr<Rows> InverseDynamicsBatch(const Question& about, const Rows& q, const Rows& v,
                                            const Rows& a);
  absl::StatusOr<Rows> ForwardDynamicsBatch(const Question& about, const Rows& q, const Rows& v,
                                            const Rows& tau);
  absl::StatusOr<PathDynamicsRows> PathDynamics(const Question& about, const Rows& q,
                                                const Rows& dq_ds, const Rows& d2q_ds2);

  // Models. `source` is the text of a URDF or of a robot in Torqued's YAML; findings stand in the
  // answer.
  absl::StatusOr<v1::Model> RegisterModel(const std::string& id, const std::string& source,
                                          const Registration& how = {});
  absl::StatusOr<v1::Model> UpdateModel(const std::string& id, const std::string& source,
                                        const Registration& how = {}, const std::string& etag = "");
  absl::StatusOr<v1::Model> GetModel(const std::string& id,
                                     v1::ModelView view = v1::MODEL_VIEW_BASIC);
  absl::StatusOr<std::vector<v1::Model>> ListModels();
  absl::Status RemoveModel(const std::string& id);
  // Blocks. A snapshot, SYNCED, then every change, until `each` returns false. After a break
  // (UNAVAILABLE) call again with the last position seen; OUT_OF_RANGE: that position is gone,
  // start again from 0.
  absl::Status WatchModels(int64_t resume_after,
                           const std::function<bool(const v1::WatchModelsResponse&)>& each);

  // Any other question of the contract, request in, answer out:
  //   auto answer = client->Ask<v1::ComputeEnergyResponse>(request);
  // with the default deadline, retries where a repeat is harmless, and batches split and joined.
  template <class Response>
  absl::StatusOr<Response> Ask(const google::protobuf::Message& request) {
    Response response;
    if (absl::Status status = Call(request, response); !status.ok()) return status;
    return response;
  }
  // `widths`: of the model's rows, where the caller knows them: a large batch then needs no look-up of the model.
  absl::Status Call(const google::protobuf::Message& request, google::protobuf::Message& response,
                    const Progress& progress = nullptr, RowWidths widths = {});
  // For methods that answer with a stream: `part` holds each message while `each` runs.
  absl::Status Receive(const google::protobuf::Message& request, google::protobuf::Message& part,
                       const std::function<bool()>& each);

  // grpc.health.v1: OK when serving, UNAVAILABLE with the state's name otherwise.
  absl::Status CheckHealth();

  // For one control loop; independent of other streams. REQUIRES: the client outlives it.
  std::unique_ptr<TorqueStream> OpenStream(const Question& about,
                                           std::chrono::nanoseconds answer_deadline);

  const ClientOptions& options() const { return options_; }

 private:
  Client(const ClientOptions& options, std::unique_ptr<Transport> transport);

  absl::Status CallOnce(const google::protobuf::Message& request,
                        google::protobuf::Message& response);
  absl::Status CallInParts(const google::protobuf::Message& request,
                           google::protobuf::Message& response, const Progress& progress,
                           RowWidths widths);
  absl::StatusOr<BatchLimits> Limits();
  absl::StatusOr<RowWidths> Widths(const std::string& model);

  const ClientOptions options_;
  const std::unique_ptr<Transport> transport_;
  std::mutex mutex_;  // guards what follows
  bool limits_known_ = false;
  BatchLimits limits_;
};

}  // namespace torqued
