// Which arm is this? The joint axes from the world to a frame, as lines in space at joint zero.
//
// A joint axis is a line: direction and a point. Everything the closed forms need (offsets, link lengths, whether axes
// are parallel, cross or meet) is read off these lines, so that no Denavit-Hartenberg convention is assumed and the same
// arm described in any way is recognised.
//     X_WF(q) = T_1(q_1) ... T_n(q_n) X_WF(0),    T_i: turn about, or slide along, line i.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "server/core/dynamics/place.h"
#include "server/core/tree/prepared.h"

namespace torqued {

struct ChainJoint {
  Eigen::Vector3d axis, point;  // world, at joint zero; axis is unit
  bool slides = false;          // prismatic
  int q_index = 0;              // tree q
};

struct SerialChain {
  std::vector<ChainJoint> joints;  // from the world outward
  Eigen::Isometry3d X_WF0 = Eigen::Isometry3d::Identity();  // the frame at joint zero
  bool one_degree = true;          // false: a spherical or floating joint lies on the way; joints is then of no use
  double size = 1;                 // [m] a length to compare tolerances with
};

inline SerialChain ExtractChain(const Prepared& m, const BodyFrame& frame) {
  SerialChain out;
  std::vector<int> path;
  for (int b = frame.body; b != kWorld; b = m.bodies[b].parent) path.push_back(b);
  std::reverse(path.begin(), path.end());
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  for (int b : path) {
    const Body& body = m.bodies[b];
    Eigen::Isometry3d X_PJ = Eigen::Isometry3d::Identity();
    X_PJ.linear() = ToEigen(body.R);
    X_PJ.translation() = ToEigen(body.p);
    X = X * X_PJ;
    if (body.motion == Motion::kSpherical || body.motion == Motion::kFloating) out.one_degree = false;
    if (body.motion == Motion::kRevolute || body.motion == Motion::kPrismatic)
      out.joints.push_back({X.linear().col(2), X.translation(), body.motion == Motion::kPrismatic, body.q_index});
  }
  Eigen::Isometry3d X_BF = Eigen::Isometry3d::Identity();
  X_BF.linear() = ToEigen(frame.R);
  X_BF.translation() = ToEigen(frame.p);
  out.X_WF0 = X * X_BF;
  double size = 0;
  for (const ChainJoint& j : out.joints) size = std::max(size, (j.point - out.X_WF0.translation()).norm());
  if (size > 0) out.size = size;
  return out;
}

// Where the target must be in world axes for the arm to have moved by R (x) = X_WF_target X_WF(0)^-1.
inline Eigen::Isometry3d Displacement(const SerialChain& chain, const Eigen::Isometry3d& X_WF) {
  return X_WF * chain.X_WF0.inverse();
}

inline Eigen::Matrix3d Turn(const Eigen::Vector3d& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// Angle about unit `axis` that brings u's part across the axis onto v's.
inline double AngleAbout(const Eigen::Vector3d& axis, const Eigen::Vector3d& u, const Eigen::Vector3d& v) {
  const Eigen::Vector3d a = u - axis * axis.dot(u), b = v - axis * axis.dot(v);
  return std::atan2(axis.dot(a.cross(b)), a.dot(b));
}

inline bool Parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double tolerance) {
  return a.cross(b).norm() <= tolerance;
}
inline bool Across(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double tolerance) {
  return std::abs(a.dot(b)) <= tolerance;
}

// The points of two non-parallel lines that are nearest to each other.
struct Feet {
  Eigen::Vector3d on_a, on_b;
};
inline Feet CommonPerpendicular(const ChainJoint& a, const ChainJoint& b) {
  const Eigen::Vector3d d = b.point - a.point;
  const double c = a.axis.dot(b.axis), det = 1 - c * c;
  const double s = (d.dot(a.axis) - c * d.dot(b.axis)) / det;
  const double t = (c * d.dot(a.axis) - d.dot(b.axis)) / det;
  return {a.point + s * a.axis, b.point + t * b.axis};
}
inline double DistanceToLine(const Eigen::Vector3d& point, const ChainJoint& line) {
  return line.axis.cross(point - line.point).norm();
}

}  // namespace torqued
