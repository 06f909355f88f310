#include "client/planning/path_timing.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/planning/diagnose.h"
#include "client/planning/interval_motion.h"
#include "client/planning/timing_problem.h"

namespace torqued {
namespace {

constexpr double kAimTorqueRatio = 1.0005;  // tightened between points above this
constexpr double kAcceptedRatio = 1.0009;   // of the verified samples
constexpr double kProvenRatio = 1.001;      // beyond it a plan is not handed out
constexpr int kRounds = 3;                  // of verifying and tightening on one grid

class Timing {
 public:
  Timing(DynamicsSource& source, std::shared_ptr<const Path> path, const TimingOptions& options)
      : source_(source), path_(std::move(path)), options_(options) {
    solve_.start = options.start;
    solve_.end = options.end;
  }

  // ABORTED: the model changed between the calls; the caller may try again.
  absl::StatusOr<PlannedMotion> Run() {
    absl::StatusOr<RobotFacts> facts = source_.Facts();
    if (!facts.ok()) return facts.status();
    facts_ = *std::move(facts);
    absl::StatusOr<MotionLimits> limits = ScaledLimits(facts_, options_.scales);
    if (!limits.ok()) return limits.status();
    limits_ = *std::move(limits);
    if (path_->joint_count() != facts_.joint_count())
      return absl::InvalidArgumentError(absl::StrCat("path: ", path_->joint_count(), " joints, want ",
                                                     facts_.joint_count(), " as the robot"));
    timed_.path = path_;
    timed_.joint_names = facts_.joint_names;
    timed_.revision = facts_.revision;
    if (!(path_->length() > 0)) return Standstill();
    // Where samples still pass a limit, which happens at the edge of the feasible, a finer grid is nearer to the truth.
    absl::StatusOr<PlannedMotion> best = absl::InternalError("not timed");
    double best_ratio = HUGE_VAL;
    for (int refine : {1, 2, 4}) {
      absl::Status climbed = Climb(refine * options_.intervals);
      if (!climbed.ok()) return best.ok() ? best : absl::StatusOr<PlannedMotion>(climbed);
      Finish();
      absl::StatusOr<PlannedMotion> motion = Verify();
      if (!motion.ok()) return motion;
      if (WorstRatio(*motion) < best_ratio) {
        best_ratio = WorstRatio(*motion);
        best = std::move(motion);
      }
      if (best_ratio <= kAcceptedRatio) return best;
    }
    return Slower(std::move(best), best_ratio);
  }

 private:
  // The last rung: less and less of all limits until the samples keep the whole. What does not is not handed out.
  absl::StatusOr<PlannedMotion> Slower(absl::StatusOr<PlannedMotion> best, double best_ratio) {
    for (double part : {0.002, 0.01, 0.03, 0.1}) {
      if (best_ratio <= kProvenRatio) break;
      const int n = timed_.grid->intervals();
      excess_.torque.setConstant(timed_.grid->joint_count(), n, part);
      excess_.acceleration = excess_.torque;
      excess_.tool.setZero(1, n);
      excess_.speed.setConstant(1, n, part);
      timed_.problem.tighten = {};
      timed_.rung = Rung::kMargin;
      if (!Resolve()) break;
      Finish();
      absl::StatusOr<PlannedMotion> motion = Verify();
      if (!motion.ok()) return motion;
      if (WorstRatio(*motion) < best_ratio) best_ratio = WorstRatio(*motion), best = std::move(motion);
    }
    if (best_ratio <= kProvenRatio) return best;
    return absl::FailedPreconditionError(absl::StrFormat(
        "no timing was found whose samples every %.6g s keep the limits: the best passes one by %.2f %%: %s", options_.cycle_s,
        100 * (best_ratio - 1), absl::StrJoin(best->report.violations, "; ")));
  }


  absl::StatusOr<PlannedMotion> Standstill() {
    PlannedMotion out;
    const int n = path_->joint_count();
    Trajectory& t = out.trajectory;
    t.joint_names = facts_.joint_names;
    t.time_s = {0};
    t.q.resize(n, 1);
    Eigen::VectorXd dq(n), ddq(n);
    path_->Evaluate(0, Side::kRight, t.q.data(), dq.data(), ddq.data());
    t.v = t.a = Eigen::MatrixXd::Zero(n, 1);
    timed_.warnings = limits_.missing;
    out.timed = timed_;
    absl::StatusOr<PlannedMotion> checked = Check(std::move(out));
    if (checked.ok() && options_.torque_limits && checked->report.worst_torque_ratio > 1 + 1e-9)
      return InfeasibleError(NotHeld(*checked));
    return checked;
  }

