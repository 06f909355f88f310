// torquectl plan line, plan arc: the hand on a straight line or an arc of a circle.
#include <absl/strings/str_cat.h>

#include "client/cli/goal.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

// The options of both; `via` only for the arc.
class PlanHandVerb : public Verb {
 public:
  explicit PlanHandVerb(bool arc) : arc_(arc), name_(arc ? "plan arc" : "plan line") {}

  VerbText Text() const override {
    VerbText text{name_, kPlanning, "", {}, "The start says on which branch the robot moves. A way that leads out of reach or through a "
                  "singularity is refused with the place, the joint, and exit code 3; near one the robot slows down."};
    if (arc_) {
      text.summary = "the hand on an arc of a circle, through a point";
      text.examples = {"plan arc ur5e --from 0,-1.57,1.57,-1.57,-1.57,0 --via -0.45,0.05,0.45 --to-xyz -0.35,0.2,0.45"};
    } else {
      text.summary = "the hand on a straight line";
      text.examples = {"plan line ur5e --from 0,-1.57,1.57,-1.57,-1.57,0 --by 0,0.3,0.1 --payload tool0:mass=3",
                       "plan line scara --from 0.3,0.8,0.05,0 --to-xyz 0.2,0.5,0.35 --hand-speed 0.5 --plot torque=torque.svg"};
    }
    return text;
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    goal_.Declare(options);
    if (arc_) options.Required("--via", via_, "X,Y,Z", "point that the arc goes through [m] in the world");
    options.Text("--rows", rows_, "x,y,z", "rows of the hand's motion to follow, default those that the robot can: x,y,z,wx,wy,wz");
    timing_.Declare(options, true);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    absl::Status status = goal_.CheckOne();
    status.Update(output_.Check());
    if (!status.ok()) return status;
    HandOptions options;
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    options.timing = *timing;
    Eigen::Vector3d via = Eigen::Vector3d::Zero();
    if (arc_) {
      const auto point = ParseNumbers("--via", via_, 3, "X,Y,Z");
      if (!point.ok()) return point.status();
      via = Eigen::Vector3d((*point)[0], (*point)[1], (*point)[2]);
    }
    const auto mover = mover_.Read(session);
    if (!mover.ok()) return mover.status();
    const auto from = goal_.From(*mover);
    if (!from.ok()) return from.status();
    const auto task = RowsFor(session, *mover, rows_, *from);
    if (!task.ok()) return task.status();
    options.follow.task = *task;
    return PlanAndShow(session, name_, *mover, *timing, output_, [&]() -> absl::StatusOr<MotionPlan> {
      const auto pose = goal_.Pose(*mover, *from);
      if (!pose.ok()) return pose.status();
      return arc_ ? PlanArc(mover->dynamics(), *from, via, *pose, options) : PlanLine(mover->dynamics(), *from, *pose, options);
    });
  }

 private:
  const bool arc_;
  const std::string name_;
  MoverOptions mover_;
  GoalOptions goal_;
  TimingFlags timing_;
  MotionOutput output_;
  std::string via_, rows_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanLine() { return std::make_unique<PlanHandVerb>(false); }
std::unique_ptr<Verb> MakePlanArc() { return std::make_unique<PlanHandVerb>(true); }

}  // namespace torqued::cli
