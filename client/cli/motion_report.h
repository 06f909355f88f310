// What did a plan or a check find? Tables for people, JSON for programs, files and plots on the side.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "client/cli/exit_code.h"
#include "client/cli/options.h"
#include "client/cli/session.h"
#include "client/planning/plan.h"

namespace torqued::cli {

// A motion to be shown. What is absent is left out.
struct MotionAnswer {
  std::string title;  // "plan ptp"
  RobotFacts facts;
  MotionLimits limits;
  const Trajectory* trajectory = nullptr;
  const PlanReport* report = nullptr;
  const TimedPath* timed = nullptr;
  std::string branch_start, branch_end;
};

class MotionOutput {
 public:
  // `file`: also --out, --explain, --plot.
  void Declare(OptionSet& options, bool file = true);
  // Names that can be written to, a time that can be read: asked before anything is computed.
  absl::Status Check() const;

  // Prints and writes everything asked for. kCheckFailed where a limit is passed. `source`: for plots of the hand.
  absl::StatusOr<Exit> Show(Session& session, const MotionAnswer& answer, DynamicsSource& source) const;

 private:
  absl::Status WriteFiles(Session& session, const MotionAnswer& answer, DynamicsSource& source) const;

  std::string out_, explain_;
  std::vector<std::string> plots_;
};

// What limits the motion: one row per limit, the longest first.
struct BindingShare {
  std::string what;  // "torque elbow_joint +"
  double seconds = 0, share = 0, first_s = 0, last_s = 0;  // time in force, of the whole, first and last moment
};
std::vector<BindingShare> BindingShares(const TimedPath& timed, const std::vector<BindingSpan>& spans);

// The status of a planner as the command line says it: infeasible plans end with Exit::kInfeasible, their message on standard
// error (--json: with the place, the joint and what would be needed on standard output).
absl::StatusOr<Exit> ShowFailure(Session& session, const std::string& verb, const absl::Status& status);

}  // namespace torqued::cli
