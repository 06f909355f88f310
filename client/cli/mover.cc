#include "client/cli/mover.h"

#include <absl/strings/str_cat.h>

#include <numbers>

#include "client/cli/columns.h"
#include "client/cli/numbers.h"
#include "client/cli/question_options.h"
#include "client/cli/subject.h"
#include "client/torqued/question.h"

namespace torqued::cli {
namespace {

constexpr char kLimitForm[] = "[JOINT:]velocity=2,torque=40 with some of lower, upper, velocity, acceleration, jerk, torque";

}  // namespace

void MoverOptions::Declare(OptionSet& options) {
  options.Argument("MODEL", model_, "model: id, id@revision; with --local also a robot file");
  options.Group("Robot and load");
  options.Text("--tool", tool_, "FRAME", "tool frame instead of the model's");
  options.Repeated("--payload", payloads_, "PAYLOAD", "rigid load: LINK:mass=1.2,com=0.6,0,0.1[,inertia=xx,xy,xz,yy,yz,zz]");
  options.Text("--gravity", gravity_, "X,Y,Z", "gravity [m/s^2] in world axes instead of the model's");
  options.Repeated("--limit", limits_, "LIMIT", std::string("other limits than the model's: ") + kLimitForm);
  options.Choice("--base", base_, {"fixed", "floating"}, "with --local and a robot file: how it is mounted");
}

absl::StatusOr<Mover> MoverOptions::Read(Session& session) const {
  Mover mover;
  mover.context.set_tool_frame(tool_);
  for (const std::string& text : payloads_) {
    auto payload = ParsePayload(text);
    if (!payload.ok()) return payload.status();
    *mover.context.add_payloads() = *std::move(payload);
  }
  if (!gravity_.empty()) {
    const auto gravity = ParseVector("--gravity", gravity_);
    if (!gravity.ok()) return gravity.status();
    *mover.context.mutable_gravity() = *gravity;
  }
  std::vector<LimitOverride> overrides;
  for (const std::string& text : limits_) {
    const auto limit = ParseLimit(text);
    if (!limit.ok()) return limit.status();
    overrides.push_back(*limit);
  }
  const auto who = session.backend();
  if (!who.ok()) return who.status();
  const auto name = (*who)->ModelName(model_, ParseBase(base_));
  if (!name.ok()) return name.status();
  mover.context.set_model(*name);
  v1::GetModelRequest request;
  request.set_name(*name);
  auto model = session.Ask<v1::GetModelResponse>(request);
  if (!model.ok()) return model.status();
  mover.model = std::move(*model->mutable_model());
  mover.answers = std::make_unique<RemoteDynamics>(
      [backend = *who](const google::protobuf::Message& question, google::protobuf::Message& answer, RowWidths) {
        return backend->Call(question, answer, nullptr);
      },
      mover.context);
  mover.source = std::make_unique<LimitedSource>(*mover.answers, std::move(overrides));
  if (const auto facts = mover.source->Facts(); !facts.ok()) return facts.status();
  return mover;
}

absl::StatusOr<LimitOverride> ParseLimit(const std::string& text) {
  LimitOverride out;
  std::string rest = text;
  if (const auto colon = text.find(':'); colon != std::string::npos) {
    out.joint = text.substr(0, colon);
    rest = text.substr(colon + 1);
  }
  const auto bad = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("--limit '", text, "': ", why, "; want ", kLimitForm));
  };
  const std::vector<std::string> parts = SplitTrimmed(rest, ',');
  if (parts.empty()) return bad("no quantity");
  for (const std::string& part : parts) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) return bad(absl::StrCat("'", part, "' has no value"));
    const std::string name = part.substr(0, equals);
    std::optional<double>* field = name == "lower"          ? &out.limits.lower
                                   : name == "upper"        ? &out.limits.upper
                                   : name == "velocity"     ? &out.limits.velocity
                                   : name == "acceleration" ? &out.limits.acceleration
                                   : name == "jerk"         ? &out.limits.jerk
                                   : name == "torque"       ? &out.limits.effort
                                                            : nullptr;
    if (field == nullptr) return bad(absl::StrCat("unknown quantity '", name, "'"));
    const auto value = ParseNumber(absl::StrCat("--limit ", name), part.substr(equals + 1));
    if (!value.ok()) return value.status();
    *field = *value;
  }
  return out;
}

