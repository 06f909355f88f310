// How is a store copied while it is in use, and put back?
#pragma once

#include <absl/status/status.h>

#include <string>

namespace torqued {

// Copies the store at `path` to the new file `to`: one instant of it, whole or not at all, while a server may read and
// write on. ALREADY_EXISTS: `to` is there; NOT_FOUND: no store; DATA_LOSS: the copy is not sound; UNAVAILABLE.
absl::Status BackupStore(const std::string& path, const std::string& to);

// Puts a copy of the backup `from` at `path`. A store that is there is kept beside it as PATH.before-restore, with what
// belongs to it. Positions jump ahead, so that a watch from before the restore is told to begin anew.
// NOT_FOUND, DATA_LOSS (nothing is changed then): the backup; ALREADY_EXISTS: an earlier store is kept there already.
// REQUIRES: nobody has the store open (DataFolder is locked).
absl::Status RestoreStore(const std::string& from, const std::string& path);

}  // namespace torqued
