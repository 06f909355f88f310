// A source of dynamics in this process: the model prepared once, core's algorithms called directly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/planning/dynamics_source.h"
#include "server/core/dynamics/conditions.h"
#include "server/core/tree/prepared.h"
#include "server/core/tree/workspace.h"

namespace torqued {

// A mass rigidly held: given in the axes and about the origin of a link or named frame.
struct HeldMass {
  std::string frame;  // empty: the tool frame
  MassProperties mass;
};

struct LocalOptions {
  std::vector<HeldMass> payloads;
  std::optional<Eigen::Vector3d> gravity;  // world axes [m/s^2]; default: the model's
  std::string tool_frame;                  // empty: the model's
  std::string revision = "local";
};

// Not thread-safe: one per thread (it holds the scratch). The model is shared and never changed.
class LocalDynamics final : public DynamicsSource {
 public:
  // FAILED_PRECONDITION: a coordinate of more than one degree. NOT_FOUND: tool frame or a payload's frame.
  static absl::StatusOr<std::unique_ptr<LocalDynamics>> Create(std::shared_ptr<const Model> model,
                                                               const LocalOptions& options = {});

  absl::StatusOr<RobotFacts> Facts() override;
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                const Eigen::MatrixXd& ddq) override;
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                               const Eigen::MatrixXd& a) override;
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override;
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) override;

 private:
  LocalDynamics() = default;
  absl::Status CheckInertias() const;
  absl::Status CheckRows(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index columns) const;

  std::shared_ptr<const Model> model_;
  Prepared prepared_;
  std::vector<BodyInertia> inertias_;
  Vec3<double> gravity_{0, 0, 0};
  int tool_ = 0;
  std::string revision_;
  Workspace<double> workspace_;
};

}  // namespace torqued