  // A path of one point that the motors cannot hold.
  Infeasibility NotHeld(const PlannedMotion& motion) const {
    Infeasibility why;
    const Trajectory& t = motion.trajectory;
    why.q.assign(t.q.data(), t.q.data() + t.q.rows());
    why.limit_kind = LimitName(LimitKind::kTorque);
    for (int j = 0; j < t.joint_count(); ++j) {
      const double ratio = std::abs(t.tau(j, 0)) / limits_.torque(j);
      if (ratio <= why.smallest_factor) continue;
      why.smallest_factor = ratio;
      why.joint = facts_.joint_names[j];
      why.limit = limits_.torque(j);
      why.needed = std::abs(t.tau(j, 0));
    }
    return why;
  }

  absl::Status Ask(int intervals) {
    return AskTimingProblem(source_, *path_, facts_, limits_, options_, intervals, timed_.grid, timed_.problem);
  }

  bool Solve() {
    timed_.solution = solver_.Solve(timed_.problem, solve_);
    if (timed_.solution.feasible) Tighten();
    return timed_.solution.feasible;
  }

  // Between the points a torque or acceleration may pass its limit by terms of second order: there less of it is used.
  void Tighten() {
    for (int round = 0; round < 3; ++round) {
      MeasureExcess(timed_.problem, timed_.solution, RoundingScale(), excess_);
      const double worst = std::max({excess_.torque.maxCoeff(), excess_.acceleration.maxCoeff(), excess_.tool.maxCoeff()});
      if (worst < kAimTorqueRatio - 1 || !Resolve()) return;
    }
  }

  // Adds the excess to what is not to be used, and solves again; keeps the old solution where that fails.
  bool Resolve() {
    TimingProblem& p = timed_.problem;
    const Tightening before = p.tighten;
    const auto add = [](Eigen::MatrixXd& to, const Eigen::MatrixXd& excess) {
      if (to.size() == 0) to = Eigen::MatrixXd::Zero(excess.rows(), excess.cols());
      to = (to + 1.1 * excess).cwiseMin(0.5);
    };
    add(p.tighten.torque, excess_.torque);
    add(p.tighten.acceleration, excess_.acceleration);
    add(p.tighten.tool, excess_.tool);
    add(p.tighten.speed, excess_.speed);
    const TimingSolution& again = solver_.Solve(p, solve_);
    if (!again.feasible) {
      p.tighten = before;
      return false;
    }
    timed_.solution = again;
    return true;
  }

  // Path time per sample time once the duration is rounded up to whole cycles.
  double RoundingScale() const {
    const double duration = timed_.solution.duration_s, cycle = options_.cycle_s;
    return duration / (std::ceil(duration / cycle - 1e-9) * cycle);
  }

  absl::Status Climb(int n) {
    const struct { Rung rung; int intervals; double relax; } ladder[] = {{Rung::kGrid, n, 0},
                                                                           {Rung::kRefinedGrid, 2 * n + 1, 0},
                                                                           {Rung::kShiftedGrid, n + n / 3 + 1, 0},
                                                                           {Rung::kRelaxed, n + n / 3 + 1, 1e-6}};
    for (const auto& step : ladder) {
      timed_.rung = step.rung;
      if (step.rung != Rung::kRelaxed)
        if (absl::Status s = Ask(step.intervals); !s.ok()) return s;
      solve_.relax = step.relax;
      if (Solve()) return absl::OkStatus();
      if (!(solver_.stages().x_scale > 0))
        return absl::FailedPreconditionError(
            "nothing limits this motion: the model has no torque, acceleration or velocity limits that apply");
    }
    solve_.relax = 0;
    if (options_.start.value == 0 && options_.end.value == 0) {
      timed_.rung = Rung::kUniform;
      solver_.SolveOnce(timed_.problem, solve_);
      timed_.solution = UniformTiming(timed_.problem, solver_.stages());
      if (timed_.solution.feasible && !FrictionVaries(timed_.problem.friction)) return absl::OkStatus();
    }
    return InfeasibleError(Diagnose(timed_.problem, solve_, facts_.joint_names));
  }

