#include "server/store/backup.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "server/store/sqlite_store.h"

namespace torqued {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPositionsAhead = 1000000;  // more than any watch may resume over

absl::Status FileError(const std::string& path, const std::string& what, const std::error_code& error) {
  return absl::UnavailableError(absl::StrCat(path, ": ", what, ": ", error.message()));
}

// What was renamed or written is on the disk when this returns.
void SyncFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

std::string FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// DATA_LOSS: what is wrong.
absl::Status Examine(const std::string& path) {
  SqliteStoreOptions options;
  options.path = path;
  const auto store = SqliteStore::Open(options);
  if (!store.ok()) return store.status();
  const auto problems = (*store)->Check();
  if (!problems.ok()) return problems.status();
  if (problems->empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": ", absl::StrJoin(*problems, "; ")));
}

void Remove(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix, ignored);
}

absl::Status CopyTo(const std::string& from, const std::string& to) {
  auto connection = sqlite::Connection::Open(from);
  if (!connection.ok()) return connection.status();
  sqlite::Statement copy(**connection, "VACUUM INTO ?");
  return copy.Bind(to).Run();
}

}  // namespace

absl::Status BackupStore(const std::string& path, const std::string& to) {
  std::error_code error;
  if (!fs::exists(path)) return absl::NotFoundError(absl::StrCat("no store at ", path));
  if (fs::exists(to)) return absl::AlreadyExistsError(absl::StrCat(to, " is there already; choose another name"));
  const std::string fresh = to + ".new";
  Remove(fresh);
  absl::Status status = CopyTo(path, fresh);
  if (status.ok()) status = Examine(fresh);
  if (status.ok()) {
    SyncFile(fresh);
    fs::rename(fresh, to, error);
    if (error) status = FileError(to, "cannot be written", error);
    SyncFile(FolderOf(to));
  }
  Remove(fresh);
  return status;
}

absl::Status RestoreStore(const std::string& from, const std::string& path) {
  std::error_code error;
  if (!fs::exists(from)) return absl::NotFoundError(absl::StrCat("no backup at ", from));
  const std::string fresh = path + ".new", kept = path + ".before-restore";
  if (fs::exists(path) && fs::exists(kept))
    return absl::AlreadyExistsError(absl::StrCat(kept, " holds the store of an earlier restore; move it away first"));
  Remove(fresh);
  absl::Status status = CopyTo(from, fresh);
  if (status.ok()) status = Examine(fresh);
  if (status.ok()) {
    const auto copy = sqlite::Connection::Open(fresh);
    status = copy.status();
    if (status.ok())
      status = (*copy)->Run(absl::StrCat("UPDATE sqlite_sequence SET seq = seq + ", kPositionsAhead,
                                         " WHERE name = 'events'; PRAGMA wal_checkpoint(TRUNCATE);").c_str());
  }
  if (!status.ok()) {
    Remove(fresh);
    return status;
  }
  SyncFile(fresh);
  for (const char* suffix : {"", "-wal", "-shm"})
    if (fs::exists(path + suffix)) {
      fs::rename(path + suffix, kept + suffix, error);
      if (error) return FileError(path, "cannot be moved away", error);
    }
  fs::rename(fresh, path, error);
  if (error) return FileError(path, "cannot be written", error);
  Remove(fresh);
  SyncFile(FolderOf(path));
  return absl::OkStatus();
}

}  // namespace torqued
