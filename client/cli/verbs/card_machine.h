// Which robot, which card, wired how? What the card verbs have in common: options, the robot's model, the card itself.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "client/card/config.h"
#include "client/card/motion_card.h"
#include "client/card/path_table.h"
#include "client/cli/options.h"
#include "client/cli/session.h"
#include "client/planning/plan.h"
#include "server/core/tree/prepare.h"

namespace torqued::cli {

// The robot as the server (or --local) knows it, in this process.
struct CardRobot {
  std::string id;  // as typed
  std::shared_ptr<const Model> model;
  Prepared prepared;

  AxisArray HoldTorque(const AxisArray& q) const;
};
absl::StatusOr<CardRobot> LoadCardRobot(Session& session, const std::string& id);

absl::StatusOr<CardConfig> ReadCardConfigFile(const std::string& path, std::vector<CardFinding>* findings);

class CardOptions {
 public:
  // `robot_required`: for verbs that make no sense without a model; else --name alone is enough.
  void Declare(OptionSet& options, bool robot_required);

  // Model, configuration and (for a card in another process) who answers to the name. Moves nothing, powers nothing.
  struct Plan {
    std::unique_ptr<CardRobot> robot;  // null: not named
    CardConfig config;
    std::string name;                  // of a card in another process; empty: simulated in this one
    std::vector<CardFinding> notes;    // what a simulated card had to assume
  };
  // INVALID_ARGUMENT, NOT_FOUND (robot, card, file), UNAVAILABLE (card).
  absl::StatusOr<Plan> Read(Session& session) const;
  // The simulated card of this process standing at `at`, or the one of that name, opened.
  absl::StatusOr<std::unique_ptr<MotionCard>> OpenCard(const Plan& plan, const AxisArray& at) const;
  // Model and configuration alone: of the file, or made up.
  static absl::StatusOr<Plan> ForRobot(Session& session, const std::string& robot, const std::string& config);
  bool real_time() const { return real_time_; }

 private:
  std::string robot_, driver_, name_, config_;
  bool virtual_ = false, real_time_ = false;
  int64_t cycle_us_ = 0;
};

// A card's refusal in words, with the axis' name; ok stays ok.
absl::Status CardRefusal(const CardStatus& status, const CardConfig& config);
// "bench: axis 2 (z) ..." of a status.
std::string CardCause(const CardStatus& status, const CardConfig& config);

// Rows of plain values for people (table), --csv and --json ({"name": [{column: value}, ...]}).
std::string RowsJson(const Sheet& sheet);  // [{column: value}, ...]
void ShowRows(Session& session, const std::string& name, const Sheet& sheet);

// Joint values in the order of the axes: "0.1,0.2".
absl::StatusOr<AxisArray> ParseAxes(const std::string& flag, const std::string& text, const CardConfig& config);
// The axes named in "a,b"; "" is all of them.
absl::StatusOr<std::uint32_t> ParseAxisMask(const std::string& text, const CardConfig& config);

// A point-to-point move within the card's own limits times `speed` (0 to 1].
absl::StatusOr<Trajectory> PlanMove(const CardRobot& robot, const CardConfig& config, const AxisArray& from, const AxisArray& to, double speed);

}  // namespace torqued::cli
