// torquectl traj check: which torques does this trajectory take, and does it keep the limits?  traj time: the same way, as fast as possible.
#include <absl/strings/str_cat.h>

#include "client/cli/trajectory_io.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

class TrajCheckVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj check",
            kPlanning,
            "torques, power and limits of a trajectory",
            {"traj check ur5e move.csv --payload tool0:mass=3", "traj check scara moveit.json --out with-torques.csv"},
            "FILE is CSV, JSON or YAML with the names of trajectory_msgs/JointTrajectory; joints may stand in any order. Speeds and "
            "accelerations that the file leaves out come from a spline through its positions. Exit code 2: a limit is passed."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Argument("FILE", file_, "trajectory; - reads standard input");
    timing_.Declare(options, false, false);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    if (absl::Status status = output_.Check(); !status.ok()) return status;
    auto moved = ReadMoved(mover_, file_, session);
    if (!moved.ok()) return moved.status();
    const Mover& mover = moved->mover;
    const RobotFacts& facts = moved->facts;
    Trajectory& trajectory = moved->trajectory;
    const auto limits = ScaledLimits(facts, timing->scales);
    if (!limits.ok()) return limits.status();
    const auto report = PlanAgainIfChanged([&] { return CheckTrajectory(mover.dynamics(), trajectory, timing->scales); });
    if (!report.ok()) return report.status();
    MotionAnswer answer;
    answer.title = "traj check";
    answer.facts = facts;
    answer.limits = *limits;
    answer.trajectory = &trajectory;
    answer.report = &*report;
    return output_.Show(session, answer, mover.dynamics());
  }

 private:
  MoverOptions mover_;
  TimingFlags timing_;
  MotionOutput output_;
  std::string file_;
};

class TrajTimeVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj time",
            kPlanning,
            "times a trajectory's way anew: as fast as the motors allow",
            {"traj time ur5e moveit.json --payload tool0:mass=3 --out faster.json", "traj time scara slow.csv --torque 80% --waypoints 30"},
            "A spline goes through at most --waypoints of the file's positions; its old times do not count."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Argument("FILE", file_, "trajectory; - reads standard input");
    options.Group("Way");
    options.Whole("--waypoints", waypoints_, 2, "of the file that the new way goes through, at most; default 60");
    timing_.Declare(options, false);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    if (absl::Status status = output_.Check(); !status.ok()) return status;
    if (waypoints_ > 10000) return absl::InvalidArgumentError(absl::StrCat("--waypoints: ", waypoints_, ", want 2 to 10000"));
    auto moved = ReadMoved(mover_, file_, session);
    if (!moved.ok()) return moved.status();
    const Mover& mover = moved->mover;
    Trajectory& trajectory = moved->trajectory;
    return PlanAndShow(session, "traj time", mover, *timing, output_,
                       [&] { return RetimeTrajectory(mover.dynamics(), trajectory, *timing, static_cast<int>(waypoints_)); });
  }

 private:
  MoverOptions mover_;
  TimingFlags timing_;
  MotionOutput output_;
  std::string file_;
  int64_t waypoints_ = 60;
};

}  // namespace

std::unique_ptr<Verb> MakeTrajCheck() { return std::make_unique<TrajCheckVerb>(); }
std::unique_ptr<Verb> MakeTrajTime() { return std::make_unique<TrajTimeVerb>(); }

}  // namespace torqued::cli
