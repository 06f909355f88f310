// Inverse kinematics for any tree: Levenberg-Marquardt on the pose error, with limits and restarts.
//
//   (J^T J + lambda 1) dq = J^T e,   q <- q (+) dq,   lambda down when the error falls, up when it does not.
// Far from a solution this is a small gradient step, near it Newton's: quadratic. A coordinate that a limit stops is
// taken out of the step while the step pushes against it. Starts: the seed, the middle of the limits, then points drawn
// from the seeded generator within limits (one turn to each side where a joint has none). Works for spherical and
// floating joints and with couplings, since it only uses J and q (+) dq.
#pragma once

#include <limits>

#include "server/core/dynamics/manifold.h"
#include "server/core/ik/pose_error.h"
#include "server/core/ik/solution.h"
#include "server/core/math/random.h"
#include "server/core/math/svd.h"

namespace torqued {

// What the numeric solver works on; frame fixed for its life. One per thread.
class NumericIk {
 public:
  NumericIk(const Prepared& m, const BodyFrame& frame) : m_(m), frame_(frame), ws_(m), J_(6, m.nv) {}

  // From q to the nearest q where the error stops falling. Returns the final error [m; rad].
  Eigen::Matrix<double, 6, 1> Descend(const Eigen::Isometry3d& target, const IkOptions& options, int iterations,
                                      Eigen::VectorXd& q) {
    Eigen::Matrix<double, 6, 1> e = Error(target, q);
    double lambda = 1e-3;
    for (int k = 0; k < iterations; ++k) {
      const Eigen::Matrix<double, 6, 1> w = TaskError(target, e, options.task);
      if (Reached(w, options)) {
        // One more Newton step costs little and takes the error from "within tolerance" to rounding.
        if (k > 0 && w.norm() < 1e-14) break;
        lambda = 0;
      }
      Jacobian(m_, frame_, Expression::kWorldAligned, q.data(), ws_, J_.data());
      RestrictJacobian(target, e, options.task);
      const Eigen::VectorXd dq = Step(w, options, lambda, q);
      Eigen::VectorXd trial = q;
      AddTangent(m_, dq.data(), 1.0, trial.data());
      Clamp(options, trial);
      const Eigen::Matrix<double, 6, 1> e_trial = Error(target, trial);
      const double before = w.norm(), after = TaskError(target, e_trial, options.task).norm();
      if (after < before) {
        const bool stalled = after > before * (1 - 1e-9) && lambda < 1e-2;
        q = trial;
        e = e_trial;
        lambda = std::max(lambda * 0.2, 1e-12);
        if (stalled) break;
      } else {
        if (Reached(w, options) || lambda > 1e6) break;
        lambda = std::max(lambda * 5, 1e-9);
      }
    }
    return e;
  }

  // Best of all starts. Deterministic for options.random_seed.
  IkSolution Solve(const Eigen::Isometry3d& target, const IkOptions& options) {
    Random random(options.random_seed);
    IkSolution best;
    best.position_error = best.rotation_error = std::numeric_limits<double>::infinity();
    double best_norm = std::numeric_limits<double>::infinity();
    for (int start = 0; start <= options.restarts + 1; ++start) {
      Eigen::VectorXd q = Start(options, start, random);
      if (start == 0) best.q = q;  // where no distance is a number, the seed stays
      const Eigen::Matrix<double, 6, 1> e = Descend(target, options, options.iterations, q);
      const double norm = TaskError(target, e, options.task).norm();
      if (norm >= best_norm) continue;
      best_norm = norm;
      best.q = q;
      Judge(target, e, options, best);
      if (best.reached) break;
    }
    return best;
  }

  // Writes the errors of a solution and whether it reaches the target, from its pose error e (world axes).
  static void Judge(const Eigen::Isometry3d& target, const Eigen::Matrix<double, 6, 1>& e, const IkOptions& o, IkSolution& s) {
    s.position_error = e.head<3>().norm();
    s.rotation_error = e.tail<3>().norm();
    s.task_error = TaskError(target, e, o.task);
    s.reached = Reached(s.task_error, o);
  }
  // w: a task error.
  static bool Reached(const Eigen::Matrix<double, 6, 1>& w, const IkOptions& o) {
    return w.head<3>().norm() <= o.position_tolerance && w.tail<3>().norm() <= o.rotation_tolerance;
  }
  // [m; rad], world axes.
  Eigen::Matrix<double, 6, 1> Error(const Eigen::Isometry3d& target, const Eigen::VectorXd& q) {
    return PoseError(target, FramePoseAt(m_, frame_, q.data(), ws_));
  }
  // The same in the task's axes, zero in rows that do not count.
  static Eigen::Matrix<double, 6, 1> TaskError(const Eigen::Isometry3d& target, Eigen::Matrix<double, 6, 1> e,
                                               const IkTask& task) {
    if (task.in_target_axes) {
      e.head<3>() = (target.linear().transpose() * e.head<3>()).eval();
      e.tail<3>() = (target.linear().transpose() * e.tail<3>()).eval();
    }
    for (int r = 0; r < 6; ++r)
      if (!task.on[r]) e[r] = 0;
    return e;
  }

