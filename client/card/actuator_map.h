// Which way do the motors turn when the joints move? The matrix between joint and motor coordinates of a coupled machine.
//
//   motor = A (q - zero),   counts_i = sign_i gear_i counts_per_unit_i motor_i,   torque_motor = A^-T torque_joint.
// A is the robot description's `actuator_matrix`: row i says how the motor of axis i moves with the joints. Without one A = I. The
// screw-and-spline wrist of a SCARA (z and rotation on one shaft, nut and spline driven apart) has A_34 = lead / 2 pi.
#pragma once

#include <string>
#include <vector>

#include "client/card/motion_card.h"

namespace torqued {

class ActuatorMap {
 public:
  // `rows` empty: identity. REQUIRES: Problem(rows, axes) is empty.
  ActuatorMap(const std::vector<std::vector<double>>& rows, int axes);
  // Why `rows` cannot be such a matrix: "row 2 has 3 numbers, want 4", "is singular"; "" if it can.
  static std::string Problem(const std::vector<std::vector<double>>& rows, int axes);

  bool coupled() const { return coupled_; }
  double motor_from_joint(int motor, int joint) const { return forward_[motor][joint]; }
  double joint_from_motor(int joint, int motor) const { return inverse_[joint][motor]; }
  AxisArray Motors(const AxisArray& q_from_zero) const noexcept { return Multiply(forward_, q_from_zero); }
  AxisArray Joints(const AxisArray& motors) const noexcept { return Multiply(inverse_, motors); }

 private:
  using Matrix = std::array<AxisArray, kMaxAxes>;
  AxisArray Multiply(const Matrix& m, const AxisArray& x) const noexcept;

  int axes_;
  bool coupled_;
  Matrix forward_{}, inverse_{};
};

}  // namespace torqued
