// What does a rigid body weigh, where is its centre of mass, how hard is it to turn?
//
// User form: mass m, centre of mass c, inertia I_c about the centre of mass, all in one frame's axes.
// Algorithm form: m, mc = m c, and the inertia about the frame's origin I_o = I_c + m (c.c 1 - c c^T)
// (parallel-axis theorem), which adds up when bodies are joined rigidly.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "server/core/math/vec3.h"

namespace torqued {

// As a robot description gives it.
struct MassProperties {
  double mass = 0;                                                // [kg]
  Eigen::Vector3d com = Eigen::Vector3d::Zero();                  // [m], in the link frame
  Eigen::Matrix3d inertia_about_com = Eigen::Matrix3d::Zero();    // [kg m^2], link axes
};

// About the frame's origin: additive.
struct BodyInertia {
  double m = 0;                                      // [kg]
  Vec3<double> mc{0, 0, 0};                          // first moment [kg m]
  SymMat3<double> I{0, 0, 0, 0, 0, 0};               // about the origin [kg m^2]
};

inline BodyInertia operator+(const BodyInertia& a, const BodyInertia& b) {
  return {a.m + b.m, a.mc + b.mc, a.I + b.I};
}

// `mp` is given in frame L; X_BL is the pose of L in B. Result: about B's origin, in B's axes.
inline BodyInertia ToBodyInertia(const MassProperties& mp, const Eigen::Isometry3d& X_BL) {
  const Eigen::Vector3d c = X_BL * mp.com;
  const Eigen::Matrix3d R = X_BL.linear();
  const Eigen::Matrix3d I_c = R * mp.inertia_about_com * R.transpose();
  const Eigen::Matrix3d I_o =
      I_c + mp.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return {mp.mass, FromEigen<double>(Eigen::Vector3d(mp.mass * c)), SymFromEigen(I_o)};
}

// The inverse of ToBodyInertia with X_BL = identity. A massless body keeps com = 0.
inline MassProperties ToMassProperties(const BodyInertia& b) {
  MassProperties out;
  out.mass = b.m;
  if (b.m != 0) out.com = ToEigen(b.mc) / b.m;
  out.inertia_about_com =
      ToEigen(b.I) - b.m * (out.com.squaredNorm() * Eigen::Matrix3d::Identity() -
                            out.com * out.com.transpose());
  return out;
}

}  // namespace torqued