 private:
  // J_ becomes the derivative of the task error: where some turns are free the rest of the rotation may be far from zero.
  void RestrictJacobian(const Eigen::Isometry3d& target, const Eigen::Matrix<double, 6, 1>& e, const IkTask& task) {
    if (task.turns() && !task.has_rotation())
      J_.bottomRows<3>() = (RotationErrorRate(e.tail<3>()) * J_.bottomRows<3>()).eval();
    if (task.in_target_axes) {
      J_.topRows<3>() = (target.linear().transpose() * J_.topRows<3>()).eval();
      J_.bottomRows<3>() = (target.linear().transpose() * J_.bottomRows<3>()).eval();
    }
    for (int r = 0; r < 6; ++r)
      if (!task.on[r]) J_.row(r).setZero();
  }

  Eigen::VectorXd Step(const Eigen::Matrix<double, 6, 1>& e, const IkOptions& options, double lambda,
                       const Eigen::VectorXd& q) {
    for (int attempt = 0; attempt <= m_.nv; ++attempt) {
      const Svd svd = ComputeSvd(J_);
      const double least = 1e-12 * std::max(svd.s[0], 1e-300);
      Eigen::VectorXd dq = Eigen::VectorXd::Zero(m_.nv);
      for (int k = 0; k < svd.Rank(least); ++k)
        dq += svd.V.col(k) * (svd.s[k] / (svd.s[k] * svd.s[k] + lambda) * svd.U.col(k).dot(e));
      const double longest = dq.cwiseAbs().maxCoeff();
      if (longest > 1.5) dq *= 1.5 / longest;
      bool stopped = false;
      ForEachGroup(m_, [&](int v, int p, int width) {
        if (width != 1 || dq[v] == 0) return;
        const bool low = options.lower.size() > 0 && q[p] <= options.lower[p] && dq[v] < 0;
        const bool high = options.upper.size() > 0 && q[p] >= options.upper[p] && dq[v] > 0;
        if (low || high) J_.col(v).setZero(), stopped = true;
      });
      if (!stopped) return dq;
    }
    return Eigen::VectorXd::Zero(m_.nv);
  }

  void Clamp(const IkOptions& options, Eigen::VectorXd& q) const {
    ForEachGroup(m_, [&](int, int p, int width) {
      if (width != 1) return;
      if (options.lower.size() > 0) q[p] = std::max(q[p], options.lower[p]);
      if (options.upper.size() > 0) q[p] = std::min(q[p], options.upper[p]);
    });
  }

  Eigen::VectorXd Start(const IkOptions& options, int start, Random& random) const {
    Eigen::VectorXd q(m_.nq);
    SetNeutral(m_, q.data());
    if (options.seed.size() > 0) q = options.seed;
    if (start == 0) {
      Clamp(options, q);
      return q;
    }
    ForEachGroup(m_, [&](int v, int p, int width) {
      if (width != 1) {
        if (start < 2) return;
        double delta[3];
        for (double& x : delta) x = random.Uniform(-M_PI, M_PI);
        TurnQuaternion(delta, q.data() + p + (width == 6 ? 3 : 0));
        return;
      }
      const double low = options.lower.size() > 0 ? options.lower[p] : -M_PI;
      const double high = options.upper.size() > 0 ? options.upper[p] : M_PI;
      const double from = std::isfinite(low) ? low : std::isfinite(high) ? high - 2 * M_PI : -M_PI;
      const double to = std::isfinite(high) ? high : from + 2 * M_PI;
      // Not exactly the middle: straight arms are singular there more often than not.
      q[p] = start == 1 ? from + 0.55 * (to - from) : random.Uniform(from, to);
    });
    return q;
  }

  const Prepared& m_;
  BodyFrame frame_;
  Workspace<double> ws_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> J_;
};

}  // namespace torqued
