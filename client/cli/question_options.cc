#include "client/cli/question_options.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

constexpr std::array kAllTerms = {v1::TERM_INERTIA, v1::TERM_VELOCITY, v1::TERM_GRAVITY,
                                  v1::TERM_ROTOR,   v1::TERM_FRICTION, v1::TERM_SPRINGS};
constexpr char kTermList[] = "inertia,velocity,gravity,rotor,friction,springs";
constexpr char kPayloadForm[] = "LINK:mass=1.2,com=0.6,0,0.1[,inertia=xx,xy,xz,yy,yz,zz]";

absl::Status BadPayload(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--payload '", text, "': ", why, "; want ", kPayloadForm));
}

}  // namespace

std::string TermName(v1::Term term) { return absl::AsciiStrToLower(v1::Term_Name(term).substr(5)); }

absl::StatusOr<std::vector<v1::Term>> ParseTerms(const std::string& flag, const std::string& text) {
  std::vector<v1::Term> terms;
  for (const std::string& name : SplitTrimmed(text, ',')) {
    const auto term = std::find_if(kAllTerms.begin(), kAllTerms.end(),
                                   [&](v1::Term t) { return TermName(t) == name; });
    if (term == kAllTerms.end())
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": '", name, "' is no term, want some of ", kTermList));
    terms.push_back(*term);
  }
  return terms;
}

absl::StatusOr<v1::Vector3> ParseVector(const std::string& flag, const std::string& text) {
  const auto values = ParseNumbers(flag, text, 3, "X,Y,Z");
  if (!values.ok()) return values.status();
  v1::Vector3 vector;
  vector.set_x((*values)[0]);
  vector.set_y((*values)[1]);
  vector.set_z((*values)[2]);
  return vector;
}

v1::EffortPlace ParsePlace(const std::string& text) {
  return text == "joint"   ? v1::EFFORT_PLACE_JOINT
         : text == "gear"  ? v1::EFFORT_PLACE_GEAR
         : text == "motor" ? v1::EFFORT_PLACE_MOTOR
                           : v1::EFFORT_PLACE_UNSPECIFIED;
}

std::string PlaceName(v1::EffortPlace place) {
  return place == v1::EFFORT_PLACE_GEAR    ? " after the gear"
         : place == v1::EFFORT_PLACE_MOTOR ? " at the motor"
                                           : "";
}

void DeclarePlace(OptionSet& options, std::string& text) {
  options.Choice("--torque-at", text, {"joint", "gear", "motor"},
                 "where the torque is told: at the joint (default), after the gear, at the motor");
}

v1::Expression ParseExpression(const std::string& text) {
  if (text == "world-aligned") return v1::EXPRESSION_WORLD_ALIGNED;
  if (text == "body") return v1::EXPRESSION_BODY;
  if (text == "spatial") return v1::EXPRESSION_SPATIAL;
  return v1::EXPRESSION_UNSPECIFIED;
}

std::string ExpressionName(v1::Expression expression) {
  switch (expression) {
    case v1::EXPRESSION_BODY:
      return "body";
    case v1::EXPRESSION_SPATIAL:
      return "spatial";
    default:
      return "world-aligned";
  }
}

absl::StatusOr<std::vector<int>> ParseRows(const std::string& flag, const std::string& text) {
  static constexpr std::array kNames = {"x", "y", "z", "wx", "wy", "wz"};
  std::vector<int> rows;
  for (const std::string& name : SplitTrimmed(text, ',')) {
    int row = -1;
    for (int i = 0; i < 6; ++i)
      if (name == kNames[static_cast<size_t>(i)] || name == std::to_string(i) ||
          name == absl::StrCat("v", kNames[static_cast<size_t>(i)]))
        row = i;
    if (row < 0)
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": '", name, "' is no row, want some of x,y,z,wx,wy,wz"));
    rows.push_back(row);
  }
  return rows;
}

absl::StatusOr<v1::Payload> ParsePayload(const std::string& text) {
  v1::Payload payload;
  std::string rest = text;
  const auto colon = text.find(':');
  if (colon != std::string::npos) {
    payload.set_frame(text.substr(0, colon));
    rest = text.substr(colon + 1);
  }
  std::vector<std::pair<std::string, std::string>>
      fields;  // a part without '=' continues the field before it
  for (const std::string& part : SplitTrimmed(rest, ',')) {
    const auto equals = part.find('=');
    if (equals != std::string::npos)
      fields.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    else if (fields.empty())
      return BadPayload(text, absl::StrCat("'", part, "' names no quantity"));
    else
      fields.back().second += "," + part;
  }
  bool has_mass = false;
  for (const auto& [name, value] : fields) {
    const std::string what = absl::StrCat("--payload ", name);
    if (name == "mass") {
      const auto mass = ParseNumber(what, value);
      if (!mass.ok()) return mass.status();
      payload.set_mass(*mass);
      has_mass = true;
    } else if (name == "com") {
      const auto com = ParseVector(what, value);
      if (!com.ok()) return com.status();
      *payload.mutable_center_of_mass() = *com;
    } else if (name == "inertia") {
      const auto I =
          ParseNumbers(what, value, 6, "xx,xy,xz,yy,yz,zz [kg m^2] about the centre of mass");
      if (!I.ok()) return I.status();
      v1::InertiaTensor* tensor = payload.mutable_inertia();
      tensor->set_xx((*I)[0]);
      tensor->set_xy((*I)[1]);
      tensor->set_xz((*I)[2]);
      tensor->set_yy((*I)[3]);
      tensor->set_yz((*I)[4]);
      tensor->set_zz((*I)[5]);
    } else {
      return BadPayload(text, absl::StrCat("unknown quantity '", name, "'"));
    }
  }
  if (!has_mass) return BadPayload(text, "no mass");
  return payload;
}

