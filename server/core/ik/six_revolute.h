// Closed forms for six-revolute arms: with a spherical wrist, and of the UR type. Up to eight named branches.
//
// Both have their first axis across the second and the second parallel to the third. In the frame x (forward), y (along
// the second axis, signed so that the arm stands forward at joint zero), z (first axis), with the origin where the first
// axis passes the second, every point that only joints two and three (and for UR four) move keeps its y coordinate. So
//   joint 1:     the wrist point (p_x, p_y) lies at (r, d) in the turned frame, d known: r = +-sqrt(p_x^2 + p_y^2 - d^2);
//   joints 2, 3: two links in the plane (planar_pair.h).
// Spherical wrist: the wrist point is where axes 4, 5, 6 meet; the rest is R_4 R_5 R_6 = known.
// UR: the wrist point is where axes 5 and 6 meet; joint 5 from the angle between axes 2 and 6, joint 6 from axis 2 seen
// in the hand, and joint 4 closes the sum of the three parallel joints.
#pragma once

#include <vector>

#include "server/core/ik/planar.h"

namespace torqued {

struct SixArm {
  IkClass kind = IkClass::kNumeric;
  Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  Eigen::Vector3d wrist = Eigen::Vector3d::Zero();  // the wrist point at joint zero
  double shoulder = 0;       // x of the second axis [m]
  double aside = 0;          // y of the wrist point [m]
  double sign[6]{};          // of joints 2, 3, 4 (UR) about y
};

// Returns false (and kNumeric) for an arm that is neither.
inline bool RecogniseSixArm(const SerialChain& chain, double tolerance, SixArm& arm) {
  arm = {};
  const auto& J = chain.joints;
  if (!chain.one_degree || J.size() != 6) return false;
  for (const ChainJoint& j : J)
    if (j.slides) return false;
  const double length = tolerance * chain.size;
  if (!Across(J[0].axis, J[1].axis, tolerance) || !Parallel(J[1].axis, J[2].axis, tolerance)) return false;
  if (DistanceToLine(J[2].point, J[1]) <= length) return false;
  const bool fourth_parallel = Parallel(J[2].axis, J[3].axis, tolerance);
  if (Parallel(J[4].axis, J[5].axis, tolerance) || Parallel(J[3].axis, J[4].axis, tolerance)) return false;
  const Feet last = CommonPerpendicular(J[4], J[5]);
  if ((last.on_a - last.on_b).norm() > length) return false;
  arm.wrist = last.on_a;
  if (!fourth_parallel && DistanceToLine(arm.wrist, J[3]) <= length) arm.kind = IkClass::kSphericalWrist;
  else if (fourth_parallel && Across(J[3].axis, J[4].axis, tolerance) && Across(J[4].axis, J[5].axis, tolerance) &&
           DistanceToLine(J[3].point, J[2]) > length)
    arm.kind = IkClass::kUr;
  else return false;

  const Feet base = CommonPerpendicular(J[0], J[1]);
  arm.origin = base.on_a;
  arm.z = J[0].axis;
  arm.y = J[1].axis;
  arm.x = arm.y.cross(arm.z).normalized();
  double ahead = arm.x.dot(arm.wrist - arm.origin);
  if (std::abs(ahead) <= length) ahead = arm.x.dot(base.on_b - arm.origin);
  if (ahead < -length) arm.x = -arm.x, arm.y = -arm.y;
  arm.shoulder = arm.x.dot(base.on_b - arm.origin);
  arm.aside = arm.y.dot(arm.wrist - arm.origin);
  for (int i = 1; i < 4; ++i) arm.sign[i] = J[i].axis.dot(arm.y) > 0 ? 1 : -1;
  // Two links of no length leave nothing to solve.
  const Eigen::Vector3d end = arm.kind == IkClass::kUr ? J[3].point : arm.wrist;
  return DistanceToLine(end, J[2]) > length;
}

namespace six_detail {

// Joint 1 so that p, a point fixed at `aside` along the second axis, comes into place.
struct ShoulderAnswer {
  double theta, forward;
  Shoulder side;
  bool degenerate;
};
inline std::vector<ShoulderAnswer> SolveShoulder(const SixArm& arm, const Eigen::Vector3d& p, double seed,
                                                 double tolerance) {
  const double px = arm.x.dot(p - arm.origin), py = arm.y.dot(p - arm.origin);
  const double rho = std::hypot(px, py), d = arm.aside;
  if (rho < std::abs(d) - tolerance) return {};
  const double r = std::sqrt(std::max(0.0, (rho - std::abs(d)) * (rho + std::abs(d))));
  if (rho <= tolerance) return {{seed, 0, Shoulder::kRight, true}};
  const double arg = std::atan2(py, px);
  // z x x = y, so angles about z are counted from x towards y.
  std::vector<ShoulderAnswer> out{{arg - std::atan2(d, r), r, Shoulder::kRight, r <= tolerance}};
  if (r > tolerance) out.push_back({arg - std::atan2(d, -r), -r, Shoulder::kLeft, false});
  return out;
}

// Joints 2 and 3 for the links e, w (at joint zero) to end at t; all in (z, x), where a turn about y is counter-clockwise.
struct ElbowAnswer {
  double phi2, phi3;  // absolute turns about y
  Elbow elbow;
  bool degenerate;
};
inline std::vector<ElbowAnswer> SolveElbow(const Eigen::Vector2d& e, const Eigen::Vector2d& w, const Eigen::Vector2d& t,
                                           double forward, double free_phi, double tolerance) {
  const PlanarPair pair = SolvePlanarPair(e, w, t, free_phi, tolerance);
  std::vector<ElbowAnswer> out;
  if (!pair.reachable) return out;
  for (int side = 0; side < (pair.stretched ? 1 : 2); ++side) {
    // Left in (z, x) is below when the arm reaches forward, above when it reaches backward.
    const bool up = (side == 0) != (forward >= 0);
    out.push_back({pair.phi1[side], pair.phi2[side], up ? Elbow::kUp : Elbow::kDown, pair.stretched});
  }
  return out;
}

struct WristAnswer {
  double theta4, theta5, theta6;
  Wrist wrist;
  bool degenerate;
};

// R_4 R_5 R_6 = R about the axes at joint zero, which need not be square to each other.
inline std::vector<WristAnswer> SolveWrist(const Eigen::Vector3d& a4, const Eigen::Vector3d& a5,
                                           const Eigen::Vector3d& a6, const Eigen::Matrix3d& R, double seed4) {
  const Eigen::Vector3d hand = R * a6;
  // a4 . R_5 a6 = C + A cos + B sin
  const double C = a4.dot(a5) * a5.dot(a6), A = a4.dot(a6) - C, B = a4.dot(a5.cross(a6));
  const double h = std::hypot(A, B), k = a4.dot(hand) - C;
  if (std::abs(k) > h * (1 + 1e-12)) return {};
  // Square wrists: the sine is |a4 x hand|, exact where the wrist is nearly in line.
  const bool square = std::abs(C) < 1e-12;
  const double s = square ? h * a4.cross(hand).norm() : std::sqrt(std::max(0.0, (h - k) * (h + k)));
  const double opening = std::atan2(s, k), aligned = std::atan2(B, A);
  const bool in_line = s <= 1e-9 * h;
  std::vector<WristAnswer> out;
  for (int side = 0; side < (in_line ? 1 : 2); ++side) {
    WristAnswer x;
    x.theta5 = aligned + (side == 0 ? opening : -opening);
    const Eigen::Matrix3d R5 = Turn(a5, x.theta5);
    x.theta4 = in_line ? seed4 : AngleAbout(a4, R5 * a6, hand);
    const Eigen::Matrix3d R6 = R5.transpose() * Turn(a4, -x.theta4) * R;
    const Eigen::Vector3d across = a6.unitOrthogonal();
    x.theta6 = AngleAbout(a6, across, R6 * across);
    x.wrist = side == 0 ? Wrist::kNoFlip : Wrist::kFlip;
    x.degenerate = in_line;
    out.push_back(x);
  }
  return out;
}

inline Eigen::Vector2d InPlane(const SixArm& arm, const Eigen::Vector3d& v) { return {arm.z.dot(v), arm.x.dot(v)}; }

}  // namespace six_detail

inline std::vector<ChainSolution> SolveSphericalWrist(const SerialChain& chain, const SixArm& arm,
                                                      const Eigen::Isometry3d& X_WF, const std::vector<double>& seed) {
  using namespace six_detail;
  const auto& J = chain.joints;
  const double tolerance = 1e-12 * chain.size;
  const Eigen::Isometry3d D = Displacement(chain, X_WF);
  const Eigen::Vector3d p = D * arm.wrist;
  const Eigen::Vector2d shoulder0 = InPlane(arm, J[1].point - arm.origin), elbow0 = InPlane(arm, J[2].point - arm.origin),
                        wrist0 = InPlane(arm, arm.wrist - arm.origin);
  std::vector<ChainSolution> out;
  for (const ShoulderAnswer& sh : SolveShoulder(arm, p, seed[0], tolerance)) {
    const Eigen::Vector2d t = Eigen::Vector2d(arm.z.dot(p - arm.origin), sh.forward) - shoulder0;
    for (const ElbowAnswer& el :
         SolveElbow(elbow0 - shoulder0, wrist0 - elbow0, t, sh.forward, arm.sign[1] * seed[1], tolerance)) {
      const Eigen::Matrix3d R123 = Turn(arm.z, sh.theta) * Turn(arm.y, el.phi3);
      for (const WristAnswer& wr :
           SolveWrist(J[3].axis, J[4].axis, J[5].axis, R123.transpose() * D.linear(), seed[3])) {
        ChainSolution x;
        x.joint = {sh.theta, arm.sign[1] * el.phi2, arm.sign[2] * (el.phi3 - el.phi2), wr.theta4, wr.theta5, wr.theta6};
        x.branch = {sh.side, el.elbow, wr.wrist};
        x.degenerate = {sh.degenerate, el.degenerate, wr.degenerate};
        out.push_back(x);
      }
    }
  }
  return out;
}

inline std::vector<ChainSolution> SolveUr(const SerialChain& chain, const SixArm& arm, const Eigen::Isometry3d& X_WF,
                                          const std::vector<double>& seed) {
  using namespace six_detail;
  const auto& J = chain.joints;
  const double tolerance = 1e-12 * chain.size;
  const Eigen::Isometry3d D = Displacement(chain, X_WF);
  const Eigen::Vector3d p = D * arm.wrist;
  const Eigen::Vector2d shoulder0 = InPlane(arm, J[1].point - arm.origin), elbow0 = InPlane(arm, J[2].point - arm.origin),
                        fourth0 = InPlane(arm, J[3].point - arm.origin);
  std::vector<ChainSolution> out;
  for (const ShoulderAnswer& sh : SolveShoulder(arm, p, seed[0], tolerance)) {
    const Eigen::Matrix3d R = Turn(arm.z, -sh.theta) * D.linear();  // = R_y(phi4) R_5 R_6
    // SolveWrist with axis y in place of axis four: its first angle is the sum of the parallel joints. In line, joint six
    // is free: it comes from the seed, and so does then the first angle.
    std::vector<WristAnswer> wrists = SolveWrist(arm.y, J[4].axis, J[5].axis, R, 0);
    for (WristAnswer& wr : wrists) {
      if (wr.degenerate) {
        const Eigen::Matrix3d Ry = R * Turn(J[5].axis, -seed[5]) * Turn(J[4].axis, -wr.theta5);
        wr.theta6 = seed[5];
        wr.theta4 = AngleAbout(arm.y, arm.x, Ry * arm.x);
      }
      // Axis four, carried back from the hand, in the turned arm's plane.
      Eigen::Isometry3d back = Eigen::Isometry3d::Identity();
      back.linear() = Turn(arm.y, wr.theta4);
      back.translation() = Turn(arm.z, -sh.theta) * (p - arm.origin) + arm.origin - back.linear() * arm.wrist;
      const Eigen::Vector2d t = InPlane(arm, back * J[3].point - arm.origin) - shoulder0;
      for (const ElbowAnswer& el :
           SolveElbow(elbow0 - shoulder0, fourth0 - elbow0, t, sh.forward, arm.sign[1] * seed[1], tolerance)) {
        ChainSolution x;
        x.joint = {sh.theta,
                   arm.sign[1] * el.phi2,
                   arm.sign[2] * (el.phi3 - el.phi2),
                   arm.sign[3] * (wr.theta4 - el.phi3),
                   wr.theta5,
                   wr.theta6};
        x.branch = {sh.side, el.elbow, wr.wrist};
        x.degenerate = {sh.degenerate, el.degenerate, wr.degenerate};
        out.push_back(x);
      }
    }
  }
  return out;
}

}  // namespace torqued
