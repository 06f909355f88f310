// What an operator does with a store besides serving it. Each prints what it did; the exit code: 0 done, 2 something is
// wrong with the store or the backup, 4 it cannot be done, 5 usage.
#pragma once

#include <string>

#include "server/app/config.h"

namespace torqued {

// Examines the store of a data folder and prints what is wrong.
int CheckStore(const Config& config);

// Copies the store of a data folder to a new file, while a server may run on it.
int Backup(const Config& config, const std::string& to);

// Puts a backup into a data folder that no server uses; what was there is kept beside it.
int Restore(const Config& config, const std::string& from);

}  // namespace torqued
