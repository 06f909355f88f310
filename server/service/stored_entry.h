// Does what the store holds still belong to the revision it is kept under?
#pragma once

#include "server/service/model_entry.h"
#include "server/store/store.h"

namespace torqued {

// MakeModelEntry of a stored revision; DATA_LOSS: the source is not the one that the revision names.
absl::StatusOr<EntryPtr> MakeStoredEntry(const std::string& id, const StoredRevision& stored);

}  // namespace torqued
