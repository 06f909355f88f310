// What is the robot to do at path time s, and what torque does it take at another pace?
//
// Positions by quintic Hermite interpolation from q, v, a of the trajectory's samples. With time passing at pace sigma,
//   v = sigma q',   a = sigma^2 q'' + (d sigma / dt) q',   tau = A + B sigma + C sigma^2 + D d(sigma)/dt,
// (A: gravity, springs and dry friction; B: viscous friction; C: inertia and velocity products; D: inertia along the path.)
// A..D come from five inverse-dynamics states per sample, asked in one batch before the motion: sigma = 1, 1/2, 1/4 give A, B, C
// (C = 8/3 (T1 - 3 T2 + 2 T4), B = 2 (T1 - T2) - 3/2 C), rest with and without acceleration q' gives D.
// Without such a source the trajectory's own torque is taken as dynamic and scales with sigma^2 around the torques at rest of
// its two ends; without torques the feed-forward is zero.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "client/card/config.h"
#include "client/planning/trajectory.h"
#include "server/core/tree/prepared.h"

namespace torqued {

// Inverse dynamics of many states, friction included: joints x samples each, same shape back [Nm] or [N].
using TorqueBatch =
    std::function<absl::StatusOr<Eigen::MatrixXd>(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a)>;

// In-process source: the model itself. `model` must outlive the function.
TorqueBatch ModelTorques(const Prepared& model);

struct PathPoint {
  AxisArray q{}, dq{}, ddq{};          // q, dq/ds, d2q/ds2; s in seconds
  AxisArray a0{}, a1{}, a2{}, ad{};    // A, B, C, D
};

class PathTable {
 public:
  // The trajectory's joints are found by name in the configuration. `torques` may be null.
  // INVALID_ARGUMENT: malformed, joints missing or unknown, moving at an end.
  static absl::StatusOr<PathTable> Make(const Trajectory& trajectory, const CardConfig& config, const TorqueBatch& torques);

  // s clamped to the ends. `hint` (0 at first) makes walking along the path O(1). No allocation.
  void At(double s, int* hint, PathPoint* out) const noexcept;
  double duration_s() const { return time_.empty() ? 0 : time_.back(); }
  bool knows_torque() const { return knows_torque_; }   // has feed-forward
  bool exact_torque() const { return exact_torque_; }   // A..D from a source, right at every pace
  const AxisArray& start() const { return points_.front().q; }
  const AxisArray& goal() const { return points_.back().q; }
  int axes() const { return axes_; }

 private:
  int axes_ = 0;
  bool knows_torque_ = false, exact_torque_ = false;
  std::vector<double> time_;
  std::vector<PathPoint> points_;
};

}  // namespace torqued
