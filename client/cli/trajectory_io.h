// Trajectory files as people have them: ours, other programs' JointTrajectory, in the robot's joint order or another.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "client/planning/dynamics_source.h"
#include "client/planning/trajectory.h"

namespace torqued::cli {

// CSV, JSON, or YAML with the names of trajectory_msgs/JointTrajectory (as `ros2 topic echo` prints it, first document); "-" reads
// standard input. INVALID_ARGUMENT naming file, place and what was wanted.
absl::StatusOr<Trajectory> ReadTrajectoryFile(const std::string& path);

// The same with its rows in the order of the robot's joints. INVALID_ARGUMENT: joints that are missing, unknown or named twice.
absl::StatusOr<Trajectory> ReadTrajectoryFile(const std::string& path, const RobotFacts& facts);

// By the name's ending, .csv or .json; "-" and "" are standard output as CSV.
absl::Status WriteTrajectoryFile(const std::string& path, const Trajectory& trajectory, const std::vector<bool>& is_linear);
// INVALID_ARGUMENT: another ending. To be asked before anything is planned.
absl::Status CheckTrajectoryName(const std::string& flag, const std::string& path);

}  // namespace torqued::cli
