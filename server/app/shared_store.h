// From configuration to the store that several servers share.
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "server/app/config.h"
#include "server/store/store.h"

namespace torqued {

// Null: the configuration wants SQLite. INVALID_ARGUMENT: a file that cannot be read. Errors as EtcdStore's.
absl::StatusOr<std::unique_ptr<Store>> OpenSharedStore(const Config& config);

}  // namespace torqued
