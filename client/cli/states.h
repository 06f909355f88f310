// Which robot states does the user mean? --q, --v, --a, --tau, or a CSV file.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "client/cli/columns.h"
#include "client/cli/options.h"
#include "torqued/v1/types.pb.h"

namespace torqued::cli {

struct States {
  int count = 0;
  v1::JointVectors q, v, a, tau;  // SI, the model's order, no names; without values: not given
  std::vector<double> time;       // [s]; empty: not given
};

class StateOptions {
 public:
  // Which of v, a, tau the verb takes besides q. kOnlyTau, with kTau: a file without q.
  enum Takes { kQ = 0, kV = 1, kA = 2, kTau = 4, kOnlyTau = 8 };

  void Declare(OptionSet& options, int takes);

  // INVALID_ARGUMENT: "--q: 5 values, want 6: shoulder_pan_joint [rad], ..."; a column of the file
  // that is unknown, missing, double, or in a unit that does not fit.
  absl::StatusOr<States> Read(const v1::Model& model) const;

  bool degrees() const { return degrees_; }
  const std::string& out_file() const { return out_file_; }

 private:
  absl::Status ReadRow(const std::string& flag, const std::string& text, const v1::Model& model,
                       Quantity quantity, v1::JointVectors& into) const;

  int takes_ = kQ;
  std::string q_, v_, a_, tau_, file_, out_file_;
  bool degrees_ = false;
};

// Reads the columns of a log by their headings; time[s] is optional, q is needed, the others where
// `takes` names them.
absl::Status ReadStates(const std::string& path, const v1::Model& model, bool degrees, int takes,
                        States& states);

}  // namespace torqued::cli
