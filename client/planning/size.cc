#include "client/planning/size.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace torqued {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;

absl::Status Check(const Trajectory& cycle, const std::vector<DriveTrain>& drives, const Eigen::MatrixXd& N) {
  if (absl::Status s = CheckShape(cycle); !s.ok()) return s;
  if (!cycle.has_tau()) return absl::InvalidArgumentError("cycle: has no torques, want a trajectory with effort");
  const int n = cycle.joint_count();
  if (static_cast<int>(drives.size()) != n)
    return absl::InvalidArgumentError(absl::StrCat("drives: ", drives.size(), ", want ", n, " as joints"));
  if (N.rows() != n || N.cols() != n || !N.allFinite())
    return absl::InvalidArgumentError(absl::StrCat("actuator_matrix: ", N.rows(), " x ", N.cols(), ", want ", n, " x ", n));
  for (const DriveTrain& d : drives) {
    const auto bad = [&](const char* field, const char* want) {
      return absl::InvalidArgumentError(absl::StrCat("drive ", d.name, ": ", field, ", want ", want));
    };
    if (!(d.efficiency > 0 && d.efficiency <= 1)) return bad("efficiency", "more than 0, at most 1");
    if (d.ratio == 0 || !std::isfinite(d.ratio)) return bad("ratio", "a number, not 0");
    const TorqueCurve& c = d.motor.peak;
    if (c.speed.size() != c.torque.size() || c.speed.empty()) return bad("motor curve", "as many speeds as torques, at least one");
    if (!std::is_sorted(c.speed.begin(), c.speed.end())) return bad("motor curve", "speeds ascending");
  }
  return absl::OkStatus();
}

}  // namespace

double GearRatio(double motor_turns, double output_turns) { return motor_turns / output_turns; }
double ScrewRatio(double lead_m, double belt_reduction) { return kTurn / lead_m * belt_reduction; }
double BeltRatio(double pulley_radius_m, double gear) { return gear / pulley_radius_m; }

double TorqueCurve::At(double w) const {
  w = std::abs(w);
  if (w <= speed.front()) return torque.front();
  if (w > speed.back()) return 0;
  const size_t k = std::upper_bound(speed.begin(), speed.end(), w) - speed.begin();
  if (k == speed.size()) return torque.back();
  return torque[k - 1] + (torque[k] - torque[k - 1]) * (w - speed[k - 1]) / (speed[k] - speed[k - 1]);
}

absl::StatusOr<std::vector<DriveSizing>> SizeDrives(const Trajectory& cycle, const std::vector<DriveTrain>& drives,
                                                    const SizeOptions& options) {
  const int n = cycle.joint_count(), samples = cycle.sample_count();
  const Eigen::MatrixXd N =
      options.actuator_matrix.size() > 0 ? options.actuator_matrix : Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n));
  if (absl::Status s = Check(cycle, drives, N); !s.ok()) return s;
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(N.transpose());
  const Eigen::MatrixXd tau = lu.solve(cycle.tau);
  if (!tau.allFinite() || (N.transpose() * tau - cycle.tau).norm() > 1e-6 * (cycle.tau.norm() + 1e-300))
    return absl::InvalidArgumentError("actuator_matrix: singular, want one that determines the drives");
  const Eigen::MatrixXd speed = N * cycle.v, acceleration = N * cycle.a;
  std::vector<DriveSizing> out;
  for (int d = 0; d < n; ++d) {
    const DriveTrain& drive = drives[d];
    const Motor& motor = drive.motor;
    DriveSizing r;
    r.name = drive.name;
    r.curve_margin = 1;
    const double rotor = motor.inertia + drive.gear_inertia;
    const double usable = motor.kind == MotorKind::kStepper ? motor.stepper_reserve : 1;
    double square = 0, way = 0, total = 0, load_work = 0, load_scale = 0;
    for (int k = 0; k < samples; ++k) {
      const double before = k > 0 ? cycle.time_s[k] - cycle.time_s[k - 1] : 0;
      const double after = k + 1 < samples ? cycle.time_s[k + 1] - cycle.time_s[k] : 0;
      double weight = 0.5 * (before + after);
      if (k + 1 == samples) weight += options.rest_s;
      const double w = drive.ratio * speed(d, k), load = tau(d, k);
      const bool driving = load * speed(d, k) >= 0;
      double torque = driving ? load / (drive.ratio * drive.efficiency) : load * drive.efficiency / drive.ratio;
      if (!drive.rotor_in_model) torque += rotor * drive.ratio * acceleration(d, k);
      const double power = torque * w;
      r.peak_torque = std::max(r.peak_torque, std::abs(torque));
      r.peak_speed = std::max(r.peak_speed, std::abs(w));
      r.peak_power = std::max(r.peak_power, std::abs(power));
      r.regenerated += 0.5 * (before + after) * std::max(-power, 0.0);
      square += weight * torque * torque;
      way += 0.5 * (before + after) * std::abs(w);
      total += weight;
      // Least squares of load torque on acceleration, mean removed by pairing neighbours.
      if (k > 0) {
        const double da = acceleration(d, k) - acceleration(d, k - 1), dt = load - tau(d, k - 1);
        load_work += da * dt;
        load_scale += da * da;
      }
      const double limit = usable * motor.peak.At(w);
      const double margin = limit > 0 ? 1 - std::abs(torque) / limit : (torque == 0 ? 0 : -1);
      if (margin < r.curve_margin) r.curve_margin = margin, r.worst_time_s = cycle.time_s[k];
    }
    r.rms_torque = total > 0 ? std::sqrt(square / total) : r.peak_torque;
    r.mean_speed = total > 0 ? way / total : 0;
    r.speed_margin = 1 - r.peak_speed / motor.peak.speed.back();
    r.thermal_margin = motor.kind == MotorKind::kServo && motor.continuous_torque > 0
                           ? 1 - r.rms_torque / motor.continuous_torque : r.curve_margin;
    if (load_scale > 0 && motor.inertia > 0)
      r.inertia_ratio = std::max(load_work / load_scale / (drive.ratio * drive.ratio * motor.inertia) - (drive.rotor_in_model ? 1 : 0), 0.0);
    if (r.curve_margin < 0)
      r.findings.push_back(absl::StrFormat("torque beyond the curve at %.3f s by %.0f %%", r.worst_time_s, -100 * r.curve_margin));
    if (r.thermal_margin < 0 && motor.kind == MotorKind::kServo)
      r.findings.push_back(absl::StrFormat("RMS torque %.4g Nm beyond the continuous %.4g Nm", r.rms_torque, motor.continuous_torque));
    if (r.speed_margin < 0)
      r.findings.push_back(absl::StrFormat("speed %.4g rad/s beyond the curve's %.4g rad/s", r.peak_speed, motor.peak.speed.back()));
    r.sufficient = r.findings.empty();
    if (r.inertia_ratio > options.max_inertia_ratio)
      r.findings.push_back(absl::StrFormat("load inertia %.1f times the motor's, above %.1f", r.inertia_ratio, options.max_inertia_ratio));
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace torqued
