// What does a robot do, when? Joint positions, rates, accelerations and torques at given times.
//
// One column per sample (contiguous per sample, as on the wire): q(j, k) is joint j at time_s[k].
// Between samples the motion is read by quintic Hermite interpolation, which honours q, v and a at both ends.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace torqued {

struct TrajectorySample {
  Eigen::VectorXd q, v, a, tau;  // [joints]; tau empty where the trajectory has none
};

struct Trajectory {
  std::vector<std::string> joint_names;
  std::vector<double> time_s;  // strictly increasing, first 0 unless cut from another
  Eigen::MatrixXd q;           // [rad] or [m], joints x samples
  Eigen::MatrixXd v;           // [rad/s] or [m/s]
  Eigen::MatrixXd a;           // [rad/s^2] or [m/s^2]
  Eigen::MatrixXd tau;         // [Nm] or [N], the drive's; 0 x 0 where not known

  int joint_count() const { return static_cast<int>(joint_names.size()); }
  int sample_count() const { return static_cast<int>(time_s.size()); }
  bool has_tau() const { return tau.cols() == q.cols() && tau.rows() == q.rows() && tau.size() > 0; }
  // 0 for one sample or none.
  double duration_s() const { return time_s.empty() ? 0 : time_s.back() - time_s.front(); }
};

// Sizes agree, at least one sample, every number finite, times strictly increasing.
// INVALID_ARGUMENT naming the field, the sample and what was wanted.
absl::Status CheckShape(const Trajectory& trajectory);

// The motion at time t [s], clamped to the ends (where v and a are those of the end sample; torque linear between samples).
// REQUIRES: CheckShape ok. Allocates only when `out` has other sizes. Cost: a binary search.
void SampleAt(const Trajectory& trajectory, double t, TrajectorySample& out);

}  // namespace torqued
