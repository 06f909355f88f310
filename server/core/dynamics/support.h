// How does a legged robot stand? Foot forces inside friction cones, joint torques, and how far it is from tipping.
//
// At rest g(q) = S^T tau + sum_k J_k^T f_k with f_k the ground's force on foot k (world axes): the floating base's six
// equations have no drive, so the feet must give them. Each friction cone mu is replaced by a pyramid of `edges` rays
// inside it; f_k = sum_e lambda_e ray_e, lambda >= 0, and
//     min | g_base - sum J_k,base^T f_k |^2 + weight^2 |f|^2 / (robot's weight)^2
// is a non-negative least-squares problem (math/least_squares.h). The small second term shares the load evenly among the
// feet where statics leaves a choice. A residual above rounding means: it cannot stand like this.
// Tipping: the margin is the distance of the mass centre, seen along gravity, to the nearest edge of the feet's hull
// (negative outside); the angle is by how much the ground may tilt that way before the robot tips.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "server/core/dynamics/energy.h"
#include "server/core/math/least_squares.h"

namespace torqued {

struct Foot {
  BodyFrame frame;                                           // its origin is the point of contact
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();         // of the ground, out of it, world axes; unit
  double friction = 0.6;                                     // coefficient mu
};

struct SupportOptions {
  int edges = 8;                // rays of each pyramid
  double sharing = 1e-4;        // weight of the even sharing of loads
  double tolerance = 1e-3;      // residual, as a share of the weight, up to which the robot stands
};

struct Support {
  bool stands = false;
  std::vector<Eigen::Vector3d> force;   // on each foot by the ground, world axes [N]
  std::vector<double> slip_margin;      // 1 - |tangential| / (mu normal force); an unloaded foot: 1
  Eigen::VectorXd torque;               // [nv], the base's six entries: what is left over (zero if it stands)
  double residual = 0;                  // of the base's equations, share of the weight (moments per metre)
  double weight = 0;                    // [N]
  double tipping_margin = 0;            // [m]
  double tipping_angle = 0;             // [rad]
  int tipping_from = -1, tipping_to = -1;  // feet between which it would tip
};

namespace support_detail {

// Hull of points in the plane, counter-clockwise: indices. Andrew's monotone chain.
inline std::vector<int> Hull(const std::vector<Eigen::Vector2d>& p) {
  const int n = static_cast<int>(p.size());
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return p[a].x() < p[b].x() || (p[a].x() == p[b].x() && p[a].y() < p[b].y());
  });
  const auto turn = [&](int a, int b, int c) {
    const Eigen::Vector2d u = p[b] - p[a], w = p[c] - p[a];
    return u.x() * w.y() - u.y() * w.x();
  };
  std::vector<int> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const size_t start = hull.size();
    for (int i : order) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), i) <= 0) hull.pop_back();
      hull.push_back(i);
    }
    hull.pop_back();
    std::reverse(order.begin(), order.end());
  }
  return hull.empty() && n > 0 ? std::vector<int>{0} : hull;
}

inline void FindTipping(const std::vector<Eigen::Vector3d>& feet, const Eigen::Vector3d& com,
                        const Eigen::Vector3d& down, Support& out) {
  const Eigen::Vector3d x = down.unitOrthogonal(), y = (-down).cross(x);
  std::vector<Eigen::Vector2d> p;
  for (const Eigen::Vector3d& f : feet) p.emplace_back(x.dot(f), y.dot(f));
  const Eigen::Vector2d c(x.dot(com), y.dot(com));
  const std::vector<int> hull = Hull(p);
  out.tipping_margin = HUGE_VAL;
  for (size_t i = 0; i < hull.size(); ++i) {
    const int a = hull[i], b = hull[(i + 1) % hull.size()];
    const Eigen::Vector2d edge = p[b] - p[a];
    const double length = edge.norm();
    double margin;
    if (length > 0) margin = (edge.x() * (c - p[a]).y() - edge.y() * (c - p[a]).x()) / length;
    else margin = -(c - p[a]).norm();
    if (margin >= out.tipping_margin) continue;
    out.tipping_margin = margin;
    out.tipping_from = a;
    out.tipping_to = b;
    const double height = -down.dot(com - 0.5 * (feet[a] + feet[b]));
    out.tipping_angle = std::atan2(margin, height);
  }
  if (hull.size() == 2) out.tipping_margin = std::min(out.tipping_margin, -std::abs(out.tipping_margin));
}

}  // namespace support_detail

