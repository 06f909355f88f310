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

// How the rotation vector phi = log(R_target R^T) falls as R turns by w (world axes): phi - D w. The identity at phi = 0.
inline Eigen::Matrix3d RotationErrorRate(const Eigen::Vector3d& phi) {
  Eigen::Matrix3d K;
  K << 0, -phi.z(), phi.y(), phi.z(), 0, -phi.x(), -phi.y(), phi.x(), 0;
  const double angle = phi.norm();
  const double bend = angle < 1e-3 ? 1.0 / 12 : 1 / (angle * angle) - 1 / (2 * angle * std::tan(angle / 2));
  return Eigen::Matrix3d::Identity() + 0.5 * K + bend * K * K;
}

}  // namespace torqued
