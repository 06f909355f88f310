#include "client/cli/verbs/card_machine.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "client/card/default_config.h"
#include "client/card/ring_card.h"
#include "client/card/sim_card.h"
#include "client/card/watch.h"
#include "client/cli/file.h"
#include "client/cli/json.h"
#include "client/cli/numbers.h"
#include "client/planning/local_dynamics.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/robots/load.h"

namespace torqued::cli {
namespace {

constexpr double kAssumedRampS = 0.05;         // in which an acceleration builds up where the model has no jerk limit
constexpr double kSimulatedWatchdogS = 0.5;    // nobody is hurt, and a busy host must not look like a dead one
constexpr double kSimulatedPathStopS = 5;      // likewise

// The model's dynamics within the card's limits.
class WithinCard : public DynamicsSource {
 public:
  WithinCard(DynamicsSource* model, const CardConfig& config) : model_(*model), config_(config) {}
  absl::StatusOr<RobotFacts> Facts() override {
    auto facts = model_.Facts();
    if (!facts.ok()) return facts;
    for (int i = 0; i < config_.axis_count(); ++i) {
      const AxisConfig& a = config_.axes[i];
      Limits& limits = facts->limits[i];
      const auto narrow = [](std::optional<double>& limit, double card) { limit = std::min(limit.value_or(card), card); };
      narrow(limits.velocity, a.velocity);
      narrow(limits.acceleration, a.acceleration);
      narrow(limits.effort, a.torque);
      if (std::isfinite(a.upper)) narrow(limits.upper, a.upper);
      if (std::isfinite(a.lower)) limits.lower = std::max(limits.lower.value_or(a.lower), a.lower);
      if (!limits.jerk) limits.jerk = *limits.acceleration / kAssumedRampS;
    }
    return facts;
  }
  absl::StatusOr<PathCoefficients> PathDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& ddq) override {
    return model_.PathDynamics(q, dq, ddq);
  }
  absl::StatusOr<TorqueAnswer> InverseDynamics(const Eigen::MatrixXd& q, const Eigen::MatrixXd& v, const Eigen::MatrixXd& a) override {
    return model_.InverseDynamics(q, v, a);
  }
  absl::StatusOr<FrameAnswer> Frames(const Eigen::MatrixXd& q, bool jacobians) override { return model_.Frames(q, jacobians); }
  absl::StatusOr<PoseAnswer> InverseKinematics(const Eigen::Isometry3d& X_WF, const Eigen::VectorXd& seed) override {
    return model_.InverseKinematics(X_WF, seed);
  }

 private:
  DynamicsSource& model_;
  const CardConfig& config_;
};

absl::Status CheckNames(const CardRobot& robot, const CardConfig& config) {
  if (absl::Status fits = CheckSimModel(robot.prepared, config); !fits.ok()) return fits;
  for (int i = 0; i < config.axis_count(); ++i)
    if (config.axes[i].name != robot.model->coordinates[i].name)
      return absl::InvalidArgumentError(absl::StrCat("card configuration: axis ", i + 1, " is '", config.axes[i].name, "', but ", robot.id, " has '",
                                                     robot.model->coordinates[i].name, "' there: want the robot's joints in its order"));
  return absl::OkStatus();
}

std::string CellJson(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return JsonString(*text);
  if (const auto* number = std::get_if<double>(&cell)) return std::isfinite(*number) ? Shortest(*number) : "null";
  return std::to_string(std::get<int64_t>(cell));
}

}  // namespace

AxisArray CardRobot::HoldTorque(const AxisArray& q) const {
  Workspace<double> ws(prepared);
  AxisArray tau{};
  InverseDynamics<double>(prepared, Conditions(prepared), q.data(), nullptr, nullptr, ws, tau.data());
  return tau;
}

absl::StatusOr<CardRobot> LoadCardRobot(Session& session, const std::string& id) {
  const auto known = session.GetModel(id, v1::BASE_UNSPECIFIED, v1::MODEL_VIEW_FULL);
  if (!known.ok()) return known.status();
  LoadOptions how;
  how.base = known->source().base() == v1::BASE_FLOATING ? BaseOption::kFloating
             : known->source().base() == v1::BASE_FIXED  ? BaseOption::kFixed
                                                         : BaseOption::kAsSource;
  how.policy = known->source().policy() == v1::POLICY_REPAIR ? Policy::kRepair : Policy::kWarn;
  auto loaded = LoadModel(known->source().text(), how);
  if (!loaded.ok()) return loaded.status();
  CardRobot robot;
  robot.id = id;
  robot.prepared = Prepare(loaded->model);
  robot.model = std::make_shared<const Model>(std::move(loaded->model));
  if (robot.model->nv > kMaxAxes || robot.model->nq != robot.model->nv)
    return absl::InvalidArgumentError(absl::StrCat(id, ": a card drives up to ", kMaxAxes, " joints of one degree; this robot has ", robot.model->nq,
                                                   " positions and ", robot.model->nv, " velocities"));
  return robot;
}

