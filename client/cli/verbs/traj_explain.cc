// torquectl traj explain, traj plot: what goes on at a moment of a trajectory, and how it looks.
#include <absl/strings/str_cat.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "client/cli/motion_plots.h"
#include "client/cli/numbers.h"
#include "client/cli/trajectory_io.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"
#include "client/planning/explain.h"

namespace torqued::cli {
namespace {

class TrajExplainVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj explain",
            kPlanning,
            "each joint's torque at a moment, by its causes, and the limit that is nearest",
            {"traj explain ur5e move.csv --at 0.35", "traj explain scara move.json --at 120ms --payload tool0:mass=2 --json"},
            "For what limits a plan itself, and how fast the path could be run there: plan ... --explain T."};
  }
  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Argument("FILE", file_, "trajectory; - reads standard input");
    options.Group("Moment");
    options.Required("--at", at_, "0.35", "time from the trajectory's start [s], or with ms");
    timing_.Declare(options, false, false);
  }
  absl::StatusOr<Exit> Run(Session& session) override {
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    double at = 0;
    if (at_ != "0") {
      const auto t = ParseDuration("--at", at_);
      if (!t.ok()) return t.status();
      at = std::chrono::duration<double>(*t).count();
    }
    auto moved = ReadMoved(mover_, file_, session);
    if (!moved.ok()) return moved.status();
    const Mover& mover = moved->mover;
    const RobotFacts& facts = moved->facts;
    Trajectory& trajectory = moved->trajectory;
    if (at > trajectory.duration_s())
      return absl::InvalidArgumentError(absl::StrCat("--at: ", at_, ", want 0 to ", Shortest(trajectory.duration_s()), " s"));
    const auto limits = ScaledLimits(facts, timing->scales);
    if (!limits.ok()) return limits.status();
    const auto moment = PlanAgainIfChanged([&] { return ExplainMoment(mover.dynamics(), trajectory, *limits, trajectory.time_s.front() + at); });
    if (!moment.ok()) return moment.status();
    Show(session, facts, *moment);
    return moment->nearest_share > 1.001 ? Exit::kCheckFailed : Exit::kOk;
  }

 private:
  static void Show(Session& session, const RobotFacts& facts, const Moment& moment) {
    Sheet sheet{absl::StrCat("traj explain of ", RevisionForPeople(facts.revision), " at ", Fixed(moment.t, 4), " s"),
                {"joint", "unit", "position", "speed", "acceleration", "torque", "limit", "of limit [%]", "= acceleration", "+ speed",
                 "+ gravity", "+ friction"},
                {}};
    const bool rounded = session.for_people();
    const auto cell = [rounded](double value, int decimals) {
      return !std::isfinite(value) ? Cell("") : rounded ? Cell(Fixed(value, decimals)) : Cell(value);
    };
    nlohmann::ordered_json joints = nlohmann::ordered_json::array();
    for (size_t j = 0; j < moment.joints.size(); ++j) {
      const JointExplanation& e = moment.joints[j];
      sheet.rows.push_back({e.name, facts.is_linear[j] ? "m, N" : "rad, Nm", cell(e.q, 4), cell(e.v, 3), cell(e.a, 2), cell(e.torque, 3),
                            cell(e.limit, 1), cell(100 * std::abs(e.torque) / e.limit, 1), cell(e.from_acceleration, 3),
                            cell(e.from_speed, 3), cell(e.gravity, 3), cell(e.friction, 3)});
      joints.push_back({{"name", e.name}, {"position", e.q}, {"velocity", e.v}, {"acceleration", e.a}, {"torque", e.torque},
                        {"limit", std::isfinite(e.limit) ? nlohmann::ordered_json(e.limit) : nullptr},
                        {"from_acceleration", e.from_acceleration}, {"from_speed", e.from_speed}, {"gravity", e.gravity}, {"friction", e.friction}});
    }
    if (session.shared().json) {
      session.out() << nlohmann::ordered_json{{"revision", facts.revision}, {"time", moment.t}, {"joints", joints},
                                              {"nearest", moment.nearest}, {"nearest_share", moment.nearest_share}}.dump(1) << "\n";
    } else if (session.shared().csv) {
      session.out() << ToCsv(sheet);
    } else {
      session.out() << ToTable(sheet) << "\nnearest to its limit: " << (moment.nearest.empty() ? "nothing, there are none" : moment.nearest);
      if (!moment.nearest.empty()) session.out() << ", " << Fixed(100 * moment.nearest_share, 1) << " %";
      session.out() << "\n";
    }
  }

  MoverOptions mover_;
  TimingFlags timing_;
  std::string file_, at_;
};

class TrajPlotVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj plot",
            kPlanning,
            "draws a trajectory: torque against limits, phase plane, speeds, power, way of the hand",
            {"traj plot ur5e move.csv --out move.html", "traj plot scara move.json --kind torque --out torque.svg --payload tool0:mass=2"},
            "The file that is written needs no other: no script, no font. For the phase plane the way is timed anew; plan ... --plot draws a "
            "plan's own."};
  }
  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Argument("FILE", file_, "trajectory; - reads standard input");
    options.Group("Plot");
    options.Choice("--kind", kind_, {"torque", "phase", "speed", "power", "hand", "all"}, "default all, on one page");
    options.Required("--out,--output", out_, "FILE", ".svg for one kind, .html for one or all");
    timing_.Declare(options, false);
  }
  absl::StatusOr<Exit> Run(Session& session) override {
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    const PlotWish plot{kind_.empty() ? "all" : kind_, out_};
    if (absl::Status status = CheckPlot("--out", plot); !status.ok()) return status;
    auto moved = ReadMoved(mover_, file_, session);
    if (!moved.ok()) return moved.status();
    const Mover& mover = moved->mover;
    const RobotFacts& facts = moved->facts;
    Trajectory& trajectory = moved->trajectory;
    const auto limits = ScaledLimits(facts, timing->scales);
    if (!limits.ok()) return limits.status();
    auto report = CheckTrajectory(mover.dynamics(), trajectory, timing->scales);
    if (report.status().code() == absl::StatusCode::kFailedPrecondition) report = BuildReport(trajectory, *limits);
    if (!report.ok()) return report.status();
    MotionAnswer answer;
    answer.title = "traj plot";
    answer.facts = facts;
    answer.limits = *limits;
    answer.trajectory = &trajectory;
    answer.report = &*report;
    absl::StatusOr<MotionPlan> timed = absl::UnknownError("");
    if (plot.kind == "phase" || plot.kind == "all") {
      timed = RetimeTrajectory(mover.dynamics(), trajectory, *timing);
      if (timed.ok()) answer.timed = &*timed->timed;
      else if (plot.kind == "phase") return ShowFailure(session, "traj plot", timed.status());
      else session.err() << "note: no phase plane: " << timed.status().message() << "\n";
    }
    if (absl::Status s = WritePlot(plot, answer, mover.dynamics()); !s.ok()) return s;
    session.err() << "traj plot: " << plot.kind << " drawn in " << plot.file << "\n";
    return Exit::kOk;
  }

 private:
  MoverOptions mover_;
  TimingFlags timing_;
  std::string file_, kind_, out_;
};

}  // namespace

std::unique_ptr<Verb> MakeTrajExplain() { return std::make_unique<TrajExplainVerb>(); }
std::unique_ptr<Verb> MakeTrajPlot() { return std::make_unique<TrajPlotVerb>(); }

}  // namespace torqued::cli
