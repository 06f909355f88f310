// From a path to a verified, sampled motion: grid, one call for the dynamics, solver, fallback ladder, one call to verify.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/planning/dynamics_source.h"
#include "client/planning/infeasible.h"
#include "client/planning/report.h"
#include "client/planning/time_optimal.h"
#include "client/planning/trajectory.h"

namespace torqued {

// How a timing was found, from the first try to the last resort.
enum class Rung { kGrid, kRefinedGrid, kShiftedGrid, kRelaxed, kUniform, kMargin };
const char* RungName(Rung rung);

// Pose of the tool along the path, for tool limits; nullptr: the tool point is not limited.
class ToolPath {
 public:
  virtual ~ToolPath() = default;
  // First and second derivative by s of the tool point [m].
  virtual void Derivatives(double s, Side side, Eigen::Vector3d& dp, Eigen::Vector3d& ddp) const = 0;
};

struct TimingOptions {
  int intervals = 400;             // of the grid; 300 to 500 is right for most
  double cycle_s = 0.001;          // of the samples; the duration is rounded up to whole cycles
  LimitScales scales;
  PathSpeed start{0}, end{0};      // path speed at the ends
  std::shared_ptr<const ToolPath> tool;
  double tool_speed = 0;           // [m/s]; 0: not limited
  double tool_acceleration = 0;    // [m/s^2]; 0: not limited
  std::vector<SpeedCap> caps;
  bool torque_limits = true;       // false: velocity and acceleration only (torques are still verified and reported)
  int revision_attempts = 3;       // plans again this often when the model changes in between
};

// A stretch where the robot cannot stand still: it passes, but a stop there is not possible.
struct NotHoldable {
  double s_from = 0, s_to = 0;
  int joint = 0;
};

struct TimedPath {
  std::shared_ptr<const Path> path;
  std::shared_ptr<const PathGrid> grid;
  TimingProblem problem;      // coefficients and limits; problem.grid == grid.get()
  TimingSolution solution;    // before rounding to cycles
  Stages stages;
  std::vector<double> time_s;  // at the grid points
  Rung rung = Rung::kGrid;
  double lower_bound_s = 0;
  std::vector<NotHoldable> not_holdable;
  std::vector<std::string> joint_names, warnings;
  std::string revision;

  double duration_s() const { return time_s.empty() ? 0 : time_s.back(); }
};

struct PlannedMotion {
  Trajectory trajectory;  // with torques by full inverse dynamics
  TimedPath timed;
  PlanReport report;
};

// s, sdot, sddot at time t of a timed path, clamped to its ends.
struct PathState {
  double s = 0;
  PathSpeed speed;
  PathAcceleration acceleration;
};
PathState PathStateAt(const TimedPath& timed, double t);

// Joint motion at a state of the path. Writes joint_count values each.
void JointMotionAt(const Path& path, const PathState& at, double* q, double* v, double* a);

// Samples at a fixed cycle; the duration is rounded up to whole cycles by scaling time. First and last sample are the ends; where
// the motion ends at rest, the last sample has no acceleration.
Trajectory SampleTimedPath(const TimedPath& timed, double cycle_s);

// The whole way. Samples keep torque, acceleration and speed within 1.001 of their limits. Errors: infeasible (infeasible.h);
// FAILED_PRECONDITION where no such timing was found, the model is not quadratic in speed, nothing
// limits the motion, or no inertias; ABORTED where the revision changes again and again; those of the source.
// Calls of the source: Facts, PathDynamics, InverseDynamics; more only on the ladder.
absl::StatusOr<PlannedMotion> TimePath(DynamicsSource& source, std::shared_ptr<const Path> path,
                                       const TimingOptions& options = {});

}  // namespace torqued
