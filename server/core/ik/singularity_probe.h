// Where the second derivatives of the hand say nothing about a lost direction: is there workspace on both sides?
//
// For each lost direction u two targets are tried, the hand's pose moved by +-step along u (the other chosen rows kept), by
// inverse kinematics, in closed form where the arm has one. Both reached, for every u: INTERIOR, and the postures found are
// the proof (they may be other branches, or lie along a self-motion). One side reached and the other not, for some u:
// BOUNDARY; for an arm without a closed form that is evidence, not proof, since a search may miss. Neither: UNDETERMINED.
#pragma once

#include "server/core/dynamics/singularity.h"
#include "server/core/ik/inverse_kinematics.h"

namespace torqued {

struct ProbeOptions {
  double step = 1e-4;  // along u [m, rad]
  int starts = 24;     // of a numeric search
};

// `found`: AnalyseSingularity's answer at q for the same frame and options.
inline SingularityKind ProbeKind(const Prepared& m, const BodyFrame& frame, const Eigen::VectorXd& q,
                                 const Singularity& found, const SingularityOptions& o, Workspace<double>& ws,
                                 const ProbeOptions& probe = {}) {
  InverseKinematics solver(m, frame);
  IkOptions ik;
  ik.task.on.fill(false);
  for (int r : o.rows) ik.task.on[r] = true;
  ik.seed = q;
  ik.restarts = probe.starts;
  ik.position_tolerance = ik.rotation_tolerance = 1e-3 * probe.step;
  const Eigen::Isometry3d here = FramePoseAt(m, frame, q.data(), ws);
  const auto reached = [&](const Eigen::VectorXd& u, double step) {
    Eigen::VectorXd twist = Eigen::VectorXd::Zero(6);
    for (size_t i = 0; i < o.rows.size(); ++i) twist[o.rows[i]] = step * u[i] * (o.rows[i] < 3 ? o.length : 1);
    Eigen::Isometry3d target = here;
    target.translation() += twist.head<3>();
    const double angle = twist.tail<3>().norm();
    if (angle > 0) target.linear() = Eigen::AngleAxisd(angle, twist.tail<3>() / angle) * here.linear();
    return solver.Solve(target, ik).reached;
  };
  bool interior = found.lost.cols() > 0;
  for (int k = 0; k < found.lost.cols(); ++k) {
    const bool plus = reached(found.lost.col(k), probe.step), minus = reached(found.lost.col(k), -probe.step);
    if (plus != minus) return SingularityKind::kBoundary;
    interior = interior && plus;
  }
  return interior ? SingularityKind::kInterior : SingularityKind::kUndetermined;
}

}  // namespace torqued
