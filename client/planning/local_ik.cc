// Inverse kinematics of the in-process source: core's closed forms and numeric solver.
#include <algorithm>

#include "client/planning/local_dynamics.h"
#include "server/core/ik/inverse_kinematics.h"

namespace torqued {

absl::StatusOr<PoseAnswer> LocalDynamics::InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) {
  if (seed.size() != prepared_.nq || !seed.allFinite() || !X_WF.matrix().allFinite())
    return absl::InvalidArgumentError("inverse kinematics: want a finite pose and a finite seed of the robot's size");
  torqued::InverseKinematics solver(prepared_, prepared_.frames[tool_]);
  IkOptions options;
  options.seed = seed;
  PoseAnswer out;
  out.revision = revision_;
  const IkAnswer answer = solver.Solve(X_WF, options);
  if (!answer.reached) return out;
  for (const IkSolution& s : answer.solutions)
    out.solutions.push_back({s.q, answer.arm == IkClass::kNumeric ? "numeric" : Name(s.branch)});
  std::stable_sort(out.solutions.begin(), out.solutions.end(), [&](const PoseSolution& a, const PoseSolution& b) {
    return (a.q - seed).norm() < (b.q - seed).norm();
  });
  return out;
}

}  // namespace torqued
