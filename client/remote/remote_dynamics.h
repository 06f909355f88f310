// The planners' dynamics from a server: a DynamicsSource that asks through the client library.
//
//   auto client = torqued::Client::Open(options);
//   torqued::RemoteDynamics source(**client, torqued::Question("ur5e").Payload("tool0", 3, {0, 0, 0.05}));
//   auto plan = torqued::PlanAgainIfChanged([&] { return torqued::PlanPtp(source, from, to); });
//
// The robot's facts are asked once and kept, so that a plan in joint space costs two calls: PathDynamics for the whole grid and
// InverseDynamics for all samples. Every answer is compared with the revision that gave the facts; where the model has changed in
// between, the answer is ABORTED, the facts are forgotten, and planning again works on the new robot.
//
// Deadline of one call and retries are the client's; RemoteOptions::deadline bounds all calls of a source together.
#pragma once

#include <google/protobuf/message.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "client/planning/dynamics_source.h"
#include "client/torqued/client.h"

namespace torqued {

struct RemoteOptions {
  std::chrono::milliseconds deadline{0};  // from construction, for all calls together; 0: only the client's per call
};

// Not thread-safe: one per thread; one client serves many.
class RemoteDynamics final : public DynamicsSource {
 public:
  // Answers `request` into `answer`. `widths`: columns of the model's rows, 0 where not known yet.
  using AskFunction = std::function<absl::Status(const google::protobuf::Message& request,
                                                 google::protobuf::Message& answer, RowWidths widths)>;

  // REQUIRES: the client outlives it.
  RemoteDynamics(Client& client, const Question& about, const RemoteOptions& options = {});
  // Whoever answers torqued.v1: a server through other means, or an engine in this process.
  RemoteDynamics(AskFunction ask, v1::Context context, const RemoteOptions& options = {});

  // FAILED_PRECONDITION: a coordinate of more than one degree. From every call besides the server's own errors: ABORTED where
  // another revision answers than before, DEADLINE_EXCEEDED when the source's deadline is over, INTERNAL for an answer of a wrong size.
  absl::StatusOr<RobotFacts> Facts() override;
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                const Eigen::MatrixXd& ddq) override;
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                               const Eigen::MatrixXd& a) override;
  // Two calls where Jacobians are asked.
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override;
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) override;

  // Answered so far.
  int call_count() const { return call_count_; }

 private:
  absl::Status Call(const google::protobuf::Message& request, google::protobuf::Message& answer);
  // ABORTED if it is not the revision of the facts.
  absl::Status CheckRevision(const std::string& revision);
  absl::Status CheckRows(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index columns);
  absl::Status Read(const char* name, const google::protobuf::RepeatedField<double>& values, Eigen::Index rows,
                    Eigen::Index columns, Eigen::MatrixXd& out) const;

  const AskFunction ask_;
  const v1::Context context_;
  const RemoteOptions options_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<RobotFacts> facts_;
  int call_count_ = 0;
};

// Plans until the model stays the same from the first question to the last, at most `attempts` times. `plan` answers a Status or a
// StatusOr and asks its source for everything anew; timing options should have revision_attempts = 1 (the path is asked again too).
template <class Plan>
auto PlanAgainIfChanged(const Plan& plan, int attempts = 3) {
  auto result = plan();
  for (int again = 1; again < attempts; ++again) {
    absl::Status status;
    if constexpr (std::is_same_v<decltype(result), absl::Status>)
      status = result;
    else
      status = result.status();
    if (status.code() != absl::StatusCode::kAborted) break;
    result = plan();
  }
  return result;
}

}  // namespace torqued