  // Times at the points, and what is said beside the motion.
  void Finish() {
    TimingProblem& p = timed_.problem;
    const TimingSolution& sol = timed_.solution;
    const PathGrid& grid = *timed_.grid;
    timed_.stages = solver_.stages();
    timed_.time_s.assign(1, 0);
    for (int i = 0; i < grid.intervals(); ++i)
      timed_.time_s.push_back(timed_.time_s.back() +
                              IntervalMotion(grid.s[i + 1] - grid.s[i], sol.x[i], sol.u[i], sol.lean[i]).duration());
    p.start_only = true;
    const std::vector<double> lean = std::move(p.lean);
    p.lean.clear();
    Tightening tighten;
    std::swap(tighten, p.tighten);
    const TimingSolution& relaxed = solver_.SolveOnce(p, solve_);
    if (relaxed.feasible) timed_.lower_bound_s = std::min(relaxed.duration_s, timed_.duration_s());
    p.start_only = false;
    p.lean = lean;
    std::swap(tighten, p.tighten);
    timed_.warnings = limits_.missing;
    timed_.not_holdable = FindNotHoldable(p);
    for (const NotHoldable& span : timed_.not_holdable)
      timed_.warnings.push_back(absl::StrFormat(
          "joint %s cannot hold the robot between %.1f %% and %.1f %% of the path: it can pass, but not stop there",
          facts_.joint_names[span.joint], 100 * span.s_from / path_->length(), 100 * span.s_to / path_->length()));
    if (timed_.rung != Rung::kGrid)
      timed_.warnings.push_back(absl::StrCat("timed with fallback: ", RungName(timed_.rung)));
  }

  double WorstRatio(const PlannedMotion& motion) const {
    return std::max({options_.torque_limits ? motion.report.worst_torque_ratio : 0.0,
                     motion.report.worst_acceleration_ratio, motion.report.worst_velocity_ratio});
  }

  absl::StatusOr<PlannedMotion> Verify() {
    PlannedMotion best;
    double best_ratio = HUGE_VAL;
    for (int round = 0; round < kRounds; ++round) {
      PlannedMotion out;
      out.timed = timed_;
      out.trajectory = SampleTimedPath(timed_, options_.cycle_s);
      absl::StatusOr<PlannedMotion> checked = Check(std::move(out));
      if (!checked.ok()) return checked;
      const double ratio = WorstRatio(*checked);
      if (ratio < best_ratio) best = *std::move(checked), best_ratio = ratio;
      if (best_ratio <= kAcceptedRatio || round + 1 == kRounds) break;
      MeasureSamples(best);
      if (!Resolve()) break;
      Finish();
    }
    return best;
  }

  // By which part the samples pass limits, laid on the interval of each and its neighbours.
  void MeasureSamples(const PlannedMotion& motion) {
    const PathGrid& grid = *timed_.grid;
    const int n = grid.intervals();
    excess_.torque.setZero(grid.joint_count(), n);
    excess_.acceleration.setZero(grid.joint_count(), n);
    excess_.tool.setZero(1, n);
    excess_.speed.setZero(1, n);
    const double total = timed_.duration_s(), last = motion.trajectory.time_s.back();
    for (int k = 0; k < motion.trajectory.sample_count(); ++k) {
      const double t = motion.trajectory.time_s[k] / last * total;
      const int i = std::clamp(
          static_cast<int>(std::upper_bound(timed_.time_s.begin(), timed_.time_s.end(), t) - timed_.time_s.begin()) - 1, 0,
          n - 1);
      const auto lay = [&](Eigen::MatrixXd& excess, int row, double ratio) {
        if (ratio < 1 + 2e-4) return;
        for (int m = std::max(i - 1, 0); m <= std::min(i + 1, n - 1); ++m)
          excess(row, m) = std::max(excess(row, m), ratio - 1);
      };
      for (int j = 0; j < grid.joint_count(); ++j) {
        if (motion.trajectory.has_tau() && options_.torque_limits)
          lay(excess_.torque, j, std::abs(motion.trajectory.tau(j, k)) / limits_.torque(j));
        lay(excess_.acceleration, j, std::abs(motion.trajectory.a(j, k)) / limits_.acceleration(j));
        const double speed = motion.trajectory.v(j, k) / limits_.velocity(j);
        lay(excess_.speed, 0, speed * speed);
      }
    }
  }

