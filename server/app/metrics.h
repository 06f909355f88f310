// What does Prometheus get to see? Calls by method and code, how long they took, sizes of batches, queue, streams,
// models, store, the process.
#pragma once

#include <string>

#include "server/app/config.h"
#include "server/service/server.h"

namespace torqued {

// The page of /metrics, in the text format 0.0.4.
std::string MetricsPage(const Config& config, Engine& engine, const Server& server);

}  // namespace torqued
