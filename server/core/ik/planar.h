// Closed forms for arms that move in a plane, with or without a slide across it: 2R, RP, 3R, SCARA.
#pragma once

#include <algorithm>
#include <vector>

#include "server/core/ik/chain.h"
#include "server/core/ik/planar_pair.h"
#include "server/core/ik/solution.h"

namespace torqued {

// A closed form's answer in joint values of the chain, before it is verified.
struct ChainSolution {
  std::vector<double> joint;
  Branch branch;
  Degenerate degenerate;
};

// The arm's plane: z along the first revolute axis, two directions across it.
struct Plane {
  Eigen::Vector3d x, y, z;
  Eigen::Vector2d operator()(const Eigen::Vector3d& v) const { return {x.dot(v), y.dot(v)}; }
};
inline Plane PlaneAcross(const Eigen::Vector3d& z) {
  const Eigen::Vector3d x = z.unitOrthogonal();
  return {x, z.cross(x), z};
}

// Two or three parallel revolute joints, and at most one slide along them, in any order.
struct ParallelArm {
  std::vector<int> turns;  // chain indices
  int slide = -1;
};
inline bool RecogniseParallelArm(const SerialChain& chain, double tolerance, ParallelArm& arm) {
  arm = {};
  const size_t n = chain.joints.size();
  if (!chain.one_degree || n < 2 || n > 4) return false;
  for (size_t i = 0; i < n; ++i) {
    const ChainJoint& j = chain.joints[i];
    if (!Parallel(j.axis, chain.joints[0].axis, tolerance)) return false;
    if (!j.slides) arm.turns.push_back(static_cast<int>(i));
    else if (arm.slide < 0) arm.slide = static_cast<int>(i);
    else return false;
  }
  if (arm.turns.size() < 2 || arm.turns.size() > 3) return false;
  const auto& J = chain.joints;
  const double least = tolerance * chain.size;
  if (DistanceToLine(J[arm.turns[1]].point, J[arm.turns[0]]) <= least) return false;
  const Eigen::Vector3d end = arm.turns.size() == 3 ? J[arm.turns[2]].point : chain.X_WF0.translation();
  return DistanceToLine(end, J[arm.turns[1]]) > least;
}

// Position in the plane, height if there is a slide, turn if there are three revolute joints. `seed`: chain joints.
inline std::vector<ChainSolution> SolveParallelArm(const SerialChain& chain, const ParallelArm& arm,
                                                   const Eigen::Isometry3d& X_WF, const std::vector<double>& seed) {
  const auto& J = chain.joints;
  const ChainJoint& first = J[arm.turns[0]];
  const Plane plane = PlaneAcross(first.axis);
  const Eigen::Isometry3d D = Displacement(chain, X_WF);
  const bool third = arm.turns.size() == 3;
  // The whole turn about z, read off a direction in the plane (a tilted target is met as well as the arm can).
  const double turn = AngleAbout(plane.z, plane.x, D.linear() * plane.x);
  const Eigen::Vector3d hand0 = chain.X_WF0.translation(), hand = X_WF.translation();
  const Eigen::Vector3d elbow0 = J[arm.turns[1]].point, end0 = third ? J[arm.turns[2]].point : hand0;
  const Eigen::Vector2d reach0 = plane(hand0 - end0);  // from the third axis to the hand
  const double c = std::cos(turn), s = std::sin(turn);
  Eigen::Vector2d target = plane(hand - first.point);
  if (third) target -= Eigen::Vector2d(c * reach0.x() - s * reach0.y(), s * reach0.x() + c * reach0.y());
  const double sign1 = 1, sign2 = J[arm.turns[1]].axis.dot(plane.z) > 0 ? 1 : -1;
  const PlanarPair pair = SolvePlanarPair(plane(elbow0 - first.point), plane(end0 - elbow0), target,
                                          seed[arm.turns[0]], 1e-12 * chain.size);
  std::vector<ChainSolution> out;
  if (!pair.reachable) return out;
  for (int side = 0; side < (pair.stretched ? 1 : 2); ++side) {
    ChainSolution x;
    x.joint.assign(J.size(), 0);
    x.joint[arm.turns[0]] = sign1 * pair.phi1[side];
    x.joint[arm.turns[1]] = sign2 * (pair.phi2[side] - pair.phi1[side]);
    if (third) {
      const double sign3 = J[arm.turns[2]].axis.dot(plane.z) > 0 ? 1 : -1;
      x.joint[arm.turns[2]] = sign3 * (turn - pair.phi2[side]);
    }
    if (arm.slide >= 0) x.joint[arm.slide] = J[arm.slide].axis.dot(hand - hand0);
    x.branch.elbow = side == 0 ? Elbow::kUp : Elbow::kDown;
    x.degenerate.elbow = pair.stretched;
    x.degenerate.shoulder = pair.free;
    out.push_back(x);
  }
  return out;
}

// A revolute joint, then a slide across its axis.
inline bool RecognisePolarArm(const SerialChain& chain, double tolerance) {
  return chain.one_degree && chain.joints.size() == 2 && !chain.joints[0].slides && chain.joints[1].slides &&
         Across(chain.joints[0].axis, chain.joints[1].axis, tolerance);
}

// Position in the plane. Right: the hand lies ahead along the slide; left: behind the axis.
inline std::vector<ChainSolution> SolvePolarArm(const SerialChain& chain, const Eigen::Isometry3d& X_WF,
                                                const std::vector<double>& seed) {
  const ChainJoint &turn = chain.joints[0], &slide = chain.joints[1];
  const Plane plane{slide.axis, turn.axis.cross(slide.axis), turn.axis};
  const Eigen::Vector2d at_zero = plane(chain.X_WF0.translation() - turn.point);
  const Eigen::Vector2d target = plane(X_WF.translation() - turn.point);
  const double offset = at_zero.y(), rest_sq = target.squaredNorm() - offset * offset;
  std::vector<ChainSolution> out;
  const double tolerance = 1e-12 * chain.size;
  if (rest_sq < -tolerance * chain.size) return out;
  const double ahead = std::sqrt(std::max(0.0, rest_sq));
  const bool free = target.norm() <= tolerance;
  for (int side = 0; side < (ahead <= tolerance ? 1 : 2); ++side) {
    const double r = side == 0 ? ahead : -ahead;
    ChainSolution x;
    const double theta = std::atan2(target.y(), target.x()) - std::atan2(offset, r);
    x.joint = {free ? seed[0] : theta, r - at_zero.x()};
    x.branch.shoulder = side == 0 ? Shoulder::kRight : Shoulder::kLeft;
    x.degenerate.shoulder = ahead <= tolerance;
    out.push_back(x);
  }
  return out;
}

}  // namespace torqued
