// How is this card wired and what may each axis do? One YAML file, checked with findings before anything moves.
//
// SI with the unit in the key, as everywhere: `counts_per_rad` (or `counts_per_m`) is a resolution of the *joint*: encoder counts per
// motor turn, gear and sign belong together, so the file gives them apart and Counts() multiplies them once:
//   counts = sign gear counts_per_rad (q - zero);
// where motors move several joints, `actuator_matrix` stands in between (actuator_map.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/card/motion_card.h"

namespace torqued {

enum class HomingMethod { kAbsolute, kSwitch };  // kAbsolute: the encoder knows where it is

struct HomingConfig {
  HomingMethod method = HomingMethod::kAbsolute;
  double switch_position = 0;   // joint value at the switch's edge [rad] or [m]
  double search_speed = 0.1;    // towards the switch; its sign is the direction [rad/s] or [m/s]
  double latch_speed = 0.01;    // back off the switch, magnitude [rad/s] or [m/s]
  double home_position = 0;     // where the axis goes afterwards [rad] or [m]
  double travel = 10;           // give up after this [rad] or [m]
};

// The limit on |command - measured|: proportional to speed with a floor, and it must be exceeded for a while:
//   limit(v) = max(floor, at_full_speed |v| / velocity limit).
struct FollowingErrorLaw {
  double floor = 0.01;          // [rad] or [m]
  double at_full_speed = 0.05;  // [rad] or [m]
  double window_s = 0.005;
};

struct AxisConfig {
  std::string name;
  bool linear = false;                // m instead of rad
  double counts_per_unit = 1e6;       // encoder counts per rad (m) of the encoder's own shaft
  double gear = 1;                    // encoder shaft per joint, > 0
  int sign = 1;                       // +1 or -1
  double zero = 0;                    // joint value at zero counts [rad] or [m]

  double lower = -std::numeric_limits<double>::infinity();  // [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();
  double velocity = 0;                // limits, all > 0 [rad/s] or [m/s]
  double acceleration = 0;            // [rad/s^2] or [m/s^2]
  double torque = 0;                  // [Nm] or [N]
  double stop_deceleration = 0;       // controlled stop; 0: the acceleration limit
  double quick_deceleration = 0;      // quick stop; 0: twice the stop deceleration

  FollowingErrorLaw following;
  double in_position = 1e-3;          // band for standstill decisions [rad] or [m]
  double standstill = 1e-2;           // [rad/s] or [m/s]
  double start_tolerance = 5e-3;      // first set-point against measured [rad] or [m]
  HomingConfig homing;

  double kp = 0;                      // position loop in the card [Nm/rad] or [N/m]
  double kd = 0;                      // [Nm s/rad] or [N s/m]

  // Driver only: counts per unit of the axis' motor coordinate, sign included.
  double CountsPerUnit() const { return sign * gear * counts_per_unit; }
};

// The simulated robot behind a card process that knows no model: independent axes. With a model they are unused.
struct AxisPlant {
  double inertia = 1;           // [kg m^2] or [kg]
  double viscous = 0;           // [Nm s/rad] or [N s/m]
  double coulomb = 0;           // [Nm] or [N]
};

struct SimConfig {
  std::uint64_t seed = 1;
  double mismatch = 0.1;        // masses, friction and delay differ from the model by up to this share
  double delay_s = 0.0005;      // torque command to torque at the joint
  int substeps = 4;             // of the plant per card cycle
  std::vector<AxisPlant> plant; // empty, or one per axis
};

struct CardConfig {
  std::string name = "card";
  double cycle_s = 0.001;
  double watchdog_s = 0.05;          // silence of the bridge that takes the enable away
  double path_stop_s = 1.0;          // given to a stop on the path before the card ramps by itself
  int hold_cycles = 3;               // at the last speed when the queue runs dry, before the ramp
  int setpoint_capacity = 1024;      // power of two
  int feedback_capacity = 4096;      // power of two
  double command_timeout_s = 2;      // control calls
  std::vector<AxisConfig> axes;
  std::vector<std::vector<double>> actuator_matrix;  // motor from joint coordinates, row by row; empty: each motor moves its own axis
  SimConfig sim;

  int axis_count() const { return static_cast<int>(axes.size()); }
  std::vector<std::string> JointNames() const;
};

// One encoder count of every motor that moves a joint, added up [rad] or [m]: how finely its position is known.
AxisArray EncoderResolution(const CardConfig& config);

enum class FindingSeverity { kError, kWarning, kNote };

struct CardFinding {
  FindingSeverity severity = FindingSeverity::kError;
  std::string code;     // stable, for programs: "missing-limit"
  std::string where;    // "axes[2] (z).velocity_m_per_s"
  int line = 0;         // in the file; 0: not known
  std::string message;
};

// What is impossible (error), unsafe or probably not meant (warning), or was filled in (note). Sorted by severity.
std::vector<CardFinding> CheckCardConfig(const CardConfig& config);

// The configuration as such a file: reading it gives the same configuration, bit for bit.
std::string WriteCardConfig(const CardConfig& config);

// Reads the YAML text. `findings` (may be null) gets everything found, also when the text is refused; the status names the first error.
// INVALID_ARGUMENT: not YAML, unknown or missing keys, wrong types, or an error finding.
absl::StatusOr<CardConfig> ReadCardConfig(const std::string& yaml, std::vector<CardFinding>* findings);

}  // namespace torqued
