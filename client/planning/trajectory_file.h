// Trajectories as text: CSV with joint names and units, JSON with the names of trajectory_msgs/JointTrajectory.
//
// CSV: `time[s],j1.q[rad],...,j1.v[rad/s],...,j1.a[rad/s^2],...,j1.tau[Nm],...`; linear joints m, m/s, m/s^2, N.
// JSON: {"joint_names": [...], "points": [{"positions": [...], "velocities": [...], "accelerations": [...], "effort": [...],
// "time_from_start": {"sec": 0, "nanosec": 1000000}}]}. Reading also takes seconds as a plain number, "secs"/"nsecs", and the
// whole inside "trajectory" or "joint_trajectory". Numbers use the point whatever the locale and read back exactly (times in
// JSON to a nanosecond).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/trajectory.h"

namespace torqued {

enum class TrajectoryFormat { kCsv, kJson };

// `is_linear`: per joint, metres instead of radians; empty: all radians.
std::string WriteTrajectory(const Trajectory& trajectory, TrajectoryFormat format, const std::vector<bool>& is_linear = {});

// Absent rates and accelerations are filled from the positions by a natural cubic spline in time. INVALID_ARGUMENT with line or
// point and what was wanted.
absl::StatusOr<Trajectory> ReadTrajectory(const std::string& text, TrajectoryFormat format);

// By content: JSON begins with a brace.
TrajectoryFormat GuessFormat(const std::string& text);

}  // namespace torqued
