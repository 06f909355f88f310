// From configuration to a server that answers, and to its end.
#pragma once

#include <functional>

#include "server/app/config.h"

namespace torqued {

// Serves until SIGTERM or SIGINT, then drains. SIGHUP: `reread` gives the settings anew; those that can change while
// serving (access file, log level and files, limits) are in force from then on. The exit code: 0 ended by a signal, 4 refused to start.
// REQUIRES: called before any thread exists.
int Serve(const Config& config, const std::function<absl::StatusOr<Config>()>& reread);

}  // namespace torqued
