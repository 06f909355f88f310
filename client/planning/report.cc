#include "client/planning/report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace torqued {
namespace {

// Trapezoidal weights: time that each sample stands for.
std::vector<double> Weights(const std::vector<double>& time) {
  std::vector<double> w(time.size(), 0);
  for (size_t k = 0; k + 1 < time.size(); ++k) {
    const double h = 0.5 * (time[k + 1] - time[k]);
    w[k] += h;
    w[k + 1] += h;
  }
  return w;
}

void Flag(PlanReport& report, const std::string& joint, const char* what, double value, double limit) {
  if (value > 1.001 * limit)
    report.violations.push_back(absl::StrFormat("joint %s: %s %.6g, limit %.6g", joint, what, value, limit));
}

}  // namespace

PlanReport BuildReport(const Trajectory& t, const MotionLimits& limits) {
  PlanReport report;
  report.duration_s = t.duration_s();
  const std::vector<double> w = Weights(t.time_s);
  const double total = report.duration_s;
  for (int j = 0; j < t.joint_count(); ++j) {
    JointReport r;
    r.name = t.joint_names[j];
    r.torque_limit = limits.torque(j);
    r.velocity_limit = limits.velocity(j);
    r.acceleration_limit = limits.acceleration(j);
    r.peak_velocity = t.v.row(j).cwiseAbs().maxCoeff();
    r.peak_acceleration = t.a.row(j).cwiseAbs().maxCoeff();
    r.lowest = t.q.row(j).minCoeff();
    r.highest = t.q.row(j).maxCoeff();
    for (int k = 0; k + 1 < t.sample_count(); ++k)
      r.peak_jerk = std::max(r.peak_jerk, std::abs(t.a(j, k + 1) - t.a(j, k)) / (t.time_s[k + 1] - t.time_s[k]));
    report.worst_velocity_ratio = std::max(report.worst_velocity_ratio, r.peak_velocity / r.velocity_limit);
    report.worst_acceleration_ratio =
        std::max(report.worst_acceleration_ratio, r.peak_acceleration / r.acceleration_limit);
    if (t.has_tau()) {
      double square = 0, saturated = 0;
      for (int k = 0; k < t.sample_count(); ++k) {
        const double tau = t.tau(j, k), power = tau * t.v(j, k);
        if (std::abs(tau) > r.peak_torque) r.peak_torque = std::abs(tau), r.peak_torque_time_s = t.time_s[k];
        r.peak_power = std::max(r.peak_power, std::abs(power));
        square += w[k] * tau * tau;
        r.energy += w[k] * std::max(power, 0.0);
        r.regenerated += w[k] * std::max(-power, 0.0);
        if (std::abs(tau) > 0.98 * r.torque_limit) saturated += w[k];
      }
      r.rms_torque = total > 0 ? std::sqrt(square / total) : r.peak_torque;
      r.mean_power = total > 0 ? r.energy / total : 0;
      r.saturated_share = total > 0 ? saturated / total : 0;
      if (!std::isinf(r.torque_limit)) {
        r.torque_margin = 1 - r.peak_torque / r.torque_limit;
        report.worst_torque_ratio = std::max(report.worst_torque_ratio, r.peak_torque / r.torque_limit);
      }
      Flag(report, r.name, "torque", r.peak_torque, r.torque_limit);
      report.energy += r.energy;
      report.regenerated += r.regenerated;
    }
    Flag(report, r.name, "velocity", r.peak_velocity, r.velocity_limit);
    Flag(report, r.name, "acceleration", r.peak_acceleration, r.acceleration_limit);
    const double slack = 1e-9 * std::max(1.0, std::max(std::abs(r.lowest), std::abs(r.highest)));
    if (r.lowest < limits.lower(j) - slack || r.highest > limits.upper(j) + slack)
      report.violations.push_back(absl::StrFormat("joint %s: position from %.6g to %.6g, allowed %.6g to %.6g", r.name,
                                                  r.lowest, r.highest, limits.lower(j), limits.upper(j)));
    report.joints.push_back(std::move(r));
  }
  return report;
}

absl::StatusOr<PlanReport> CheckTrajectory(DynamicsSource& source, Trajectory& trajectory, const LimitScales& scales,
                                           const std::string& expected_revision) {
  if (absl::Status s = CheckShape(trajectory); !s.ok()) return s;
  const absl::StatusOr<RobotFacts> facts = source.Facts();
  if (!facts.ok()) return facts.status();
  if (facts->joint_names.size() != trajectory.joint_names.size())
    return absl::InvalidArgumentError(absl::StrCat("trajectory: ", trajectory.joint_names.size(), " joints, want ",
                                                   facts->joint_names.size(), " as the robot"));
  for (size_t j = 0; j < facts->joint_names.size(); ++j)
    if (facts->joint_names[j] != trajectory.joint_names[j])
      return absl::InvalidArgumentError(absl::StrCat("trajectory joint_names[", j, "]: ", trajectory.joint_names[j],
                                                     ", want ", facts->joint_names[j], " as the robot's order"));
  absl::StatusOr<MotionLimits> limits = ScaledLimits(*facts, scales);
  if (!limits.ok()) return limits.status();
  absl::StatusOr<TorqueAnswer> answer = source.InverseDynamics(trajectory.q, trajectory.v, trajectory.a);
  if (!answer.ok()) return answer.status();
  const std::string& expected = expected_revision.empty() ? facts->revision : expected_revision;
  if (answer->revision != expected)
    return absl::AbortedError(
        absl::StrCat("model revision changed from ", expected, " to ", answer->revision, " while the motion was checked"));
  if (answer->tau.rows() != trajectory.q.rows() || answer->tau.cols() != trajectory.q.cols() || !answer->tau.allFinite())
    return absl::InternalError("inverse dynamics answered torques of another size, or not finite");
  trajectory.tau = std::move(answer->tau);
  PlanReport report = BuildReport(trajectory, *limits);
  report.warnings = limits->missing;
  return report;
}

}  // namespace torqued