absl::StatusOr<CardConfig> ReadCardConfigFile(const std::string& path, std::vector<CardFinding>* findings) {
  const auto text = ReadWholeFile("--config", path);
  if (!text.ok()) return text.status();
  auto config = ReadCardConfig(*text, findings);
  if (!config.ok()) return absl::Status(config.status().code(), absl::StrCat(path, ": ", config.status().message()));
  return config;
}

void CardOptions::Declare(OptionSet& options, bool robot_required) {
  options.Argument("ROBOT", robot_, "model: id, id@revision; with --local also a file", robot_required);
  options.Group("Card");
  options.Choice("--driver", driver_, {"sim", "linuxcnc"}, "default: sim, or that of the card of --name");
  options.Text("--name", name_, "NAME", "a card in another process (card list); without it sim runs in this process");
  options.Text("--config", config_, "FILE", "card.yaml; default: what the card itself says, or made up for the robot (sim)");
  options.Flag("--virtual", virtual_, "sim in this process: as fast as it computes, repeats bit for bit");
  options.Flag("--real-time", real_time_, "ask for real-time scheduling and locked memory");
  options.Whole("--cycle-us", cycle_us_, 10, "sim in this process without --config: the card's cycle, default 1000");
}

absl::StatusOr<CardOptions::Plan> CardOptions::Read(Session& session) const {
  Plan plan;
  plan.name = name_;
  if (virtual_ && !name_.empty()) return absl::InvalidArgumentError("--virtual: goes with a simulated card in this process, want no --name");
  if (driver_ == "linuxcnc" && plan.name.empty() && config_.empty())
    return absl::InvalidArgumentError("--driver linuxcnc: want --name of the running card, or --config whose name it has");
  if (name_.empty() && driver_ != "linuxcnc" && robot_.empty())
    return absl::InvalidArgumentError("want a ROBOT to simulate, or --name of a running card (torquectl card list)");
  if (!robot_.empty()) {
    auto robot = LoadCardRobot(session, robot_);
    if (!robot.ok()) return robot.status();
    plan.robot = std::make_unique<CardRobot>(*std::move(robot));
  }
  if (!config_.empty()) {
    auto config = ReadCardConfigFile(config_, nullptr);
    if (!config.ok()) return config.status();
    plan.config = *std::move(config);
    if (driver_ == "linuxcnc" && plan.name.empty()) plan.name = plan.config.name;
  }
  if (!plan.name.empty()) {
    const auto card = CardWatch::Open(plan.name);
    if (!card.ok())
      return absl::Status(card.status().code(),
                          absl::StrCat(card.status().message(), driver_ == "linuxcnc" ? "; start it: client/card/drivers/linuxcnc/start --name "
                                                                                      : "; start it: torquectl card serve ROBOT --name ",
                                       plan.name));
    if (!driver_.empty() && (*card)->Driver() != driver_)
      return absl::InvalidArgumentError(absl::StrCat("--driver: ", driver_, ", but card '", plan.name, "' is ", (*card)->Driver()));
    if (config_.empty()) {
      auto config = (*card)->Config();
      if (!config.ok()) return absl::Status(config.status().code(), absl::StrCat("card '", plan.name, "': ", config.status().message(), " (--config)"));
      plan.config = *std::move(config);
    }
  } else if (config_.empty()) {
    CardConfig shape;
    shape.axes.resize(plan.robot->model->nv);
    if (absl::Status fits = CheckSimModel(plan.robot->prepared, shape); !fits.ok()) return fits;
    plan.config = DefaultSimConfig(*plan.robot->model, plan.robot->prepared, &plan.notes);
    plan.config.watchdog_s = kSimulatedWatchdogS;
    plan.config.path_stop_s = kSimulatedPathStopS;
    if (cycle_us_ > 0) plan.config.cycle_s = 1e-6 * static_cast<double>(cycle_us_);
    for (const CardFinding& f : CheckCardConfig(plan.config))
      if (f.severity == FindingSeverity::kError) return absl::InvalidArgumentError(absl::StrCat(f.where, " ", f.message));
  }
  if (plan.robot)
    if (absl::Status names = CheckNames(*plan.robot, plan.config); !names.ok()) return names;
  return plan;
}

