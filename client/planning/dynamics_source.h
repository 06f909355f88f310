// Where do torques, poses and limits come from? From a server or from this process: planners see only this interface.
//
// Every answer names the model revision that gave it, so that a plan never mixes two robots. Implementations: LocalDynamics
// (local_dynamics.h, in process); the client library wraps a server. Payload, gravity and tool frame belong to the source.
// Matrices have one column per sample and one row per joint (tool rows: x y z of the frame origin, then rotation, world axes).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/tree/model.h"

namespace torqued {

struct RobotFacts {
  std::vector<std::string> joint_names;  // one per coordinate; planners take coordinates of one degree only
  std::vector<Limits> limits;
  std::vector<Friction> friction;
  std::vector<bool> is_linear;           // [m] and [N] instead of [rad] and [Nm]
  std::string revision;

  int joint_count() const { return static_cast<int>(joint_names.size()); }
};

// tau = m u + c x + g, friction off (PLANNING: x = sdot^2, u = sddot).
struct PathCoefficients {
  Eigen::MatrixXd m, c, g;
  std::string revision;
};

struct TorqueAnswer {
  Eigen::MatrixXd tau;  // friction on
  std::string revision;
};

struct FrameAnswer {
  std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>> X_WF;  // of the tool frame
  std::vector<Eigen::MatrixXd> J;      // 6 x joints each, rows linear then angular, world axes; empty unless asked
  std::string revision;
};

// One way to reach a pose.
struct PoseSolution {
  Eigen::VectorXd q;
  std::string branch;  // "elbow-up ..."; "numeric" where there is no closed form
};

struct PoseAnswer {
  std::vector<PoseSolution> solutions;  // nearest to the seed first; empty: not reachable
  std::string revision;
};

class DynamicsSource {
 public:
  virtual ~DynamicsSource() = default;

  // Facts of the current revision. UNAVAILABLE, DEADLINE_EXCEEDED: from a server.
  virtual absl::StatusOr<RobotFacts> Facts() = 0;

  // m, c, g for every column: one call for a whole grid. FAILED_PRECONDITION: inertias unknown.
  virtual absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                                        const Eigen::MatrixXd& ddq) = 0;

  // Full inverse dynamics, all terms, friction included.
  virtual absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v,
                                                       const Eigen::MatrixXd& a) = 0;

  // Tool frame poses, and Jacobians if asked, for every column of q.
  virtual absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) = 0;

  // All branches in closed form where there is one; else what iteration from `seed` finds.
  virtual absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) = 0;
};

}  // namespace torqued
