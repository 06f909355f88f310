#include "client/cli/verbs/models_shared.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "client/cli/file.h"
#include "client/cli/subject.h"
#include "client/torqued/question.h"

namespace torqued::cli {

void SourceOptions::Declare(OptionSet& options) {
  options.Argument("FILE", file_, "URDF, or a robot in Torqued's YAML; - reads standard input");
  options.Choice("--base", base_, {"fixed", "floating"},
                 "mount the root link, or let it float; default: as the file says");
  options.Choice("--policy", policy_, {"warn", "strict", "repair"},
                 "impossible inertias: keep and warn (default), refuse, or repair");
  options.Repeated("--label", labels_, "KEY=VALUE", "label of the model");
}

absl::StatusOr<v1::ModelSource> SourceOptions::Source() const {
  auto text = ReadWholeFile("FILE", file_);
  if (!text.ok()) return text.status();
  v1::ModelSource source;
  source.set_text(*std::move(text));
  source.set_base(ParseBase(base_));
  source.set_policy(policy_ == "strict"   ? v1::POLICY_STRICT
                    : policy_ == "repair" ? v1::POLICY_REPAIR
                    : policy_ == "warn"   ? v1::POLICY_WARN
                                          : v1::POLICY_UNSPECIFIED);
  return source;
}

absl::Status SourceOptions::AddLabels(
    google::protobuf::Map<std::string, std::string>& labels) const {
  for (const std::string& label : labels_) {
    const auto equals = label.find('=');
    if (equals == 0 || equals == std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat("--label: '", label, "', want KEY=VALUE"));
    labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return absl::OkStatus();
}

Sheet FindingSheet(const v1::Model& model) {
  Sheet sheet{"findings", {"severity", "line", "element", "code", "message", "value"}, {}};
  for (const v1::Finding& finding : model.findings())
    sheet.rows.push_back({absl::AsciiStrToLower(v1::Severity_Name(finding.severity()).substr(9)),
                          finding.line() > 0 ? Cell(int64_t{finding.line()}) : Cell(""),
                          finding.element(), finding.code(), finding.message(), finding.value()});
  return sheet;
}

bool HasErrors(const v1::Model& model) {
  for (const v1::Finding& finding : model.findings())
    if (finding.severity() == v1::SEVERITY_ERROR) return true;
  return false;
}

std::string Describe(const v1::Model& model) {
  std::string text = ModelId(model.name());
  if (text.find('@') == std::string::npos && !model.revision().empty())
    text += "@" + model.revision();
  absl::StrAppend(&text, ", ", model.velocity_count(),
                  model.velocity_count() == 1 ? " degree" : " degrees", " of freedom");
  if (!model.capabilities().dynamics())
    absl::StrAppend(&text, ", kinematics only (inertia unknown: ",
                    model.capabilities().unknown_inertias_size(), " links)");
  if (model.findings_size() > 0)
    absl::StrAppend(&text, ", ", model.findings_size(),
                    model.findings_size() == 1 ? " finding" : " findings");
  return text;
}

}  // namespace torqued::cli
