#include "client/cli/verbs/planning_shared.h"

#include "client/cli/trajectory_io.h"

namespace torqued::cli {

absl::StatusOr<Moved> ReadMoved(const MoverOptions& options, const std::string& file, Session& session) {
  auto mover = options.Read(session);
  if (!mover.ok()) return mover.status();
  auto facts = mover->dynamics().Facts();
  if (!facts.ok()) return facts.status();
  auto trajectory = ReadTrajectoryFile(file, *facts);
  if (!trajectory.ok()) return trajectory.status();
  return Moved{*std::move(mover), *std::move(facts), *std::move(trajectory)};
}

absl::StatusOr<Exit> PlanAndShow(Session& session, const std::string& verb, const Mover& mover, const TimingOptions& timing,
                                 const MotionOutput& output, const std::function<absl::StatusOr<MotionPlan>()>& plan) {
  const auto planned = PlanAgainIfChanged(plan);
  if (!planned.ok()) return ShowFailure(session, verb, planned.status());
  const auto facts = mover.dynamics().Facts();
  if (!facts.ok()) return facts.status();
  const auto limits = ScaledLimits(*facts, timing.scales);
  if (!limits.ok()) return limits.status();
  MotionAnswer answer;
  answer.title = verb;
  answer.facts = *facts;
  answer.limits = *limits;
  answer.trajectory = &planned->trajectory;
  answer.report = &planned->report;
  answer.timed = planned->timed ? &*planned->timed : nullptr;
  answer.branch_start = planned->branch_start;
  answer.branch_end = planned->branch_end;
  return output.Show(session, answer, mover.dynamics());
}

}  // namespace torqued::cli
