#include "client/planning/infeasible.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace torqued {
namespace {

constexpr char kPayload[] = "torqued.planning/infeasible";
constexpr char kUnreachable[] = "torqued.planning/unreachable";

std::string Exact(double value) { return absl::StrFormat("%.17g", value); }

}  // namespace

absl::Status InfeasibleError(const Infeasibility& why) {
  std::string text = absl::StrFormat("infeasible: no timing keeps the limits; at %.1f %% of the path", 100 * why.share);
  if (!why.joint.empty()) absl::StrAppend(&text, " joint ", why.joint, " is at its ", why.limit_kind, " limit");
  if (why.limit > 0) absl::StrAppendFormat(&text, " of %.6g", why.limit);
  if (why.smallest_factor > 0)
    absl::StrAppendFormat(&text, ", %.6g would be needed: all torque limits times %.4f", why.needed, why.smallest_factor);
  else
    absl::StrAppend(&text, "; larger torque limits alone do not help");
  absl::Status status = absl::FailedPreconditionError(text);
  std::vector<std::string> fields = {Exact(why.s), Exact(why.share), why.joint, why.limit_kind, Exact(why.limit),
                                     Exact(why.needed), Exact(why.smallest_factor)};
  for (double q : why.q) fields.push_back(Exact(q));
  status.SetPayload(kPayload, absl::Cord(absl::StrJoin(fields, "\n")));
  return status;
}

absl::Status UnreachableError(const std::string& message) {
  absl::Status status = absl::FailedPreconditionError(message);
  status.SetPayload(kUnreachable, absl::Cord());
  return status;
}

bool IsInfeasible(const absl::Status& status) {
  return status.GetPayload(kUnreachable).has_value() || status.GetPayload(kPayload).has_value();
}

std::optional<Infeasibility> InfeasibilityOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(std::string(*payload), '\n');
  if (fields.size() < 7) return std::nullopt;
  Infeasibility why;
  const auto number = [](const std::string& text) {
    double value = 0;
    return absl::SimpleAtod(text, &value) ? value : 0.0;
  };
  why.s = number(fields[0]);
  why.share = number(fields[1]);
  why.joint = fields[2];
  why.limit_kind = fields[3];
  why.limit = number(fields[4]);
  why.needed = number(fields[5]);
  why.smallest_factor = number(fields[6]);
  for (size_t k = 7; k < fields.size(); ++k) why.q.push_back(number(fields[k]));
  return why;
}

}  // namespace torqued
