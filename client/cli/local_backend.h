// The answers of torqued in this process: --local.
#pragma once

#include <absl/time/time.h>

#include "client/cli/backend.h"

namespace torqued::cli {

// `robots`: folder of the robots that can be named; empty: the shipped ones, looked for beside the
// program (../../../deploy/robots, ../share/torqued/robots). A file given as MODEL needs no folder.
// `patience`: how long one answer (of a stream: each) may take, else DEADLINE_EXCEEDED.
absl::StatusOr<std::unique_ptr<Backend>> MakeLocalBackend(
    const std::string& robots, absl::Duration patience = absl::InfiniteDuration());

}  // namespace torqued::cli
