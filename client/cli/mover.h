// Which robot moves, under which limits, and who knows its dynamics? What the planning verbs have in common before they plan.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "client/planning/limited_source.h"
#include "client/planning/path_timing.h"
#include "client/remote/remote_dynamics.h"

namespace torqued::cli {

struct Mover {
  v1::Model model;
  v1::Context context;
  std::unique_ptr<RemoteDynamics> answers;  // from the session's backend: a server, or this process
  std::unique_ptr<LimitedSource> source;    // the same with --limit

  DynamicsSource& dynamics() const { return *source; }
};

class MoverOptions {
 public:
  void Declare(OptionSet& options);
  // INVALID_ARGUMENT naming the option; NOT_FOUND: no such model.
  absl::StatusOr<Mover> Read(Session& session) const;
  const std::string& model() const { return model_; }

 private:
  std::string model_, base_, tool_, gravity_;
  std::vector<std::string> payloads_, limits_;
};

// "elbow:torque=40,velocity=2" or, for every joint, "velocity=2".
absl::StatusOr<LimitOverride> ParseLimit(const std::string& text);

// How fast: shares of the limits, speed of the hand, cycle, grid.
class TimingFlags {
 public:
  // `hand`: also --hand-speed and --hand-acceleration. `grid`: also --intervals and --ignore-torque.
  void Declare(OptionSet& options, bool hand, bool grid = true);
  // With one attempt per model revision: PlanAgainIfChanged asks everything anew.
  absl::StatusOr<TimingOptions> Read() const;

 private:
  std::string speed_, acceleration_, jerk_, torque_, hand_speed_, hand_acceleration_, cycle_ = "1ms";
  int64_t intervals_ = 400;
  bool ignore_torque_ = false;
};

// A share above 0 and at most 1: "0.5" or "50%"; "" is 1.
absl::StatusOr<double> ParseShare(const std::string& flag, const std::string& text);

// One joint configuration: "0.1,0.2", "zero"; degrees for turning joints if asked. INVALID_ARGUMENT naming flag, count and joints.
absl::StatusOr<Eigen::VectorXd> ParseJoints(const std::string& flag, const std::string& text, const v1::Model& model,
                                            bool degrees);

// "models/ur5e/revisions/0123..." as "ur5e@0123...".
std::string RevisionForPeople(const std::string& revision);

}  // namespace torqued::cli
