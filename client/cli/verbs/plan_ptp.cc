// torquectl plan ptp: from one place to another, by the way that suits the joints.
#include <absl/strings/str_cat.h>

#include "client/cli/goal.h"
#include "client/cli/numbers.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

class PlanPtpVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"plan ptp",
            kPlanning,
            "point to point: as fast as the motors allow, or by an S-curve, trapezoid, polynomial",
            {"plan ptp ur5e --from 0,-1.57,1.57,-1.57,-1.57,0 --to 1,-1.2,1.8,-2,-1.57,0 --payload tool0:mass=3 --out move.csv",
             "plan ptp scara --from zero --to 90,-60,0.1,0 --deg --kind s-curve",
             "plan ptp ur5e --from 0,-1.57,1.57,-1.57,-1.57,0 --to-xyz 0.3,0.4,0.3 --speed 50%"},
            "time-optimal keeps torque, speed and acceleration limits with payload and friction. The other kinds keep speed, "
            "acceleration and jerk limits; their torques are computed and checked. Limits that the model does not have are said."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    goal_.Declare(options);
    options.Text("--branch", branch_, "NAME", "with a goal of the hand: this solution of inverse kinematics, default the nearest");
    options.Choice("--kind", kind_, {"time-optimal", "s-curve", "trapezoid", "cubic", "quintic", "septic"}, "default time-optimal");
    options.Flag("--straight", straight_, "s-curve: all joints on one straight line, instead of each on its own curve");
    options.Text("--duration", duration_, "2s", "polynomials: at least this long, default as fast as the limits allow");
    timing_.Declare(options, false);
    output_.Declare(options);
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    absl::Status status = goal_.CheckOne();
    status.Update(output_.Check());
    if (!status.ok()) return status;
    const auto timing = timing_.Read();
    if (!timing.ok()) return timing.status();
    PtpOptions options;
    options.timing = *timing;
    options.straight = straight_;
    options.kind = kind_ == "s-curve"     ? PtpKind::kSCurve
                   : kind_ == "trapezoid" ? PtpKind::kTrapezoid
                   : kind_ == "cubic"     ? PtpKind::kCubic
                   : kind_ == "quintic"   ? PtpKind::kQuintic
                   : kind_ == "septic"    ? PtpKind::kSeptic
                                          : PtpKind::kTimeOptimal;
    if (!duration_.empty()) {
      if (options.kind != PtpKind::kCubic && options.kind != PtpKind::kQuintic && options.kind != PtpKind::kSeptic)
        return absl::InvalidArgumentError("--duration: want --kind cubic, quintic or septic with it");
      const auto duration = ParseDuration("--duration", duration_);
      if (!duration.ok()) return duration.status();
      options.duration_s = std::chrono::duration<double>(*duration).count();
    }
    if (!branch_.empty() && goal_.in_joints()) return absl::InvalidArgumentError("--branch: want a goal of the hand with it (--to-xyz, --to-pose, --by)");
    const auto mover = mover_.Read(session);
    if (!mover.ok()) return mover.status();
    const auto from = goal_.From(*mover);
    if (!from.ok()) return from.status();
    return PlanAndShow(session, "plan ptp", *mover, *timing, output_, [&]() -> absl::StatusOr<MotionPlan> {
      if (goal_.in_joints()) {
        const auto to = goal_.Joints(*mover);
        if (!to.ok()) return to.status();
        return PlanPtp(mover->dynamics(), *from, *to, options);
      }
      const auto pose = goal_.Pose(*mover, *from);
      if (!pose.ok()) return pose.status();
      return PlanPtpToPose(mover->dynamics(), *from, *pose, branch_, options);
    });
  }

 private:
  MoverOptions mover_;
  GoalOptions goal_;
  TimingFlags timing_;
  MotionOutput output_;
  std::string kind_, branch_, duration_;
  bool straight_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakePlanPtp() { return std::make_unique<PlanPtpVerb>(); }

}  // namespace torqued::cli
