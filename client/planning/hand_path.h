// Where does the hand go? Lines, arcs and polylines in space with turning by SLERP, and the joint path that follows them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/dynamics_source.h"
#include "client/planning/numeric_ik.h"
#include "client/planning/path.h"
#include "client/planning/path_timing.h"
#include "client/planning/polynomial_path.h"

namespace torqued {

// The tool frame's pose along s. s is the length of the way of its origin [m] (of the turn [rad] where it only turns).
struct HandPath {
  std::shared_ptr<const Path> point;  // three "joints": x, y, z [m]
  // Turns: between s_from and s_to about `axis` (world) by `angle`, with the s-curve r^3 (10 - 15 r + 6 r^2) or evenly.
  struct Turn {
    double s_from = 0, s_to = 0;
    Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
    double angle = 0;
    bool smooth = false;
  };
  Eigen::Matrix3d R_start = Eigen::Matrix3d::Identity();
  std::vector<Turn> turns;
  std::vector<std::string> warnings;

  double length() const { return point->length(); }
  Eigen::Isometry3d PoseAt(double s) const;
  // d/ds of the pose: linear, then angular (world axes).
  Eigen::Matrix<double, 6, 1> TwistAt(double s, Side side) const;
  // d/ds of the twist.
  Eigen::Matrix<double, 6, 1> TwistRateAt(double s, Side side) const;
};

// Straight, turning evenly the shorter way round (the sign of the quaternion is checked). INVALID_ARGUMENT: not finite.
absl::StatusOr<HandPath> HandLine(const Eigen::Isometry3d& from, const Eigen::Isometry3d& to);

// Circular, from `from` through the point `via` to `to`. Points on one line: INVALID_ARGUMENT, saying so.
absl::StatusOr<HandPath> HandArc(const Eigen::Isometry3d& from, const Eigen::Vector3d& via, const Eigen::Isometry3d& to);

// Straight segments with blended corners (Polyline), turning smoothly along each straight part.
absl::StatusOr<HandPath> HandPolyline(const std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>& poses,
                                      const std::vector<BlendSize>& blends);

// Derivatives of the tool point, for tool limits in TimingOptions.
std::shared_ptr<const ToolPath> ToolPathOf(const HandPath& hand);

struct FollowOptions {
  TaskRows task;                   // a planar arm follows positions only
  double tolerance = 1e-5;         // [m] and [rad] of the hand, midway between nodes
  int max_nodes = 4000;
  double max_joint_rate = 2e3;     // joint rate per unit of path beyond which the path counts as singular
};

struct FollowedPath {
  std::shared_ptr<const Path> path;  // in joint space, same s
  double residual = 0;               // largest deviation of the hand found midway [m; rad]
  std::string branch_start, branch_end;  // where the source knows branches
  std::vector<std::string> warnings;     // near a singularity, a branch that changed
};

// Joint path from q_start (which must reach the first pose within 1e-6) along the hand path, staying on its branch:
// tracking by Jacobians, then all nodes in batches, halved where the hand deviates midway.
// FAILED_PRECONDITION: q_start elsewhere; the way is lost (out of reach, or truly singular), with the pose, the joint that would
// have to jump, and that a point-to-point move is the alternative.
absl::StatusOr<FollowedPath> FollowHand(DynamicsSource& source, const HandPath& hand, const Eigen::VectorXd& q_start,
                                        const FollowOptions& options = {});

}  // namespace torqued
