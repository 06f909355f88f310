// torquectl plan gate: pick and place: lift, travel, set down, in one smooth way.
#include <absl/strings/str_cat.h>

#include "client/cli/goal.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

class PlanGateVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"plan gate",
            kPlanning,
            "pick and place: lift, arch over, set down",
            {"plan gate scara --from 40,-80,0.12,0 --to -30,60,0.12,90 --deg --lift 50mm --clear 10mm --payload tool0:mass=1",
             "plan gate scara --from 0.7,-1.4,0.12,0 --to-xyz 0.2,-0.4,0.28 --plot all=gate.html"},
            "Straight up for --clear, then lifting and travelling together; the same the other way round at the goal."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    goal_.Declare(options);
    options.Text("--lift", lift_, "50mm", "above the higher of start and goal [m], or with mm; default 50mm");
    options.Text("--clear", clear_, "10mm", "straight up before the arch and straight down after it; default 10mm");
    options.Text("--lift-joint", joint_, "NAME", "the joint that lifts; default the only prismatic one");
    timing_.Declare(options, false);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    absl::Status status = goal_.CheckOne();
    status.Update(output_.Check());
    if (!status.ok()) return status;
    GateOptions options;
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    options.timing = *timing;
    options.lift_joint = joint_;
    const auto lift = Length("--lift", lift_), clear = Length("--clear", clear_);
    if (!lift.ok()) return lift.status();
    if (!clear.ok()) return clear.status();
    if (!(*clear < *lift)) return absl::InvalidArgumentError(absl::StrCat("--clear: ", clear_, ", want less than --lift ", lift_));
    options.lift = *lift;
    options.clear = *clear;
    const auto mover = mover_.Read(session);
    if (!mover.ok()) return mover.status();
    const auto from = goal_.From(*mover);
    if (!from.ok()) return from.status();
    return PlanAndShow(session, "plan gate", *mover, *timing, output_, [&]() -> absl::StatusOr<MotionPlan> {
      auto to = goal_.in_joints() ? goal_.Joints(*mover) : Nearest(*mover, *from);
      if (!to.ok()) return to.status();
      return PlanGate(mover->dynamics(), *from, *to, options);
    });
  }

 private:
  static absl::StatusOr<double> Length(const std::string& flag, const std::string& text) {
    const bool mm = text.size() > 2 && text.ends_with("mm"), m = !mm && text.size() > 1 && text.ends_with("m");
    const auto value = ParseNumber(flag, text.substr(0, text.size() - (mm ? 2 : m ? 1 : 0)));
    if (!value.ok()) return value.status();
    if (!(*value >= 0)) return absl::InvalidArgumentError(absl::StrCat(flag, ": ", text, ", want 0 or more"));
    return mm ? *value / 1000 : *value;
  }

  // The joint positions for a goal of the hand that are nearest to the start.
  absl::StatusOr<Eigen::VectorXd> Nearest(const Mover& mover, const Eigen::VectorXd& from) const {
    const auto pose = goal_.Pose(mover, from);
    if (!pose.ok()) return pose.status();
    const auto answer = mover.dynamics().InverseKinematics(*pose, from);
    if (!answer.ok()) return answer.status();
    if (answer->solutions.empty()) return UnreachableError("goal pose: out of reach");
    return answer->solutions.front().q;
  }

  MoverOptions mover_;
  GoalOptions goal_;
  TimingFlags timing_;
  MotionOutput output_;
  std::string lift_ = "50mm", clear_ = "10mm", joint_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanGate() { return std::make_unique<PlanGateVerb>(); }

}  // namespace torqued::cli
