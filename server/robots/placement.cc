#include "server/robots/placement.h"

#include <cmath>

namespace torqued::robots {

void ExactSinCos(double angle, double& s, double& c) {
  constexpr double kQuarter = 1.57079632679489661923;
  const double turns = std::nearbyint(angle / kQuarter);
  if (std::abs(turns) <= 8 && std::abs(angle - turns * kQuarter) <= 4e-16 * std::abs(turns)) {
    constexpr double kSine[4] = {0, 1, 0, -1};
    const int quarter = static_cast<int>(turns) & 3;
    s = kSine[quarter];
    c = kSine[(quarter + 1) & 3];
    return;
  }
  s = std::sin(angle);
  c = std::cos(angle);
}

Eigen::Matrix3d RotationX(double angle) {
  double s, c;
  ExactSinCos(angle, s, c);
  return (Eigen::Matrix3d() << 1, 0, 0, 0, c, -s, 0, s, c).finished();
}

Eigen::Matrix3d RotationY(double angle) {
  double s, c;
  ExactSinCos(angle, s, c);
  return (Eigen::Matrix3d() << c, 0, s, 0, 1, 0, -s, 0, c).finished();
}

Eigen::Matrix3d RotationZ(double angle) {
  double s, c;
  ExactSinCos(angle, s, c);
  return (Eigen::Matrix3d() << c, -s, 0, s, c, 0, 0, 0, 1).finished();
}

Eigen::Matrix3d RotationFromRpy(const Eigen::Vector3d& rpy) {
  return RotationZ(rpy.z()) * RotationY(rpy.y()) * RotationX(rpy.x());
}

Eigen::Isometry3d Placement(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = R;
  X.translation() = p;
  X.matrix().array() += 0.0;  // -0 becomes 0
  return X;
}

Eigen::Vector3d Normalised(const Eigen::Vector3d& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  const Eigen::Vector3d scaled = v / largest;  // no overflow or underflow in the squares
  const double length = scaled.norm() * largest;
  if (std::abs(length - 1) <= 1e-12) return v;
  return scaled.normalized();
}

Eigen::Isometry3d Compose(const Eigen::Isometry3d& X_AB, const Eigen::Isometry3d& X_BC) {
  return Placement(X_AB.linear() * X_BC.linear(), X_AB * X_BC.translation());
}

DhPlacement PlaceDhRow(const DhRow& row, DhConvention convention) {
  const Eigen::Isometry3d turn = Placement(RotationZ(row.theta), Eigen::Vector3d(0, 0, row.d));
  if (convention == DhConvention::kStandard)
    return {turn, Placement(RotationX(row.alpha), Eigen::Vector3d(row.a, 0, 0))};
  const Eigen::Isometry3d offset = Placement(RotationX(row.alpha), Eigen::Vector3d(row.a, 0, 0));
  return {Compose(offset, turn), Eigen::Isometry3d::Identity()};
}

}  // namespace torqued::robots
