// What did the server say went wrong? Its message, and a reason that a program can switch on.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace torqued {

// The answer's ErrorInfo reason ("UNKNOWN_MODEL"), "" where there is none.
std::string ErrorReason(const absl::Status& status);
// Its metadata: what is dynamic in the message (field, got, want, ...).
std::map<std::string, std::string> ErrorMetadata(const absl::Status& status);

struct FieldViolation {
  std::string field;        // "accelerations"
  std::string description;  // "12 values, want 14 = 2 x 7"
};
std::vector<FieldViolation> FieldViolations(const absl::Status& status);

// How long the server asks to wait before another try.
std::optional<std::chrono::milliseconds> RetryDelay(const absl::Status& status);

// Status of a code, message and serialised google.rpc.Status (may be empty): each detail becomes a
// payload.
absl::Status MakeStatus(int code, const std::string& message, const std::string& details);

}  // namespace torqued
