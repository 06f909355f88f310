#include "client/cli/exit_code.h"

#include "client/torqued/status.h"

namespace torqued::cli {

Exit ExitOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Exit::kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return Exit::kBadInput;
    case absl::StatusCode::kAborted:
      return Exit::kCheckFailed;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
      return Exit::kServer;
    case absl::StatusCode::kResourceExhausted:  // a question too large, unless waiting helps
      return RetryDelay(status) ? Exit::kServer : Exit::kBadInput;
    default:
      return Exit::kUnexpected;
  }
}

}  // namespace torqued::cli
