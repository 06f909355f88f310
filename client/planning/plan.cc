#include "client/planning/plan.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace torqued {
namespace {

MotionPlan FromTimed(PlannedMotion motion) {
  MotionPlan plan;
  plan.trajectory = std::move(motion.trajectory);
  plan.report = std::move(motion.report);
  plan.timed = std::move(motion.timed);
  plan.stops = BuildStopTable(*plan.timed);
  return plan;
}

absl::StatusOr<MotionPlan> Timed(DynamicsSource& source, const BuiltPath& built, const TimingOptions& options) {
  absl::StatusOr<PlannedMotion> motion = TimePath(source, built.path, options);
  if (!motion.ok()) return motion.status();
  MotionPlan plan = FromTimed(*std::move(motion));
  plan.report.warnings.insert(plan.report.warnings.begin(), built.warnings.begin(), built.warnings.end());
  return plan;
}

absl::Status CheckSize(const char* name, const Eigen::VectorXd& q, int joints) {
  if (q.size() != joints) return absl::InvalidArgumentError(absl::StrCat(name, ": ", q.size(), " values, want ", joints));
  for (int j = 0; j < joints; ++j)
    if (!std::isfinite(q(j))) return absl::InvalidArgumentError(absl::StrCat(name, "[", j, "]: not finite, want a number"));
  return absl::OkStatus();
}

// The limits of a straight joint line's parameter r in [0, 1]: the tightest joint for each.
AxisLimits LineLimits(const Eigen::VectorXd& delta, const MotionLimits& limits) {
  AxisLimits out{HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (int j = 0; j < delta.size(); ++j) {
    const double d = std::abs(delta(j));
    if (d == 0) continue;
    out.velocity = std::min(out.velocity, limits.velocity(j) / d);
    out.acceleration = std::min(out.acceleration, limits.acceleration(j) / d);
    out.jerk = std::min(out.jerk, limits.jerk(j) / d);
  }
  return out;
}

absl::StatusOr<std::vector<Profile>> AxisProfiles(const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                                  const std::vector<std::string>& names, const MotionLimits& limits,
                                                  const PtpOptions& options) {
  std::vector<Profile> out;
  const int n = static_cast<int>(from.size());
  if (options.kind == PtpKind::kSCurve && !options.straight) {
    std::vector<AxisState> start(n), goal(n);
    std::vector<AxisLimits> each(n);
    for (int j = 0; j < n; ++j) {
      start[j].p = from(j);
      goal[j].p = to(j);
      each[j] = {limits.velocity(j), limits.acceleration(j), limits.jerk(j)};
      // An idle axis needs no limits.
      if (from(j) == to(j) && std::isinf(each[j].acceleration)) each[j].acceleration = 1;
      if (std::isinf(each[j].acceleration))
        return absl::FailedPreconditionError(
            absl::StrCat("joint ", names[j], ": the model has no acceleration limit, an S-curve needs one"));
      if (std::isinf(each[j].jerk) && from(j) != to(j))
        return absl::FailedPreconditionError(
            absl::StrCat("joint ", names[j], ": the model has no jerk limit, an S-curve needs one"));
      if (std::isinf(each[j].jerk)) each[j].jerk = 1;
    }
    return SynchronisedSCurves(start, goal, each);
  }
  // One profile r(t) from 0 to 1 for all joints.
  const AxisLimits line = LineLimits(to - from, limits);
  const AxisState zero, one{1, 0, 0, 0};
  absl::StatusOr<Profile> profile = Profile(zero);
  if (from != to) {
    switch (options.kind) {
      case PtpKind::kTrapezoid:
      case PtpKind::kSCurve:
        if (std::isinf(line.acceleration))
          return absl::FailedPreconditionError("the model has no acceleration limit for the joints that move");
        profile = options.kind == PtpKind::kTrapezoid ? TrapezoidProfile(zero, one, line) : SCurveProfile(zero, one, line);
        break;
      default: {
        const auto kind = options.kind == PtpKind::kCubic ? PolynomialKind::kCubic
                          : options.kind == PtpKind::kQuintic ? PolynomialKind::kQuintic : PolynomialKind::kSeptic;
        const AxisLimits bounded{line.velocity, line.acceleration, kind == PolynomialKind::kCubic ? HUGE_VAL : line.jerk};
        profile = FastestPolynomial(kind, zero, one, bounded);
        if (profile.ok() && options.duration_s > profile->duration())
          profile = PolynomialProfile(kind, zero, one, options.duration_s);
        else if (!profile.ok() && options.duration_s > 0)
          profile = PolynomialProfile(kind, zero, one, options.duration_s);
      }
    }
  }
  if (!profile.ok()) return profile.status();
  for (int j = 0; j < n; ++j) {
    Profile scaled({from(j), 0, 0, 0});
    for (int k = 0; k < profile->piece_count(); ++k) {
      Profile::Piece piece = profile->piece(k);
      for (double& c : piece.c) c *= to(j) - from(j);
      piece.c[0] += from(j);
      scaled.AddPiece(piece);
    }
    scaled.SetGoal({to(j), 0, 0, 0});
    out.push_back(scaled);
  }
  return out;
}

Trajectory SampleProfiles(const std::vector<Profile>& profiles, const std::vector<std::string>& names, double cycle) {
  double duration = 0;
  for (const Profile& p : profiles) duration = std::max(duration, p.duration());
  const int n = duration > 0 ? std::max(1, static_cast<int>(std::ceil(duration / cycle - 1e-9))) : 0;
  const double scale = n > 0 ? duration / (n * cycle) : 0;
  Trajectory t;
  t.joint_names = names;
  const int joints = static_cast<int>(profiles.size());
  t.q.resize(joints, n + 1);
  t.v.resize(joints, n + 1);
  t.a.resize(joints, n + 1);
  for (int k = 0; k <= n; ++k) {
    t.time_s.push_back(k * cycle);
    for (int j = 0; j < joints; ++j) {
      AxisState s = profiles[j].At(k == n ? duration : k * cycle * scale);
      if (k == n) s.a = 0;
      t.q(j, k) = s.p;
      t.v(j, k) = s.v * scale;
      t.a(j, k) = s.a * scale * scale;
    }
  }
  if (n == 0) t.a.setZero();
  return t;
}

}  // namespace

absl::StatusOr<MotionPlan> PlanPtp(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                   const PtpOptions& options) {
  absl::StatusOr<RobotFacts> facts = source.Facts();
  if (!facts.ok()) return facts.status();
  absl::Status status = CheckSize("from", from, facts->joint_count());
  status.Update(CheckSize("to", to, facts->joint_count()));
  if (!status.ok()) return status;
  if (options.kind == PtpKind::kTimeOptimal) {
    absl::StatusOr<BuiltPath> line = JointLine(from, to);
    if (!line.ok()) return line.status();
    return Timed(source, *line, options.timing);
  }
  if (!(options.timing.cycle_s > 0)) return absl::InvalidArgumentError("cycle_s: want more than 0");
  absl::StatusOr<MotionLimits> limits = ScaledLimits(*facts, options.timing.scales);
  if (!limits.ok()) return limits.status();
  absl::StatusOr<std::vector<Profile>> profiles = AxisProfiles(from, to, facts->joint_names, *limits, options);
  if (!profiles.ok()) return profiles.status();
  MotionPlan plan;
  plan.trajectory = SampleProfiles(*profiles, facts->joint_names, options.timing.cycle_s);
  absl::StatusOr<PlanReport> report = CheckTrajectory(source, plan.trajectory, options.timing.scales, facts->revision);
  if (report.ok()) {
    plan.report = *std::move(report);
  } else if (report.status().code() == absl::StatusCode::kFailedPrecondition) {
    plan.report = BuildReport(plan.trajectory, *limits);
    plan.report.warnings = limits->missing;
    plan.report.warnings.push_back(absl::StrCat("torques not computed: ", report.status().message()));
  } else {
    return report.status();
  }
  return plan;
}

absl::StatusOr<MotionPlan> PlanPtpToPose(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Isometry3d& to,
                                         const std::string& branch, const PtpOptions& options) {
  absl::StatusOr<PoseAnswer> answer = source.InverseKinematics(to, from);
  if (!answer.ok()) return answer.status();
  if (answer->solutions.empty()) return UnreachableError("goal pose: out of reach");
  std::vector<std::string> names;
  for (const PoseSolution& s : answer->solutions) {
    if (branch.empty() || s.branch == branch) {
      absl::StatusOr<MotionPlan> plan = PlanPtp(source, from, s.q, options);
      if (plan.ok()) plan->branch_end = s.branch;
      return plan;
    }
    names.push_back(s.branch);
  }
  return absl::FailedPreconditionError(absl::StrCat("branch ", branch, ": not among those that reach the goal: ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<MotionPlan> PlanHand(DynamicsSource& source, const Eigen::VectorXd& from, const HandPath& hand,
                                    const HandOptions& options) {
  absl::StatusOr<FollowedPath> followed = FollowHand(source, hand, from, options.follow);
  if (!followed.ok()) return followed.status();
  TimingOptions timing = options.timing;
  timing.tool = ToolPathOf(hand);
  BuiltPath built{followed->path, hand.warnings};
  built.warnings.insert(built.warnings.end(), followed->warnings.begin(), followed->warnings.end());
  absl::StatusOr<MotionPlan> plan = Timed(source, built, timing);
  if (!plan.ok()) return plan;
  plan->report.path_residual = followed->residual;
  plan->branch_start = followed->branch_start;
  plan->branch_end = followed->branch_end;
  return plan;
}

namespace {
absl::StatusOr<Eigen::Isometry3d> PoseOf(DynamicsSource& source, const Eigen::VectorXd& q) {
  absl::StatusOr<FrameAnswer> at = source.Frames(q, false);
  if (!at.ok()) return at.status();
  return at->X_WF[0];
}
}  // namespace

absl::StatusOr<MotionPlan> PlanLine(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Isometry3d& to,
                                    const HandOptions& options) {
  absl::StatusOr<Eigen::Isometry3d> start = PoseOf(source, from);
  if (!start.ok()) return start.status();
  absl::StatusOr<HandPath> hand = HandLine(*start, to);
  if (!hand.ok()) return hand.status();
  return PlanHand(source, from, *hand, options);
}

absl::StatusOr<MotionPlan> PlanArc(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::Vector3d& via,
                                   const Eigen::Isometry3d& to, const HandOptions& options) {
  absl::StatusOr<Eigen::Isometry3d> start = PoseOf(source, from);
  if (!start.ok()) return start.status();
  absl::StatusOr<HandPath> hand = HandArc(*start, via, to);
  if (!hand.ok()) return hand.status();
  return PlanHand(source, from, *hand, options);
}

absl::StatusOr<MotionPlan> PlanGate(DynamicsSource& source, const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                                    const GateOptions& options) {
  absl::StatusOr<RobotFacts> facts = source.Facts();
  if (!facts.ok()) return facts.status();
  absl::Status status = CheckSize("from", from, facts->joint_count());
  status.Update(CheckSize("to", to, facts->joint_count()));
  if (!(options.lift > 0)) status.Update(absl::InvalidArgumentError("lift: want more than 0"));
  if (!(options.clear >= 0 && options.clear < options.lift))
    status.Update(absl::InvalidArgumentError("clear: want 0 or more, and less than lift"));
  if (!status.ok()) return status;
  int joint = -1, candidates = 0;
  for (int j = 0; j < facts->joint_count(); ++j)
    if (options.lift_joint.empty() ? facts->is_linear[j] : facts->joint_names[j] == options.lift_joint) joint = j, ++candidates;
  if (candidates != 1)
    return absl::InvalidArgumentError(absl::StrCat("lift_joint: ", candidates, " joints fit '", options.lift_joint,
                                                   "', want the name of the one that lifts"));
  absl::StatusOr<FrameAnswer> at = source.Frames(from, true);
  if (!at.ok()) return at.status();
  const double up = at->J[0](2, joint);
  if (std::abs(up) < 1e-3)
    return absl::FailedPreconditionError(absl::StrCat("lift_joint ", facts->joint_names[joint], ": does not lift the tool"));
  // Joint value per metre of height; the higher of both ends counts.
  const double sign = up > 0 ? 1 : -1, lift = options.lift / std::abs(up), clear = options.clear / std::abs(up);
  const double top = sign * (std::max(sign * from(joint), sign * to(joint)) + lift);
  Eigen::MatrixXd way(from.size(), 4);
  way << from, from, to, to;
  way(joint, 1) = way(joint, 2) = top;
  const double rise = std::abs(top - from(joint)), fall = std::abs(top - to(joint));
  const double across = (way.col(2) - way.col(1)).norm();
  if (across == 0) {
    absl::StatusOr<BuiltPath> direct = JointLine(from, to);
    if (!direct.ok()) return direct.status();
    return Timed(source, *direct, options.timing);
  }
  std::vector<BlendSize> blends(4);
  blends[1].radius = std::min(rise - clear, 0.5 * across);
  blends[2].radius = std::min(fall - clear, 0.5 * across);
  absl::StatusOr<BuiltPath> built = Polyline(way, blends);
  if (!built.ok()) return built.status();
  return Timed(source, *built, options.timing);
}

absl::StatusOr<MotionPlan> PlanPath(DynamicsSource& source, const Eigen::MatrixXd& waypoints, const PathOptions& options) {
  absl::StatusOr<BuiltPath> built;
  if (options.kind == PathKind::kPolyline) {
    std::vector<BlendSize> blends = options.blends;
    if (blends.size() <= 1) blends.assign(waypoints.cols(), blends.empty() ? BlendSize{} : blends[0]);
    built = Polyline(waypoints, blends);
  } else {
    built = JointSpline(waypoints, options.kind == PathKind::kCubicSpline ? SplineKind::kCubic : SplineKind::kQuintic);
  }
  if (!built.ok()) return built.status();
  return Timed(source, *built, options.timing);
}

absl::StatusOr<MotionPlan> RetimeTrajectory(DynamicsSource& source, const Trajectory& trajectory, const TimingOptions& options,
                                            int waypoints) {
  if (absl::Status s = CheckShape(trajectory); !s.ok()) return s;
  if (waypoints < 2) return absl::InvalidArgumentError(absl::StrCat("waypoints: ", waypoints, ", want 2 or more"));
  const int samples = trajectory.sample_count(), n = std::min(samples, waypoints);
  Eigen::MatrixXd way(trajectory.joint_count(), n);
  for (int k = 0; k < n; ++k)
    way.col(k) = trajectory.q.col(n == 1 ? 0 : static_cast<int>(std::lround(static_cast<double>(k) * (samples - 1) / (n - 1))));
  PathOptions path;
  path.timing = options;
  return PlanPath(source, way, path);
}

absl::StatusOr<Trajectory> SampleTrajectory(const Trajectory& trajectory, double cycle_s) {
  if (absl::Status s = CheckShape(trajectory); !s.ok()) return s;
  if (!(cycle_s > 0) || !std::isfinite(cycle_s))
    return absl::InvalidArgumentError(absl::StrCat("cycle_s: ", cycle_s, ", want more than 0"));
  const double duration = trajectory.duration_s();
  const int n = static_cast<int>(std::ceil(duration / cycle_s - 1e-9));
  Trajectory out;
  out.joint_names = trajectory.joint_names;
  const int joints = trajectory.joint_count();
  out.q.resize(joints, n + 1);
  out.v.resize(joints, n + 1);
  out.a.resize(joints, n + 1);
  if (trajectory.has_tau()) out.tau.resize(joints, n + 1);
  const double scale = n > 0 ? duration / (n * cycle_s) : 0;
  TrajectorySample s;
  for (int k = 0; k <= n; ++k) {
    SampleAt(trajectory, trajectory.time_s.front() + (k == n ? duration : k * cycle_s * scale), s);
    out.time_s.push_back(k * cycle_s);
    out.q.col(k) = s.q;
    out.v.col(k) = s.v * (n > 0 ? scale : 1);
    out.a.col(k) = s.a * (n > 0 ? scale * scale : 1);
    if (trajectory.has_tau()) out.tau.col(k) = s.tau;
  }
  return out;
}

}  // namespace torqued
