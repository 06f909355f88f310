// What the plan and traj verbs do alike: read robot and trajectory, plan (again if the model changes), show.
#pragma once

#include <functional>

#include "client/cli/motion_report.h"
#include "client/cli/mover.h"

namespace torqued::cli {

// Who moves, what is known of the robot, and a trajectory file in its joints' order.
struct Moved {
  Mover mover;
  RobotFacts facts;
  Trajectory trajectory;
};
absl::StatusOr<Moved> ReadMoved(const MoverOptions& mover, const std::string& file, Session& session);

// `plan` is called once per attempt. Refusals of the planner end as ShowFailure says.
absl::StatusOr<Exit> PlanAndShow(Session& session, const std::string& verb, const Mover& mover, const TimingOptions& timing,
                                 const MotionOutput& output, const std::function<absl::StatusOr<MotionPlan>()>& plan);

}  // namespace torqued::cli
