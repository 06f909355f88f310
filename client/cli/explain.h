// Why do another program's torques differ? Tries the usual mistakes, one at a time and two at once.
//
// Every mistake is a change of what goes into  tau = (Y0 + sum g_k Y_k) pi + rotors + friction +
// rest:
//   order, angles     the states (and torques) themselves          -> another set of Y, rotors,
//   friction gravity           g                                            inertia        pi
//   wrench, sign      the wrench's torque, all of tau               friction, rotor  left out
// so after a few questions to the server each combination costs one matrix product. A combination
// is believed if it leaves clearly less than every simpler one: with noise in the log all wrong
// ones leave more than the right one.
#pragma once

#include <absl/status/statusor.h>

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

namespace torqued::cli {

using LogRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What the model says at some states; rows are states, or (state, joint) pairs of regressors.
struct TorqueAnatomy {
  LogRows Y0, Yx, Yy, Yz;  // regressor without gravity, and what 1 m/s^2 along each axis adds:
                           // (states nv) x 10 links
  LogRows full, rotor, friction,
      wrench;  // states x nv: all terms as asked; the parts that these cause
};
using Ask = std::function<absl::StatusOr<TorqueAnatomy>(const LogRows& q, const LogRows& v,
                                                        const LogRows& a)>;

struct LogModel {
  std::vector<std::string> names;  // of the nv columns
  std::vector<bool> permutable;    // one-degree coordinates, whose columns may have been exchanged
  std::vector<bool> angular;       // revolute: may be in degrees
  std::vector<int> q_column;       // of q, per column of v
  Eigen::Vector3d gravity;         // [m/s^2]
  Eigen::VectorXd
      parameters;  // ten per link: m, m c, Ixx Ixy Iyy Ixz Iyz Izz about the link frame's origin
  bool has_wrench = false;
};

struct Explanation {
  std::vector<std::string> changes;  // in words; empty: as asked
  double residual = 0;               // |log - explained| / |log|
};

struct Verdict {
  double difference = 0;  // |log - model| / |log|, as asked
  Explanation best;       // what was chosen
  std::vector<Explanation>
      equals;  // others of as many changes that fit as well: the log cannot tell them apart
  std::vector<std::string> untestable;  // changes that make no difference on this robot and log
  bool agrees = false;                  // difference within the tolerance
  bool explained = false;  // best leaves less than half the difference, and at most 5 %
  int combinations = 0;    // tried
};

absl::StatusOr<Verdict> Explain(const LogModel& model, const LogRows& q, const LogRows& v,
                                const LogRows& a, const LogRows& tau, double tolerance,
                                const Ask& ask);

}  // namespace torqued::cli
