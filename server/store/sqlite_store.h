// The embedded store: one SQLite file, write-ahead log, every commit on the disk before it is acknowledged.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "server/store/sqlite.h"
#include "server/store/store.h"

namespace torqued {

struct SqliteStoreOptions {
  std::string path = ":memory:";  // the file
  int models = 10000;             // at most
  int revisions_per_model = 100;  // older ones are forgotten, the current one never
  int events = 10000;             // changes that a watch may resume from
  int requests = 10000;           // request ids remembered
  int pages = 0;                  // of 4 KiB that the file may have at most; 0: as many as the disk holds
};

class SqliteStore : public Store {
 public:
  // Creates the file, or migrates an older schema. FAILED_PRECONDITION: a newer schema than this program knows.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const SqliteStoreOptions& options);

  absl::StatusOr<StoredModel> Get(const std::string& id) override;
  absl::StatusOr<StoreSnapshot> List() override;
  absl::StatusOr<std::vector<StoredRevision>> Revisions(const std::string& id) override;
  absl::StatusOr<StoredRevision> Revision(const std::string& id, const std::string& revision) override;
  absl::StatusOr<StoredModel> Put(const StorePut& put) override;
  absl::StatusOr<std::int64_t> Delete(const std::string& id, std::optional<std::int64_t> expected) override;
  absl::StatusOr<StoredRequest> FindRequest(const std::string& request_id) override;
  absl::StatusOr<std::vector<StoreEvent>> Since(std::int64_t position) override;

  // Every problem SQLite's own examination and ours find, in words; empty: none.
  absl::StatusOr<std::vector<std::string>> Check();

 private:
  SqliteStore(const SqliteStoreOptions& options, std::unique_ptr<sqlite::Connection> connection)
      : options_(options), connection_(std::move(connection)) {}

  absl::Status Prepare();
  absl::StatusOr<StoredModel> GetLocked(const std::string& id);  // holds mutex_
  absl::StatusOr<std::int64_t> AddEvent(const std::string& id, bool deleted);  // holds mutex_
  absl::Status ForgetOld(const std::string& id, const std::string& current);  // holds mutex_

  const SqliteStoreOptions options_;
  std::mutex mutex_;  // one statement at a time
  std::unique_ptr<sqlite::Connection> connection_;
};

}  // namespace torqued
