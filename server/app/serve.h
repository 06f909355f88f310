// From configuration to a server that answers, and to its end.
#pragma once

#include "server/app/config.h"

namespace torqued {

// Serves until SIGTERM or SIGINT, then drains. The exit code: 0 ended by a signal, 4 refused to start.
// REQUIRES: called before any thread exists.
int Serve(const Config& config);

// Examines the store of a data folder and prints what is wrong. 0: nothing, 2: something, 4: cannot be examined.
int CheckStore(const Config& config);

}  // namespace torqued
