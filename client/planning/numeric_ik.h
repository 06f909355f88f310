// Which joint positions reach a pose, without a closed form? Damped Gauss-Newton steps on a source's Jacobians.
//
//   dq = (J^T W J + lambda^2 D)^-1 J^T W e,   e = [p_want - p; rotation vector of R_want R^T],  D = diag(J^T W J) + tiny
// lambda shrinks with the error, so that the last steps are Newton's; rows can be left out (a planar arm: position only).
#pragma once

#include <array>

#include "client/planning/dynamics_source.h"

namespace torqued {

// Which of the six rows (x y z, then rotation about x y z, world axes) matter.
struct TaskRows {
  std::array<bool, 6> on = {true, true, true, true, true, true};
  static TaskRows PositionOnly() { return {{true, true, true, false, false, false}}; }
};

// [m; rad] what is missing from X to `want`; rows that are off are zero.
Eigen::Matrix<double, 6, 1> TaskError(const Eigen::Isometry3d& X, const Eigen::Isometry3d& want, const TaskRows& task);

// Least-squares joint step for a task velocity: J dq = e on the rows that are on. `lambda` damps relative to J's size.
Eigen::VectorXd SolveStep(const Eigen::MatrixXd& J, const Eigen::Matrix<double, 6, 1>& e, const TaskRows& task, double lambda);

// From `seed`, at most 60 steps; one call of the source per step. Answers no solution where it does not arrive within
// 1e-9 m and rad. Joint values are not wrapped: the solution is the one reached continuously from the seed.
absl::StatusOr<PoseAnswer> IterateToPose(DynamicsSource& source, const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed,
                                       const TaskRows& task = {});

}  // namespace torqued
