// A source of dynamics whose robot keeps other limits than its model says: a cell's speed limit, a gear not to be loaded fully.
#pragma once

#include <string>
#include <vector>

#include "client/planning/dynamics_source.h"

namespace torqued {

struct LimitOverride {
  std::string joint;  // empty: every joint
  Limits limits;      // fields without a value stay the model's
};

// Everything but the limits is the inner source's. Not thread-safe.
class LimitedSource final : public DynamicsSource {
 public:
  // REQUIRES: inner outlives it.
  LimitedSource(DynamicsSource& inner, std::vector<LimitOverride> overrides)
      : inner_(inner), overrides_(std::move(overrides)) {}

  // In the order given, later ones win. INVALID_ARGUMENT: a joint that the robot does not have (those it has are named), a limit
  // that is not a number above 0, lower above upper.
  absl::StatusOr<RobotFacts> Facts() override;
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                const Eigen::MatrixXd& ddq) override {
    return inner_.PathDynamics(q, dq, ddq);
  }
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                               const Eigen::MatrixXd& a) override {
    return inner_.InverseDynamics(q, v, a);
  }
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override { return inner_.Frames(q, jacobians); }
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) override {
    return inner_.InverseKinematics(X_WF, seed);
  }

 private:
  DynamicsSource& inner_;
  const std::vector<LimitOverride> overrides_;
};

}  // namespace torqued
