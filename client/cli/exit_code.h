// What does torquectl's exit code say?
#pragma once

#include <absl/status/status.h>

namespace torqued::cli {

enum class Exit {
  kOk = 0,
  kUnexpected = 1,   // a bug, ours or the server's
  kCheckFailed = 2,  // a check or a limit failed
  kInfeasible = 3,   // what was asked cannot be done (a pose out of reach)
  kServer = 4,       // unreachable or refusing
  kBadInput = 5,     // input or usage
};

// The exit code of an error by its status code.
Exit ExitOf(const absl::Status& status);

}  // namespace torqued::cli
