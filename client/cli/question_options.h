// What else does a question carry? Tool, payloads, gravity, terms, wrenches: the Context of API.md,
// from options.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "client/cli/options.h"
#include "torqued/v1/types.pb.h"

namespace torqued::cli {

class QuestionOptions {
 public:
  // `wrench`: also --wrench-by-robot, --wrench-on-robot, --at, --axes. `dynamics`: also --terms,
  // --without, --check.
  void Declare(OptionSet& options, bool wrench, bool dynamics);

  // INVALID_ARGUMENT naming the option. Without the model's name and without the wrench.
  absl::StatusOr<v1::Context> Context() const;
  // The one wrench, if given. INVALID_ARGUMENT: both sides given, or --at and --axes without one.
  absl::StatusOr<std::optional<v1::Wrenches>> Wrench() const;

 private:
  std::string tool_, gravity_, terms_, without_, by_robot_, on_robot_, at_, axes_;
  std::vector<std::string> payloads_;
  bool limits_ = false, check_ = false;
};

// "LINK:mass=1.2,com=0.6,0,0.1,inertia=xx,xy,xz,yy,yz,zz"; without LINK: on the tool frame.
absl::StatusOr<v1::Payload> ParsePayload(const std::string& text);
// "inertia,velocity,gravity".
absl::StatusOr<std::vector<v1::Term>> ParseTerms(const std::string& flag, const std::string& text);
// Every term but TERM_UNSPECIFIED, with its name in --terms.
std::string TermName(v1::Term term);
absl::StatusOr<v1::Vector3> ParseVector(const std::string& flag, const std::string& text);
// "world-aligned", "body", "spatial"; "" is unspecified.
v1::Expression ParseExpression(const std::string& text);
std::string ExpressionName(v1::Expression expression);
// "joint", "gear", "motor"; "" is unspecified.
v1::EffortPlace ParsePlace(const std::string& text);
// " after the gear", " at the motor"; at the joint nothing.
std::string PlaceName(v1::EffortPlace place);
// --torque-at of the verbs that tell torques.
void DeclarePlace(OptionSet& options, std::string& text);
// Task rows: "x,y,wz" or "0,1,5".
absl::StatusOr<std::vector<int>> ParseRows(const std::string& flag, const std::string& text);

}  // namespace torqued::cli
