// How far is a frame from where it should be, and which way? e = [p_target - p; axis x angle], world axes.
#pragma once

#include <Eigen/Geometry>

#include "server/core/dynamics/jacobian.h"

namespace torqued {

// The rotation vector that turns R into R_target (world axes), angle in [0, pi].
inline Eigen::Vector3d RotationError(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R) {
  Eigen::Quaterniond u(Eigen::Matrix3d(R_target * R.transpose()));
  if (u.w() < 0) u.coeffs() = -u.coeffs();
  const double s = u.vec().norm();
  if (s < 1e-150) return 2 * u.vec();
  return u.vec() * (2 * std::atan2(s, u.w()) / s);
}

inline Eigen::Isometry3d FramePoseAt(const Prepared& m, const BodyFrame& frame, const double* q, Workspace<double>& ws) {
  ForwardKinematics(m, q, ws);
  const Pose<double> X = FramePose(frame, ws);
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  out.linear() = ToEigen(X.R);
  out.translation() = ToEigen(X.p);
  return out;
}

inline Eigen::Matrix<double, 6, 1> PoseError(const Eigen::Isometry3d& target, const Eigen::Isometry3d& X) {
  Eigen::Matrix<double, 6, 1> e;
  e << target.translation() - X.translation(),
      RotationError(Eigen::Matrix3d(target.linear()), Eigen::Matrix3d(X.linear()));
  return e;
}

}  // namespace torqued
