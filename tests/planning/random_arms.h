// Random arms and random five-waypoint paths: what the property run draws.
#pragma once

#include <cmath>
#include <random>

#include "client/planning/polynomial_path.h"
#include "tests/planning/robots.h"

namespace torqued::test {

struct RandomCase {
  std::shared_ptr<Model> model;
  LocalOptions options;
  std::shared_ptr<const Path> path;
  std::string what;
};

inline Eigen::Vector3d RandomDirection(std::mt19937_64& rng) {
  std::normal_distribution<double> normal;
  Eigen::Vector3d d;
  do d = Eigen::Vector3d(normal(rng), normal(rng), normal(rng));
  while (d.norm() < 0.1);
  return d.normalized();
}

// 2 to 7 joints, some prismatic, some idle along the path; limits from just enough to hold the arm to ample.
inline RandomCase DrawCase(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng); };
  const auto chance = [&](double p) { return uniform(0, 1) < p; };
  RandomCase out;
  const int n = std::uniform_int_distribution<int>(2, 7)(rng);
  const int dryness = std::uniform_int_distribution<int>(0, 2)(rng);
  std::vector<ArmLink> links(n);
  double reach = 0;
  for (ArmLink& link : links) {
    link.kind = chance(0.15) ? JointKind::kPrismatic : JointKind::kRevolute;
    link.axis = chance(0.5) ? Eigen::Vector3d(Eigen::Vector3d::Unit(std::uniform_int_distribution<int>(0, 2)(rng)))
                            : RandomDirection(rng);
    link.X_PJ.linear() = Eigen::AngleAxisd(uniform(-3, 3), RandomDirection(rng)).toRotationMatrix();
    link.X_PJ.translation() = uniform(0.05, 0.5) * RandomDirection(rng);
    reach += link.X_PJ.translation().norm();
    link.mass.mass = uniform(0.3, 8);
    link.mass.com = uniform(0, 0.25) * RandomDirection(rng);
    const Eigen::Vector3d half(uniform(0.02, 0.2), uniform(0.02, 0.2), uniform(0.02, 0.2));
    const Eigen::Vector3d sq = half.cwiseAbs2() * link.mass.mass / 3;
    link.mass.inertia_about_com = Eigen::Vector3d(sq.y() + sq.z(), sq.x() + sq.z(), sq.x() + sq.y()).asDiagonal();
  }
  HeldMass load;
  load.mass.mass = chance(0.7) ? uniform(0, 3) : 0;
  load.mass.com = 0.1 * RandomDirection(rng);
  out.options.payloads = {load};

  Eigen::MatrixXd way(n, 5);
  for (int j = 0; j < n; ++j) {
    const bool idle = chance(0.1);
    for (int k = 0; k < 5; ++k) way(j, k) = idle && k > 0 ? way(j, 0) : uniform(-1.5, 1.5) * (links[j].kind == JointKind::kPrismatic ? 0.3 : 1);
  }
  const int shape = std::uniform_int_distribution<int>(0, 2)(rng);
  if (shape == 2) {
    std::vector<BlendSize> blends(5, {uniform(0.02, 0.4), 0});
    if (chance(0.3)) blends[2].radius = 0;  // a sharp corner
    out.path = Polyline(way, blends)->path;
  } else {
    out.path = JointSpline(way, shape == 0 ? SplineKind::kCubic : SplineKind::kQuintic)->path;
  }
  out.model = Arm(links, Shift(0.05, 0, 0.1));

  // Limits in proportion to what holding takes along the path, plus some inertia.
  auto probe = Local(out.model, out.options);
  Eigen::VectorXd hold = Eigen::VectorXd::Zero(n), q(n), dq(n), ddq(n);
  for (int k = 0; k <= 40; ++k) {
    out.path->Evaluate(out.path->length() * k / 40, k < 40 ? Side::kRight : Side::kLeft, q.data(), dq.data(), ddq.data());
    const auto at = probe->PathDynamics(q, dq, ddq).value();
    hold = hold.cwiseMax(at.g.cwiseAbs() + 0.5 * at.m.cwiseAbs());
  }
  for (int j = 0; j < n; ++j) {
    Coordinate& c = out.model->coordinates[j];
    const double torque = (hold(j) + 0.05) * std::exp(uniform(-0.15, 1.6));
    c.limits.effort = torque;
    if (chance(0.7)) c.limits.velocity = uniform(0.5, 6);
    if (chance(0.5)) c.limits.acceleration = uniform(2, 40);
    if (dryness >= 1) c.friction = Dry(uniform(0, 0.12) * torque, 0);
    if (dryness == 2) c.friction.viscous = uniform(0, 0.08) * torque;
    if (dryness == 2 && chance(0.2)) c.friction.coulomb_negative *= 1.3;
  }
  out.what = "seed " + std::to_string(seed) + ": " + std::to_string(n) + " joints, friction " + std::to_string(dryness) +
             ", shape " + std::to_string(shape);
  return out;
}

}  // namespace torqued::test
