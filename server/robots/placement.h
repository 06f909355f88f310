// How do angles in a description become rotations, without losing the exact zeros of quarter turns?
//
// An angle that is a quarter turn to within the rounding of a double (1.5707963267948966) has sine and cosine exactly
// 0 and +-1, so that later arithmetic can fold them. An angle given to fewer digits (1.5708) stays what was written.
#pragma once

#include <Eigen/Geometry>

namespace torqued::robots {

// s = sin(angle), c = cos(angle), exact at multiples of pi/2.
void ExactSinCos(double angle, double& s, double& c);

Eigen::Matrix3d RotationX(double angle);
Eigen::Matrix3d RotationY(double angle);
Eigen::Matrix3d RotationZ(double angle);

// URDF's convention: Rz(yaw) Ry(pitch) Rx(roll), fixed axes x, then y, then z.
Eigen::Matrix3d RotationFromRpy(const Eigen::Vector3d& rpy);

// Pose with rotation R and origin p; without negative zeros.
Eigen::Isometry3d Placement(const Eigen::Matrix3d& R, const Eigen::Vector3d& p);

// X_AC = X_AB X_BC, without negative zeros.
Eigen::Isometry3d Compose(const Eigen::Isometry3d& X_AB, const Eigen::Isometry3d& X_BC);

inline bool IsIdentity(const Eigen::Isometry3d& X) { return X.matrix() == Eigen::Matrix4d::Identity(); }

// v scaled to unit length. A vector whose length is 1 to within 1e-12 is kept bit for bit, so that reading what was
// written changes nothing. REQUIRES: v is not zero.
Eigen::Vector3d Normalised(const Eigen::Vector3d& v);

enum class DhConvention { kStandard, kModified };

// One row of a Denavit-Hartenberg table, at joint zero.
struct DhRow {
  double theta = 0;  // [rad]
  double d = 0;      // [m]
  double a = 0;      // [m]
  double alpha = 0;  // [rad]
};

// Where the row's joint (axis z) and its link frame stand.
//   standard:  A_i = Rz(theta) Tz(d) | joint | Tx(a) Rx(alpha)
//   modified:  A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d) | joint          (alpha, a of the previous link: Craig)
struct DhPlacement {
  Eigen::Isometry3d X_PJ, X_JL;
};
DhPlacement PlaceDhRow(const DhRow& row, DhConvention convention);

}  // namespace torqued::robots
