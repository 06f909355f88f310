// Drives and motors from a YAML file: what `size` compares a cycle with.
//
//   drives:
//     - name: nut                      # one per joint, in the robot's order (or in that of the actuator matrix's rows)
//       gear_ratio: 50                 # motor turns per turn of the joint; or lead_m: 0.02 (ball screw), or pulley_radius_m: 0.03 (belt)
//       reduction: 2                   # with lead_m and pulley_radius_m: between motor and screw or pulley; default 1
//       efficiency: 0.9                # default 1
//       gear_inertia_kg_m2: 1.0e-5     # at the motor's shaft; default 0
//       rotor_in_model: true           # the model's torques hold the rotor already; default as below
//       motor:
//         kind: servo                  # or stepper
//         inertia_kg_m2: 2.6e-5
//         continuous_torque_Nm: 0.9    # servo
//         reserve: 0.5                 # stepper: usable part of the pull-out torque
//         curve: [[0, 2.9], [250, 2.9], [340, 1.0]]  # [rad/s, Nm]: intermittent, or pull-out; or curve_file: FILE.csv
//   actuator_matrix: [[1, 0], [0, 1]]  # drive rates = N joint rates; default identity
//   screw_spline: {lift: d3, turn: theta4, lead_m: 0.02}   # instead: the wrist of a SCARA whose nut and spline share two drives
//
// A robot's own YAML (drives with coordinate, motor_torque_Nm, motor_speed_rad_s, rotor; actuator_matrix) is read as well: its
// motors then have a constant curve and no continuous torque. The drives stand in any order there.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "client/planning/size.h"

namespace torqued::cli {

struct DriveSet {
  std::vector<DriveTrain> drives;
  Eigen::MatrixXd actuator_matrix;  // 0 x 0: identity
};

// `folder`: where curve_file is looked for. INVALID_ARGUMENT naming drive, field, value and what was wanted.
absl::StatusOr<DriveSet> ParseDrives(const std::string& text, const std::vector<std::string>& joint_names, const std::string& folder);

}  // namespace torqued::cli
