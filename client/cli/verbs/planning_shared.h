// What the plan verbs do alike: read the robot, plan (again if the model changes), show.
#pragma once

#include <functional>

#include "client/cli/motion_report.h"
#include "client/cli/mover.h"

namespace torqued::cli {

// `plan` is called once per attempt. Refusals of the planner end as ShowFailure says.
absl::StatusOr<Exit> PlanAndShow(Session& session, const std::string& verb, const Mover& mover, const TimingOptions& timing,
                                 const MotionOutput& output, const std::function<absl::StatusOr<MotionPlan>()>& plan);

}  // namespace torqued::cli