// REQUIRES: body 0 floats on the world (entries 0-5 of v); gravity not zero. Allocates.
inline Support AnalyseSupport(const Prepared& m, const Conditions& c, const double* q, const std::vector<Foot>& feet,
                              const SupportOptions& o, Workspace<double>& ws) {
  Support out;
  Eigen::VectorXd g(m.nv);
  Conditions still = c;
  still.terms.gravity = true;
  InverseDynamics<double>(m, still, q, nullptr, nullptr, ws, g.data());
  const MassCentre<double> centre = CentreOfMass<double>(m, c, q, nullptr, ws);
  const Eigen::Vector3d gravity = ToEigen(c.gravity), down = gravity.normalized();
  out.weight = centre.mass * gravity.norm();
  const double unit = std::max(out.weight, 1e-300);

  const int n = static_cast<int>(feet.size());
  Eigen::MatrixXd rays = Eigen::MatrixXd::Zero(3 * n, n * o.edges);
  std::vector<Eigen::MatrixXd> J(n, Eigen::MatrixXd(6, m.nv));
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < n; ++k) {
    Jacobian(m, feet[k].frame, Expression::kWorldAligned, q, ws, J[k].data());
    points.push_back(ToEigen(FramePose(feet[k].frame, ws).p));
    const Eigen::Vector3d t = feet[k].normal.unitOrthogonal(), s = feet[k].normal.cross(t);
    for (int e = 0; e < o.edges; ++e) {
      const double angle = 2 * M_PI * (e + 0.5) / o.edges;
      rays.block<3, 1>(3 * k, k * o.edges + e) =
          feet[k].normal + feet[k].friction * (std::cos(angle) * t + std::sin(angle) * s);
    }
  }
  // Unknown: lambda in units of the weight.
  Eigen::MatrixXd base(6, 3 * n);
  for (int k = 0; k < n; ++k) base.middleCols(3 * k, 3) = J[k].topLeftCorner(3, 6).transpose();
  Eigen::MatrixXd A(6 + 3 * n, n * o.edges);
  A << base * rays, o.sharing * rays;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(6 + 3 * n);
  b.head<6>() = g.head<6>() / unit;
  // Even sharing: the deviation from an equal share of the weight is what costs.
  for (int k = 0; k < n; ++k) b.segment<3>(6 + 3 * k) = -o.sharing * down / n;
  const NonNegativeSolution solution = NonNegativeLeastSquares(A, b);
  const Eigen::VectorXd f = rays * solution.x * unit;

  out.torque = g;
  for (int k = 0; k < n; ++k) {
    const Eigen::Vector3d force = f.segment<3>(3 * k);
    out.force.push_back(force);
    out.torque -= J[k].topRows<3>().transpose() * force;
    const double normal = force.dot(feet[k].normal);
    const double along = (force - normal * feet[k].normal).norm();
    out.slip_margin.push_back(normal > 1e-9 * unit ? 1 - along / (feet[k].friction * normal + 1e-300) : 1);
  }
  out.residual = out.torque.head<6>().norm() / unit;
  out.stands = solution.converged && n > 0 && out.residual <= o.tolerance;
  if (n > 0) support_detail::FindTipping(points, ToEigen(centre.p), down, out);
  return out;
}

}  // namespace torqued
