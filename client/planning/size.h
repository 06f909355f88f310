// Which motors does a cycle need? Torque and speed at the motor through gear, belt or screw, and margins against its curve.
//
// Coordinate rates become drive rates w = N v and torques tau_drive = N^-T tau, with N the actuator matrix (identity unless drives
// are shared: a SCARA's screw-and-spline wrist moves z and rotation by two nuts). Then, per drive with gear ratio i (motor rad per
// drive rad, or per metre: 2 pi / lead for a screw, 1 / pulley radius for a belt), efficiency e:
//   motor speed = i w          motor torque = tau_drive / (i e) where it drives, tau_drive e / i where it is driven,
//                              plus rotor (J_motor + J_gear) i dw/dt, unless the model already holds the rotor.
// Inertia ratio: load inertia seen by the motor over the motor's own.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/trajectory.h"

namespace torqued {

// Ratios of common transmissions [motor rad per drive rad, or per metre].
double GearRatio(double motor_turns, double output_turns);
double ScrewRatio(double lead_m, double belt_reduction = 1);
double BeltRatio(double pulley_radius_m, double gear = 1);

// Torque that a motor can give at a speed, by points (speed ascending); 0 beyond the last.
struct TorqueCurve {
  std::vector<double> speed;   // [rad/s]
  std::vector<double> torque;  // [Nm]
  double At(double rad_per_s) const;
};

enum class MotorKind { kServo, kStepper };

struct Motor {
  std::string name;
  MotorKind kind = MotorKind::kServo;
  double inertia = 0;           // of the rotor [kg m^2]
  double continuous_torque = 0;  // servo: what it can give for ever [Nm]; the RMS torque is compared with it
  TorqueCurve peak;             // servo: intermittent curve; stepper: pull-out curve
  double stepper_reserve = 0.5;  // stepper: usable part of the pull-out torque
};

struct DriveTrain {
  std::string name;
  double ratio = 1;
  double efficiency = 1;         // (0, 1]
  double gear_inertia = 0;       // at the motor shaft [kg m^2]
  Motor motor;
  bool rotor_in_model = false;   // the trajectory's torques already contain the rotor
};

struct DriveSizing {
  std::string name;
  double peak_torque = 0, rms_torque = 0;         // at the motor [Nm]
  double peak_speed = 0, mean_speed = 0;          // [rad/s]
  double peak_power = 0;                          // [W]
  double regenerated = 0;                         // given back per cycle [J]
  double inertia_ratio = 0;                       // load at the motor over motor; 0: not known
  double thermal_margin = 0;                      // 1 - RMS / continuous (servo); of a stepper: same as the curve margin
  double curve_margin = 0;                        // 1 - worst torque / curve at that speed
  double speed_margin = 0;                        // 1 - peak speed / the curve's last speed
  double worst_time_s = 0;                        // where the curve margin is least
  bool sufficient = false;
  std::vector<std::string> findings;              // what is not sufficient or unwise, in words
};

struct SizeOptions {
  Eigen::MatrixXd actuator_matrix;  // N; 0 x 0: identity
  double rest_s = 0;                // standing still after the cycle, at the last sample's torque: counts for RMS
  double max_inertia_ratio = 10;    // above it a finding
};

// One drive per joint (or per row of N). The inertia ratio is estimated from the trajectory's torque against acceleration where
// it accelerates. INVALID_ARGUMENT: sizes, no torques, N singular, efficiency outside (0, 1], curves not ascending.
absl::StatusOr<std::vector<DriveSizing>> SizeDrives(const Trajectory& cycle, const std::vector<DriveTrain>& drives,
                                                    const SizeOptions& options = {});

}  // namespace torqued
