// What the model verbs share: reading a source, showing a model and its findings.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/sheet.h"
#include "torqued/v1/models.pb.h"

namespace torqued::cli {

// A robot file and how to take it: what check, add and update have in common.
class SourceOptions {
 public:
  void Declare(OptionSet& options);
  // INVALID_ARGUMENT: the file cannot be read, a label is not KEY=VALUE.
  absl::StatusOr<v1::ModelSource> Source() const;
  absl::Status AddLabels(google::protobuf::Map<std::string, std::string>& labels) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_, base_, policy_;
  std::vector<std::string> labels_;
};

Sheet FindingSheet(const v1::Model& model);
bool HasErrors(const v1::Model& model);
// "my-arm@0123456789ab, 6 degrees of freedom"
std::string Describe(const v1::Model& model);

}  // namespace torqued::cli
