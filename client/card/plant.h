// How does the robot move under these torques? The simulated mechanics behind a simulated card.
//
//   M(q) vd + c(q, v) + g(q) + friction = tau(t - delay)
//
// M by columns of Newton-Euler once per card cycle, c + g once per substep. Dry friction and brakes are bounded impulses, solved
// by projected Gauss-Seidel: an axis at rest really sticks and a closed brake really holds. Viscous friction is implicit.
// First order in the substep. The robot is deliberately not the model: every body's mass and inertia, every friction
// value and the delay are multiplied by 1 +- mismatch, drawn from the seed.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "client/card/config.h"
#include "server/core/dynamics/inverse_dynamics.h"

namespace torqued {

// The robot of a card that knows no model: independent axes, no gravity. REQUIRES: config.sim.plant has one entry per axis.
Prepared IndependentAxes(const CardConfig& config);

class Plant {
 public:
  // REQUIRES: only one-degree joints, one coordinate per axis, masses known.
  Plant(const Prepared& model, const CardConfig& config);

  void Place(const AxisArray& q);  // at rest there
  // One card cycle: `tau` was commanded at its beginning, brake bits hold their axes. Does not allocate.
  void Step(const AxisArray& tau, std::uint32_t brakes);

  const AxisArray& q() const { return q_; }
  const AxisArray& v() const { return v_; }
  const AxisArray& tau() const { return tau_now_; }  // at the joints at the end of the last step
  double delay_s() const { return delay_s_; }
  const Prepared& robot() const { return robot_; }   // as it really is

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxAxes, kMaxAxes>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxAxes, 1>;

  void Delay(int substep, AxisArray& tau) const;

  Prepared robot_;
  Workspace<double> workspace_;
  int axes_, substeps_;
  double h_;                       // substep [s]
  double delay_s_;
  std::vector<AxisArray> history_; // commands, newest first
  AxisArray q_{}, v_{}, tau_now_{};
};

}  // namespace torqued
