// Two links in a plane: which turns bring the end of the second to a point?
//
// R(phi1) e + R(phi2) w = t, with e and w the links at joint zero and phi the absolute turns. The elbow lies left (+1)
// or right (-1) of the line to t: law of cosines, with the sine by Heron's product so that nothing is lost near the
// stretched and the folded arm.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

namespace torqued {

struct PlanarPair {
  bool reachable = false;
  bool stretched = false;  // both sides are the same answer
  bool free = false;       // equal links folded onto the base: phi1 is free (taken as given by the caller)
  std::array<double, 2> phi1{}, phi2{};  // [0]: elbow left of t, [1]: right
};

inline PlanarPair SolvePlanarPair(const Eigen::Vector2d& e, const Eigen::Vector2d& w, const Eigen::Vector2d& t,
                                  double free_phi1, double tolerance) {
  PlanarPair out;
  const double a = e.norm(), b = w.norm(), r = t.norm();
  const double reach = a + b - r, inner = r - std::abs(a - b);
  if (reach < -tolerance || inner < -tolerance) return out;
  out.reachable = true;
  const double arg_e = std::atan2(e.y(), e.x()), arg_w = std::atan2(w.y(), w.x());
  if (r <= tolerance) {  // equal links, folded
    out.free = out.stretched = true;
    out.phi1 = {free_phi1, free_phi1};
    const double phi2 = arg_e + free_phi1 + M_PI - arg_w;
    out.phi2 = {phi2, phi2};
    return out;
  }
  // cos A = (a^2 + r^2 - b^2) / (2 a r), 4 a^2 r^2 sin^2 A = product of the four sums of sides.
  const double sin_sq = std::max(0.0, reach) * std::max(0.0, inner) * (a + b + r) * (r + std::abs(a - b));
  const double A = std::atan2(std::sqrt(sin_sq), a * a + r * r - b * b);
  out.stretched = std::min(reach, inner) <= tolerance;
  const double arg_t = std::atan2(t.y(), t.x());
  for (int side = 0; side < 2; ++side) {
    const double arg = arg_t + (side == 0 ? A : -A);
    const Eigen::Vector2d rest = t - a * Eigen::Vector2d(std::cos(arg), std::sin(arg));
    out.phi1[side] = arg - arg_e;
    out.phi2[side] = std::atan2(rest.y(), rest.x()) - arg_w;
  }
  return out;
}

}  // namespace torqued
