#include "client/planning/numeric_ik.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace torqued {

Eigen::Matrix<double, 6, 1> TaskError(const Eigen::Isometry3d& X, const Eigen::Isometry3d& want, const TaskRows& task) {
  Eigen::Matrix<double, 6, 1> e;
  e.head<3>() = want.translation() - X.translation();
  const Eigen::Quaterniond turn(want.linear() * X.linear().transpose());
  // Rotation vector: 2 atan2(|v|, w) v / |v|, the short way round.
  const double sine = turn.vec().norm(), sign = turn.w() < 0 ? -1 : 1;
  const double scale = sine < 1e-12 ? 2 : 2 * std::atan2(sine, sign * turn.w()) / sine;
  e.tail<3>() = sign * scale * turn.vec();
  for (int r = 0; r < 6; ++r)
    if (!task.on[r]) e[r] = 0;
  return e;
}

Eigen::VectorXd SolveStep(const Eigen::MatrixXd& J, const Eigen::Matrix<double, 6, 1>& e, const TaskRows& task,
                          double lambda) {
  Eigen::MatrixXd A = J;
  for (int r = 0; r < 6; ++r)
    if (!task.on[r]) A.row(r).setZero();
  const double size = A.squaredNorm() / static_cast<double>(A.cols());
  if (A.cols() >= 6) {
    Eigen::Matrix<double, 6, 6> N = A * A.transpose();
    for (int r = 0; r < 6; ++r) N(r, r) += task.on[r] ? (lambda * lambda + 1e-15) * size : 1;
    return A.transpose() * N.ldlt().solve(e);
  }
  Eigen::MatrixXd N = A.transpose() * A;
  N.diagonal().array() += (lambda * lambda + 1e-15) * size;
  return N.ldlt().solve(A.transpose() * e);
}

absl::StatusOr<PoseAnswer> IterateToPose(DynamicsSource& source, const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed,
                                       const TaskRows& task) {
  PoseAnswer answer;
  Eigen::VectorXd q = seed, best = seed;
  double lambda = 1e-3, best_error = HUGE_VAL;
  for (int step = 0; step < 60; ++step) {
    absl::StatusOr<FrameAnswer> at = source.Frames(q, true);
    if (!at.ok()) return at.status();
    answer.revision = at->revision;
    const Eigen::Matrix<double, 6, 1> e = TaskError(at->X_WF[0], X_WF, task);
    const double error = e.norm();
    if (error < 1e-10 || (error < 1e-9 && error >= best_error)) {
      answer.solutions.push_back({error < best_error ? q : best, "numeric"});
      return answer;
    }
    if (error < best_error) {
      best = q;
      best_error = error;
      lambda = std::max(lambda / 3, 1e-9);
    } else {
      lambda = std::min(lambda * 8, 1.0);
      q = best;
      at = source.Frames(q, true);
      if (!at.ok()) return at.status();
    }
    Eigen::VectorXd dq = SolveStep(at->J[0], TaskError(at->X_WF[0], X_WF, task), task, lambda);
    const double largest = dq.lpNorm<Eigen::Infinity>();
    if (largest > 0.5) dq *= 0.5 / largest;
    q = best + dq;
  }
  if (best_error < 1e-9) answer.solutions.push_back({best, "numeric"});
  return answer;
}

}  // namespace torqued