void QuestionOptions::Declare(OptionSet& options, bool wrench, bool dynamics) {
  options.Group("Robot and load");
  options.Text("--tool", tool_, "FRAME", "tool frame instead of the model's");
  options.Repeated("--payload", payloads_, "PAYLOAD", std::string("rigid load: ") + kPayloadForm);
  options.Text("--gravity", gravity_, "X,Y,Z",
               "gravity [m/s^2] in world axes instead of the model's");
  options.Flag("--limits", limits_, "list the samples that lie outside joint limits");
  if (wrench) {
    options.Text("--wrench-by-robot", by_robot_, "FX,FY,FZ[,TX,TY,TZ]",
                 "force [N], moment [Nm] that the robot exerts: tau = g + J^T F");
    options.Text("--wrench-on-robot", on_robot_, "FX,FY,FZ[,TX,TY,TZ]",
                 "force and moment that the robot suffers: tau = g - J^T F");
    options.Text("--at", at_, "FRAME",
                 "the wrench acts at this frame's origin (default: the tool frame)");
    options.Choice("--axes", axes_, {"world", "frame"}, "axes of the wrench (default: world)");
  }
  if (dynamics) {
    options.Text("--terms", terms_, "LIST", std::string("only these terms: ") + kTermList);
    options.Text("--without", without_, "LIST", "all terms but these");
    options.Flag("--check", check_, "compare independent algorithms and report their residuals");
  }
}

absl::StatusOr<v1::Context> QuestionOptions::Context() const {
  v1::Context context;
  context.set_tool_frame(tool_);
  for (const std::string& text : payloads_) {
    auto payload = ParsePayload(text);
    if (!payload.ok()) return payload.status();
    *context.add_payloads() = *std::move(payload);
  }
  if (!gravity_.empty()) {
    auto gravity = ParseVector("--gravity", gravity_);
    if (!gravity.ok()) return gravity.status();
    *context.mutable_gravity() = *gravity;
  }
  const auto terms = ParseTerms("--terms", terms_), without = ParseTerms("--without", without_);
  for (const auto* list : {&terms, &without})
    if (!list->ok()) return list->status();
  const std::vector<v1::Term> all(kAllTerms.begin(), kAllTerms.end());
  if (!terms->empty() || !without->empty())
    for (const v1::Term term : terms->empty() ? all : *terms)
      if (std::find(without->begin(), without->end(), term) == without->end())
        context.add_terms(term);
  if ((!terms->empty() || !without->empty()) && context.terms_size() == 0)
    return absl::InvalidArgumentError("--without: no term is left");
  context.set_report_limits(limits_);
  context.set_check(check_);
  return context;
}

absl::StatusOr<std::optional<v1::Wrenches>> QuestionOptions::Wrench() const {
  if (!by_robot_.empty() && !on_robot_.empty())
    return absl::InvalidArgumentError(
        "--wrench-by-robot and --wrench-on-robot: want one of them (one is minus the other)");
  if (by_robot_.empty() && on_robot_.empty()) {
    if (!at_.empty() || !axes_.empty())
      return absl::InvalidArgumentError(
          "--at, --axes: want --wrench-by-robot or --wrench-on-robot with it");
    return std::optional<v1::Wrenches>();
  }
  const bool by_robot = !by_robot_.empty();
  const std::string flag = by_robot ? "--wrench-by-robot" : "--wrench-on-robot";
  const auto values = ParseNumbers(flag, by_robot ? by_robot_ : on_robot_);
  if (!values.ok()) return values.status();
  if (values->size() != 3 && values->size() != 6)
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": ", values->size(), " values, want 3 (force) or 6 (force, moment)"));
  v1::Wrenches wrench;
  for (size_t i = 0; i < 6; ++i) wrench.add_values(i < values->size() ? (*values)[i] : 0.0);
  wrench.set_frame(at_);
  wrench.set_axes(axes_ == "frame" ? v1::AXES_FRAME : v1::AXES_WORLD);
  wrench.set_exerter(by_robot ? v1::EXERTER_ROBOT : v1::EXERTER_ENVIRONMENT);
  return std::optional<v1::Wrenches>(wrench);
}

}  // namespace torqued::cli
