#include "server/app/maintain.h"

#include <absl/strings/str_cat.h>

#include <cstdio>
#include <filesystem>

#include "server/service/stored_entry.h"
#include "server/store/backup.h"
#include "server/store/data_folder.h"
#include "server/store/etcd_options.h"
#include "server/store/sqlite_store.h"

namespace torqued {
namespace {

constexpr int kRefused = 4, kCheckFailed = 2;

std::string StorePath(const Config& config) { return absl::StrCat(config.data_dir, "/models.sqlite"); }

int Ended(const absl::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "torqued: %s\n", std::string(status.message()).c_str());
  return absl::IsDataLoss(status) ? kCheckFailed : kRefused;
}

}  // namespace

int CheckStore(const Config& config) {
  if (IsEtcdUrl(config.store)) {
    std::fprintf(stderr, "torqued: etcd examines itself: etcdctl endpoint status, etcdctl check perf\n");
    return kRefused;
  }
  const std::string path = StorePath(config);
  if (!std::filesystem::exists(path)) {
    std::fprintf(stderr, "torqued: no store at %s\n", path.c_str());
    return kRefused;
  }
  const auto folder = DataFolder::Lock(config.data_dir);
  if (!folder.ok()) {
    std::fprintf(stderr, "torqued: %s\n", std::string(folder.status().message()).c_str());
    return kRefused;
  }
  SqliteStoreOptions options;
  options.path = path;
  const auto store = SqliteStore::Open(options);
  if (!store.ok()) {
    std::printf("%s\n", std::string(store.status().message()).c_str());
    return absl::IsDataLoss(store.status()) ? kCheckFailed : kRefused;
  }
  const auto problems = (*store)->Check();
  const auto snapshot = (*store)->List();
  if (!problems.ok() || !snapshot.ok()) {
    std::printf("%s\n", std::string((problems.ok() ? snapshot.status() : problems.status()).message()).c_str());
    return kCheckFailed;
  }
  for (const std::string& problem : *problems) std::printf("%s\n", problem.c_str());
  int unreadable = 0;
  for (const StoredModel& model : snapshot->models) {
    const auto revisions = (*store)->Revisions(model.id);
    if (!revisions.ok()) {
      ++unreadable;
      std::printf("model %s: %s\n", model.id.c_str(), std::string(revisions.status().message()).c_str());
      continue;
    }
    for (const StoredRevision& revision : *revisions) {
      const auto entry = MakeStoredEntry(model.id, revision);
      if (entry.ok()) continue;
      ++unreadable;
      std::printf("model %s, revision %s: %s\n", model.id.c_str(), revision.revision.c_str(),
                  std::string(entry.status().message()).c_str());
    }
  }
  std::printf("%s: %zu models, position %lld, %zu problems\n", path.c_str(), snapshot->models.size(),
              static_cast<long long>(snapshot->position), problems->size() + unreadable);
  return problems->empty() && unreadable == 0 ? 0 : kCheckFailed;
}

int Backup(const Config& config, const std::string& to) {
  const int code = Ended(BackupStore(StorePath(config), to));
  if (code == 0) std::printf("%s: backup of %s\n", to.c_str(), config.data_dir.c_str());
  return code;
}

int Restore(const Config& config, const std::string& from) {
  const auto folder = DataFolder::Lock(config.data_dir);
  if (!folder.ok()) return Ended(folder.status());
  const std::string path = StorePath(config);
  const bool replaced = std::filesystem::exists(path);
  const int code = Ended(RestoreStore(from, path));
  if (code == 0)
    std::printf("%s: restored from %s%s\n", path.c_str(), from.c_str(),
                replaced ? absl::StrCat("; what was there is kept in ", path, ".before-restore").c_str() : "");
  return code;
}

}  // namespace torqued
