// The answers of torqued in this process: --local.
#pragma once

#include "client/cli/backend.h"

namespace torqued::cli {

// `robots`: folder of the robots that can be named; empty: the shipped ones, looked for beside the
// program
// (../../../deploy/robots, ../share/torqued/robots). A file given as MODEL needs no folder.
absl::StatusOr<std::unique_ptr<Backend>> MakeLocalBackend(const std::string& robots);

}  // namespace torqued::cli
