// The planners' entry points: one function per move, each answering samples, timing, report and stop table.
//
//   PlanPtp            joint space, start to goal: by profile (polynomials, trapezoid, S-curve) or as fast as the motors allow
//   PlanLine, PlanArc  the hand in space; the start configuration says which branch
//   PlanGate           pick and place: lift, arch up, arch down, set down
//   PlanPath           through waypoints: spline or blended polyline in joint space, or blended polyline of the hand
//   TimePath           re-times any Path                                     (path_timing.h)
//   CheckTrajectory    torques and report of any trajectory                  (report.h)
//   ExplainAt          what binds at a time of a plan                        (explain.h)
//   SampleTrajectory   at another cycle
//   PlotTrajectory     self-contained SVG                                    (plot.h)
//   SizeDrives         motors for a planned cycle                            (size.h)
//   ReadTrajectory, WriteTrajectory  CSV and JSON                            (trajectory_file.h)
//
// Errors besides those of the source: INVALID_ARGUMENT (fields named), FAILED_PRECONDITION; an infeasible timing carries its
// reasons (InfeasibilityOf in infeasible.h). Every function asks the source only; limits, friction and payload are its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/planning/hand_path.h"
#include "client/planning/path_timing.h"
#include "client/planning/profile.h"
#include "client/planning/stop_table.h"

namespace torqued {

struct MotionPlan {
  Trajectory trajectory;          // with torques where inertias are known
  PlanReport report;
  std::optional<TimedPath> timed;  // of planned paths; absent for profile moves
  StopTable stops;                // of planned paths
  std::string branch_start, branch_end;  // of hand moves, where known
};

enum class PtpKind { kTimeOptimal, kSCurve, kTrapezoid, kCubic, kQuintic, kSeptic };

struct PtpOptions {
  PtpKind kind = PtpKind::kTimeOptimal;
  double duration_s = 0;  // polynomials: at least this long; 0: as fast as the limits allow
  TimingOptions timing;   // cycle and scales; the rest for kTimeOptimal
  // S-curve: every axis arrives in time on its own curve (false), or all follow the straight joint line (true).
  bool straight = false;
};
absl::StatusOr<MotionPlan> PlanPtp(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                   const PtpOptions& options = {});

// Point-to-point to a pose: the solution of inverse kinematics nearest to `from` (or the branch of that name).
// FAILED_PRECONDITION: not reachable, or no such branch (those there are, are named).
absl::StatusOr<MotionPlan> PlanPtpToPose(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Isometry3d& to,
                                         const std::string& branch = "", const PtpOptions& options = {});

struct HandOptions {
  TimingOptions timing;  // tool_speed and tool_acceleration count here
  FollowOptions follow;
};
absl::StatusOr<MotionPlan> PlanLine(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Isometry3d& to,
                                    const HandOptions& options = {});
absl::StatusOr<MotionPlan> PlanArc(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Vector3d& via,
                                   const Eigen::Isometry3d& to, const HandOptions& options = {});
// Any hand path, from a configuration that reaches its start.
absl::StatusOr<MotionPlan> PlanHand(DynamicsSource& source, const Eigen::VectorXd& from, const HandPath& hand,
                                    const HandOptions& options = {});

struct GateOptions {
  std::string lift_joint;   // empty: the robot's only prismatic joint
  double lift = 0.05;       // above the higher of start and goal [m]
  double clear = 0.01;      // straight up before the arch begins, and straight down at its end [m]
  TimingOptions timing;
};
// In joint space: the lift joint goes up, the others travel, it goes down; corners are rounded over what `clear` leaves.
absl::StatusOr<MotionPlan> PlanGate(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                    const GateOptions& options = {});

enum class PathKind { kCubicSpline, kQuinticSpline, kPolyline };
struct PathOptions {
  PathKind kind = PathKind::kCubicSpline;
  std::vector<BlendSize> blends;  // polyline: one per waypoint, or one for all; empty: stop at corners
  TimingOptions timing;
};
// Joint waypoints, one per column.
absl::StatusOr<MotionPlan> PlanPath(DynamicsSource& source, const Eigen::MatrixXd& waypoints, const PathOptions& options = {});

// Re-times an existing trajectory: a spline through its positions (thinned to at most `waypoints`), timed anew.
absl::StatusOr<MotionPlan> RetimeTrajectory(DynamicsSource& source, const Trajectory& trajectory,
                                            const TimingOptions& options = {}, int waypoints = 60);

// At another cycle, quintic between samples; the last sample is the trajectory's own. INVALID_ARGUMENT: shape, cycle.
absl::StatusOr<Trajectory> SampleTrajectory(const Trajectory& trajectory, double cycle_s);

}  // namespace torqued
