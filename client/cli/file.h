// What does this file hold? Read whole, with the reason where it cannot be.
#pragma once

#include <absl/status/statusor.h>

#include <string>

namespace torqued::cli {

// `-` reads standard input. INVALID_ARGUMENT, beginning with `what` (an option; may be empty) and the path: no such file, a folder, unreadable, or
// more than 64 MiB (a device that never ends).
absl::StatusOr<std::string> ReadWholeFile(const std::string& what, const std::string& path);

}  // namespace torqued::cli
