#include "server/service/stored_entry.h"

#include <absl/strings/str_cat.h>

#include "proto/wire/errors.h"

namespace torqued {

absl::StatusOr<EntryPtr> MakeStoredEntry(const std::string& id, const StoredRevision& stored) {
  LoadOptions options;
  options.base = static_cast<BaseOption>(stored.base);
  options.policy = static_cast<Policy>(stored.policy);
  auto entry = MakeModelEntry(id, stored.source, options);
  if (entry.ok() && (*entry)->revision != stored.revision)
    return wire::Error(absl::StatusCode::kDataLoss, "STORE_DAMAGED",
                       absl::StrCat("model '", id, "': the stored source is not that of revision ", stored.revision,
                                    " (it would be ", (*entry)->revision, "): the store was changed by another hand"),
                       {{"name", "models/" + id}, {"revision", stored.revision}});
  return entry;
}

}  // namespace torqued