absl::StatusOr<CardOptions::Plan> CardOptions::ForRobot(Session& session, const std::string& robot, const std::string& config) {
  CardOptions options;
  options.robot_ = robot;
  options.config_ = config;
  return options.Read(session);
}

absl::StatusOr<std::unique_ptr<MotionCard>> CardOptions::OpenCard(const Plan& plan, const AxisArray& at) const {
  std::unique_ptr<MotionCard> card;
  if (plan.name.empty()) {
    auto made = SimCard::Make(plan.robot->prepared, plan.config, at, virtual_ ? SimClock::kVirtual : SimClock::kWall);
    if (!made.ok()) return made.status();
    if (!virtual_) (*made)->Run(real_time_);
    card = *std::move(made);
  } else {
    auto attached = AttachCard(plan.name);
    if (!attached.ok()) return attached.status();
    card = *std::move(attached);
  }
  if (const CardStatus opened = card->Open(); !opened.ok()) return CardRefusal(opened, plan.config);
  if (card->State() == CardState::kFaulted) {
    const CardStatus cause = card->Info().cause;
    return absl::FailedPreconditionError(absl::StrCat("the card is faulted, ", CardCause(cause, plan.config),
                                                      "; when the reason is gone: torquectl card reset ", plan.name));
  }
  return card;
}

std::string CardCause(const CardStatus& status, const CardConfig& config) {
  return ToString(status, status.joint >= 0 && status.joint < config.axis_count() ? config.axes[status.joint].name : "");
}

absl::Status CardRefusal(const CardStatus& status, const CardConfig& config) {
  if (status.ok()) return absl::OkStatus();
  std::string text = CardCause(status, config);
  if (status.code == CardCode::kWrongState) absl::StrAppend(&text, " (the card is ", Name(static_cast<CardState>(std::lround(status.value))), ")");
  return absl::Status(ToAbslStatus(status).code(), text);
}

std::string RowsJson(const Sheet& sheet) {
  std::string out = "[";
  for (size_t r = 0; r < sheet.rows.size(); ++r) {
    absl::StrAppend(&out, r > 0 ? ",\n  {" : "\n  {");
    for (size_t c = 0; c < sheet.columns.size(); ++c)
      absl::StrAppend(&out, c > 0 ? ", " : "", JsonString(sheet.columns[c]), ": ", CellJson(sheet.rows[r][c]));
    absl::StrAppend(&out, "}");
  }
  return out + "]";
}

void ShowRows(Session& session, const std::string& name, const Sheet& sheet) {
  if (session.shared().json)
    session.out() << "{" << JsonString(name) << ": " << RowsJson(sheet) << "}\n";
  else
    session.out() << (session.shared().csv ? ToCsv(sheet) : ToTable(sheet));
}

absl::StatusOr<AxisArray> ParseAxes(const std::string& flag, const std::string& text, const CardConfig& config) {
  const auto values = ParseNumbers(flag, text, config.axis_count(), "one per axis");
  if (!values.ok()) return values.status();
  AxisArray out{};
  std::copy(values->begin(), values->end(), out.begin());
  return out;
}

absl::StatusOr<std::uint32_t> ParseAxisMask(const std::string& text, const CardConfig& config) {
  if (text.empty()) return (1u << config.axis_count()) - 1;
  std::uint32_t mask = 0;
  for (const std::string& name : SplitTrimmed(text, ',')) {
    int found = -1;
    std::string known;
    for (int i = 0; i < config.axis_count(); ++i) {
      if (config.axes[i].name == name) found = i;
      absl::StrAppend(&known, i > 0 ? ", " : "", config.axes[i].name);
    }
    if (found < 0) return absl::InvalidArgumentError(absl::StrCat("axis '", name, "': there are ", known));
    mask |= 1u << found;
  }
  return mask;
}

absl::StatusOr<Trajectory> PlanMove(const CardRobot& robot, const CardConfig& config, const AxisArray& from, const AxisArray& to, double speed) {
  auto dynamics = LocalDynamics::Create(robot.model);
  if (!dynamics.ok()) return dynamics.status();
  WithinCard source(dynamics->get(), config);
  PtpOptions options;
  options.kind = PtpKind::kSCurve;
  options.timing.cycle_s = config.cycle_s;
  options.timing.scales = {speed, speed, speed, 1};
  const int n = config.axis_count();
  auto plan = PlanPtp(source, Eigen::Map<const Eigen::VectorXd>(from.data(), n), Eigen::Map<const Eigen::VectorXd>(to.data(), n), options);
  if (!plan.ok()) return plan.status();
  return std::move(plan->trajectory);
}

}  // namespace torqued::cli
