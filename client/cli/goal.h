// Where shall the robot go? A joint configuration, or a place of its hand.
#pragma once

#include <absl/status/statusor.h>

#include <Eigen/Geometry>
#include <string>

#include "client/cli/mover.h"
#include "client/planning/numeric_ik.h"

namespace torqued::cli {

class GoalOptions {
 public:
  // Declares --from, --deg and the goal: --to, --to-xyz with --to-rpy, --to-pose, --by.
  void Declare(OptionSet& options);

  absl::StatusOr<Eigen::VectorXd> From(const Mover& mover) const;
  bool degrees() const { return degrees_; }
  // Exactly one way to say the goal. INVALID_ARGUMENT otherwise.
  absl::Status CheckOne() const;
  bool in_joints() const { return !to_.empty(); }
  absl::StatusOr<Eigen::VectorXd> Joints(const Mover& mover) const;
  // The goal as a pose; what is not said (rotation with --to-xyz, all with --by) is that of the start.
  absl::StatusOr<Eigen::Isometry3d> Pose(const Mover& mover, const Eigen::VectorXd& from) const;

 private:
  std::string from_, to_, xyz_, rpy_, pose_, by_;
  bool degrees_ = false;
};

// X,Y,Z,QX,QY,QZ,QW. INVALID_ARGUMENT: a quaternion that is not of unit length within 1e-3.
absl::StatusOr<Eigen::Isometry3d> ParsePose(const std::string& flag, const std::vector<double>& values);
absl::StatusOr<Eigen::Isometry3d> HandAt(const Mover& mover, const Eigen::VectorXd& q);

// Which rows of the hand's motion the robot can follow: those of --rows, else those that suit it (asked at `from`).
absl::StatusOr<TaskRows> RowsFor(Session& session, const Mover& mover, const std::string& rows, const Eigen::VectorXd& from);

}  // namespace torqued::cli