void TimingFlags::Declare(OptionSet& options, bool hand, bool grid) {
  options.Group("Limits and timing");
  options.Text("--speed", speed_, "50%", "share of the joints' speed limits that may be used, default all");
  options.Text("--acceleration", acceleration_, "50%", "share of their acceleration limits");
  options.Text("--jerk", jerk_, "50%", "share of their jerk limits");
  options.Text("--torque", torque_, "80%", "share of their torque limits");
  if (hand) {
    options.Text("--hand-speed", hand_speed_, "0.25", "the hand is never faster [m/s]");
    options.Text("--hand-acceleration", hand_acceleration_, "2", "nor accelerated more [m/s^2]");
  }
  options.Text("--cycle", cycle_, "1ms", "time between samples, default 1ms");
  if (!grid) return;
  options.Whole("--intervals", intervals_, 2, "of the grid on which the path is timed, default 400");
  options.Flag("--ignore-torque", ignore_torque_, "time by speed and acceleration alone; torques are still computed and checked");
}

absl::StatusOr<TimingOptions> TimingFlags::Read() const {
  TimingOptions timing;
  timing.revision_attempts = 1;
  const struct { const char* flag; const std::string& text; double& to; } shares[] = {
      {"--speed", speed_, timing.scales.velocity},
      {"--acceleration", acceleration_, timing.scales.acceleration},
      {"--jerk", jerk_, timing.scales.jerk},
      {"--torque", torque_, timing.scales.torque}};
  for (const auto& share : shares) {
    const auto value = ParseShare(share.flag, share.text);
    if (!value.ok()) return value.status();
    share.to = *value;
  }
  const struct { const char* flag; const std::string& text; const char* unit; double& to; } hand[] = {
      {"--hand-speed", hand_speed_, "m/s", timing.tool_speed},
      {"--hand-acceleration", hand_acceleration_, "m/s^2", timing.tool_acceleration}};
  for (const auto& limit : hand) {
    if (limit.text.empty()) continue;
    const auto value = ParseNumber(limit.flag, limit.text);
    if (!value.ok()) return value.status();
    if (!(*value > 0)) return absl::InvalidArgumentError(absl::StrCat(limit.flag, ": ", limit.text, ", want more than 0 ", limit.unit));
    limit.to = *value;
  }
  const auto cycle = ParseDuration("--cycle", cycle_);
  if (!cycle.ok()) return cycle.status();
  timing.cycle_s = std::chrono::duration<double>(*cycle).count();
  if (intervals_ > 100000) return absl::InvalidArgumentError(absl::StrCat("--intervals: ", intervals_, ", want 2 to 100000"));
  timing.intervals = static_cast<int>(intervals_);
  timing.torque_limits = !ignore_torque_;
  return timing;
}

absl::StatusOr<double> ParseShare(const std::string& flag, const std::string& text) {
  if (text.empty()) return 1.0;
  const bool percent = text.back() == '%';
  const auto value = ParseNumber(flag, percent ? text.substr(0, text.size() - 1) : text);
  if (!value.ok()) return value.status();
  const double share = percent ? *value / 100 : *value;
  if (!(share > 0 && share <= 1))
    return absl::InvalidArgumentError(absl::StrCat(flag, ": ", text, ", want a share above 0 and at most 1, or a percentage: 50%"));
  return share;
}

absl::StatusOr<Eigen::VectorXd> ParseJoints(const std::string& flag, const std::string& text, const v1::Model& model,
                                            bool degrees) {
  const std::vector<Column> columns = Columns(model, Quantity::kPosition);
  const auto n = static_cast<Eigen::Index>(columns.size());
  if (text == "zero") return Eigen::VectorXd(Eigen::VectorXd::Zero(n));
  if (text.empty())
    return absl::InvalidArgumentError(absl::StrCat(flag, ": missing, want ", n, " values: ", Describe(columns)));
  const auto values = ParseNumbers(flag, text);
  if (!values.ok()) return values.status();
  if (values->size() != columns.size())
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": ", values->size(), " values, want ", n, ": ", Describe(columns)));
  Eigen::VectorXd q(n);
  for (Eigen::Index i = 0; i < n; ++i)
    q(i) = (*values)[static_cast<size_t>(i)] *
           (degrees && columns[static_cast<size_t>(i)].angular ? std::numbers::pi / 180 : 1);
  return q;
}

std::string RevisionForPeople(const std::string& revision) { return ModelId(revision); }

}  // namespace torqued::cli