  absl::StatusOr<PlannedMotion> Check(PlannedMotion out) {
    absl::StatusOr<PlanReport> report =
        CheckTrajectory(source_, out.trajectory, options_.scales, timed_.revision);
    std::vector<std::string> warnings = out.timed.warnings;
    if (!report.ok()) {
      const bool torques_matter = out.timed.problem.m.size() > 0;
      if (torques_matter || report.status().code() != absl::StatusCode::kFailedPrecondition) return report.status();
      warnings.push_back(absl::StrCat("torques not computed: ", report.status().message()));
      report = BuildReport(out.trajectory, limits_);
    }
    out.report = *std::move(report);
    out.report.warnings = std::move(warnings);
    out.report.rung = RungName(out.timed.rung);
    out.report.lower_bound_s = out.timed.lower_bound_s;
    if (out.timed.grid) out.report.binding = BindingSpans(*out.timed.grid, out.timed.solution, facts_.joint_names);
    Eigen::VectorXd q(path_->joint_count()), dq(q), ddq(q);
    path_->Evaluate(path_->length(), Side::kLeft, q.data(), dq.data(), ddq.data());
    out.report.end_error = (out.trajectory.q.rightCols(1) - q).lpNorm<Eigen::Infinity>();
    return out;
  }

  DynamicsSource& source_;
  std::shared_ptr<const Path> path_;
  const TimingOptions& options_;
  SolveOptions solve_;
  RobotFacts facts_;
  MotionLimits limits_;
  TimedPath timed_;
  TimeOptimalSolver solver_;
  Tightening excess_;
};

absl::Status CheckOptions(const TimingOptions& o) {
  const auto bad = [](const char* field, double got, const char* want) {
    return absl::InvalidArgumentError(absl::StrCat(field, ": ", got, ", want ", want));
  };
  if (o.intervals < 2 || o.intervals > 100000) return bad("intervals", o.intervals, "2 to 100000");
  if (!(o.cycle_s > 0) || !std::isfinite(o.cycle_s)) return bad("cycle_s", o.cycle_s, "more than 0");
  if (!(o.start.value >= 0) || !std::isfinite(o.start.value)) return bad("start speed", o.start.value, "0 or more");
  if (!(o.end.value >= 0) || !std::isfinite(o.end.value)) return bad("end speed", o.end.value, "0 or more");
  if (!(o.tool_speed >= 0)) return bad("tool_speed", o.tool_speed, "0 (none) or more");
  if (!(o.tool_acceleration >= 0)) return bad("tool_acceleration", o.tool_acceleration, "0 (none) or more");
  for (const SpeedCap& cap : o.caps)
    if (!(cap.path_speed > 0)) return bad("speed cap", cap.path_speed, "more than 0");
  return absl::OkStatus();
}

}  // namespace

const char* RungName(Rung rung) {
  switch (rung) {
    case Rung::kGrid: return "grid";
    case Rung::kRefinedGrid: return "refined grid";
    case Rung::kShiftedGrid: return "shifted grid";
    case Rung::kRelaxed: return "relaxed by 1e-6";
    case Rung::kUniform: return "uniform timing";
    case Rung::kMargin: return "a margin on all limits";
  }
  return "grid";
}

absl::StatusOr<PlannedMotion> TimePath(DynamicsSource& source, std::shared_ptr<const Path> path,
                                       const TimingOptions& options) {
  if (absl::Status s = CheckOptions(options); !s.ok()) return s;
  absl::Status last;
  for (int attempt = 0; attempt < std::max(1, options.revision_attempts); ++attempt) {
    absl::StatusOr<PlannedMotion> motion = Timing(source, path, options).Run();
    if (motion.ok() || motion.status().code() != absl::StatusCode::kAborted) return motion;
    last = motion.status();
  }
  return absl::AbortedError(absl::StrCat(last.message(), " (", options.revision_attempts, " attempts)"));
}

}  // namespace torqued
