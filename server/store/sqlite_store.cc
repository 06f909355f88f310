#include "server/store/sqlite_store.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/time/clock.h>

#include "server/store/labels.h"

namespace torqued {
namespace {

using sqlite::Statement;
using sqlite::Transaction;

constexpr int kSchemaVersion = 1;

// Version 1. AUTOINCREMENT: a position is never used twice, even after old events are forgotten.
constexpr char kSchema[] = R"(
CREATE TABLE models (
  id TEXT PRIMARY KEY NOT NULL,
  revision TEXT NOT NULL,
  generation INTEGER NOT NULL,
  position INTEGER NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  access TEXT NOT NULL DEFAULT '',
  labels TEXT NOT NULL DEFAULT '',
  create_us INTEGER NOT NULL,
  update_us INTEGER NOT NULL
) STRICT;
CREATE TABLE revisions (
  model_id TEXT NOT NULL,
  revision TEXT NOT NULL,
  source TEXT NOT NULL,
  base INTEGER NOT NULL,
  policy INTEGER NOT NULL,
  create_us INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (model_id, revision)
) STRICT;
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  deleted INTEGER NOT NULL
) STRICT;
CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id TEXT NOT NULL UNIQUE,
  model_id TEXT NOT NULL,
  revision TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;
PRAGMA user_version = 1;
)";

constexpr char kSelectModel[] =
    "SELECT m.id, m.revision, m.generation, m.position, m.owner, m.access, m.labels, m.create_us, m.update_us,"
    " r.source, r.base, r.policy, r.create_us FROM models m"
    " JOIN revisions r ON r.model_id = m.id AND r.revision = m.revision";

StoredModel ReadModel(const Statement& row) {
  StoredModel m;
  m.id = row.Text(0);
  m.current.revision = row.Text(1);
  m.generation = row.Number(2);
  m.position = row.Number(3);
  m.owner = row.Text(4);
  m.access = row.Text(5);
  m.labels = LabelsFromText(row.Text(6));
  m.create_us = row.Number(7);
  m.update_us = row.Number(8);
  m.current.source = row.Text(9);
  m.current.base = static_cast<int>(row.Number(10));
  m.current.policy = static_cast<int>(row.Number(11));
  m.current.create_us = row.Number(12);
  return m;
}

StoredRevision ReadRevision(const Statement& row) {
  return {row.Text(0), row.Text(1), static_cast<int>(row.Number(2)), static_cast<int>(row.Number(3)), row.Number(4)};
}

std::int64_t NowMicroseconds() { return absl::ToUnixMicros(absl::Now()); }

absl::Status NoModel(const std::string& id) { return absl::NotFoundError(absl::StrCat("no model '", id, "'")); }

absl::Status Changed(const std::string& id, std::int64_t expected, std::int64_t found) {
  return absl::AbortedError(
      absl::StrCat("model '", id, "' was changed meanwhile: etag ", found, ", expected ", expected));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Open(const SqliteStoreOptions& options) {
  auto connection = sqlite::Connection::Open(options.path);
  if (!connection.ok()) return connection.status();
  std::unique_ptr<SqliteStore> store(new SqliteStore(options, std::move(*connection)));
  if (absl::Status s = store->Prepare(); !s.ok()) return s;
  return store;
}

absl::Status SqliteStore::Prepare() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (absl::Status s = connection_->Run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"); !s.ok()) return s;
  if (options_.pages > 0)
    if (absl::Status s = connection_->Run(absl::StrCat("PRAGMA max_page_count = ", options_.pages).c_str()); !s.ok())
      return s;
  std::int64_t version = 0;
  {
    Statement read(*connection_, "PRAGMA user_version");
    const auto row = read.Step();
    if (!row.ok()) return row.status();
    version = read.Number(0);
  }
  if (version > kSchemaVersion)
    return absl::FailedPreconditionError(absl::StrCat("store ", options_.path, " has schema ", version,
                                                      ", this program knows up to ", kSchemaVersion,
                                                      "; use the newer program"));
  {
    Statement own(*connection_,
                  "SELECT COUNT(*) FILTER (WHERE name IN ('models', 'revisions', 'events', 'requests')),"
                  " COALESCE(MIN(name), '') FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    const auto row = own.Step();
    if (!row.ok()) return row.status();
    const bool fits = version == 0 ? own.Text(1).empty() : own.Number(0) == 4;
    if (!fits)
      return absl::FailedPreconditionError(absl::StrCat("store ", options_.path, " is the database of another program (",
                                                        own.Text(1).empty() ? "no table" : "table '" + own.Text(1) + "'",
                                                        "); name another folder"));
  }
  {
    Statement check(*connection_, "PRAGMA quick_check(1)");
    const auto row = check.Step();
    if (!row.ok()) return row.status();
    if (check.Text(0) != "ok")
      return absl::DataLossError(absl::StrCat("store ", options_.path, " is damaged: ", check.Text(0),
                                              "; examine it with 'torqued check-store', then put a backup in its place"));
  }
  Transaction transaction(*connection_);
  if (absl::Status s = transaction.Begin(); !s.ok()) return s;
  if (version == 0)
    if (absl::Status s = connection_->Run(kSchema); !s.ok()) return s;
  return transaction.Commit();
}

absl::StatusOr<StoredModel> SqliteStore::GetLocked(const std::string& id) {
  Statement select(*connection_, absl::StrCat(kSelectModel, " WHERE m.id = ?").c_str());
  const auto row = select.Bind(id).Step();
  if (!row.ok()) return row.status();
  if (!*row) return NoModel(id);
  return ReadModel(select);
}

absl::StatusOr<StoredModel> SqliteStore::Get(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return GetLocked(id);
}

absl::StatusOr<StoreSnapshot> SqliteStore::List() {
  const std::lock_guard<std::mutex> lock(mutex_);
  StoreSnapshot snapshot;
  {
    Statement last(*connection_, "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
    const auto row = last.Step();
    if (!row.ok()) return row.status();
    snapshot.position = last.Number(0);
  }
  Statement select(*connection_, absl::StrCat(kSelectModel, " ORDER BY m.id").c_str());
  for (;;) {
    const auto row = select.Step();
    if (!row.ok()) return row.status();
    if (!*row) return snapshot;
    snapshot.models.push_back(ReadModel(select));
  }
}

absl::StatusOr<std::vector<StoredRevision>> SqliteStore::Revisions(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<StoredRevision> revisions;
  Statement select(*connection_,
                   "SELECT revision, source, base, policy, create_us FROM revisions WHERE model_id = ?"
                   " ORDER BY used DESC");
  select.Bind(id);
  for (;;) {
    const auto row = select.Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    revisions.push_back(ReadRevision(select));
  }
  if (revisions.empty()) return NoModel(id);
  return revisions;
}

absl::StatusOr<StoredRevision> SqliteStore::Revision(const std::string& id, const std::string& revision) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Statement select(*connection_,
                   "SELECT revision, source, base, policy, create_us FROM revisions"
                   " WHERE model_id = ? AND revision = ?");
  const auto row = select.Bind(id).Bind(revision).Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat("model '", id, "' has no revision ", revision));
  return ReadRevision(select);
}

absl::StatusOr<std::int64_t> SqliteStore::AddEvent(const std::string& id, bool deleted) {
  Statement add(*connection_, "INSERT INTO events (id, deleted) VALUES (?, ?) RETURNING position");
  const auto row = add.Bind(id).Bind(static_cast<std::int64_t>(deleted)).Step();
  if (!row.ok()) return row.status();
  const std::int64_t position = add.Number(0);
  if (absl::Status s = add.Run(); !s.ok()) return s;
  Statement forget(*connection_, "DELETE FROM events WHERE position <= ?");
  if (absl::Status s = forget.Bind(position - options_.events).Run(); !s.ok()) return s;
  return position;
}

absl::Status SqliteStore::ForgetOld(const std::string& id, const std::string& current) {
  Statement forget(*connection_,
                   "DELETE FROM revisions WHERE model_id = ? AND revision != ? AND used <="
                   " (SELECT used FROM revisions WHERE model_id = ? ORDER BY used DESC LIMIT 1 OFFSET ?)");
  return forget.Bind(id).Bind(current).Bind(id).Bind(static_cast<std::int64_t>(options_.revisions_per_model)).Run();
}

absl::StatusOr<StoredModel> SqliteStore::Put(const StorePut& put) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Transaction transaction(*connection_);
  if (absl::Status s = transaction.Begin(); !s.ok()) return s;
  const auto old = GetLocked(put.id);
  if (!old.ok() && !absl::IsNotFound(old.status())) return old.status();
  if (put.expected) {
    if (!old.ok() && *put.expected != 0) return NoModel(put.id);
    if (old.ok() && *put.expected == 0)
      return absl::AlreadyExistsError(absl::StrCat("model '", put.id, "' exists already, at revision ", old->current.revision));
    if (old.ok() && *put.expected != old->position) return Changed(put.id, *put.expected, old->position);
  }
  if (!old.ok()) {
    Statement count(*connection_, "SELECT COUNT(*) FROM models");
    const auto row = count.Step();
    if (!row.ok()) return row.status();
    if (count.Number(0) >= options_.models)
      return absl::ResourceExhaustedError(absl::StrCat("the store keeps ", options_.models, " models at most"));
  }
  const std::int64_t now = NowMicroseconds();
  const auto position = AddEvent(put.id, false);
  if (!position.ok()) return position.status();

  Statement revision(*connection_,
                     "INSERT INTO revisions (model_id, revision, source, base, policy, create_us, used)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET used = excluded.used");
  if (absl::Status s = revision.Bind(put.id).Bind(put.revision.revision).Bind(put.revision.source)
                           .Bind(put.revision.base).Bind(put.revision.policy).Bind(now).Bind(*position).Run();
      !s.ok())
    return s;
  const bool same = old.ok() && old->current.revision == put.revision.revision;
  const std::int64_t generation = old.ok() ? old->generation + (same ? 0 : 1) : 1;
  Statement model(*connection_,
                  "INSERT INTO models (id, revision, generation, position, owner, access, labels, create_us, update_us)"
                  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision,"
                  " generation = excluded.generation, position = excluded.position, labels = excluded.labels,"
                  " update_us = excluded.update_us");
  if (absl::Status s = model.Bind(put.id).Bind(put.revision.revision).Bind(generation).Bind(*position).Bind(put.owner)
                           .Bind(put.access).Bind(LabelsToText(put.labels)).Bind(now).Bind(now).Run();
      !s.ok())
    return s;
  if (!put.request_id.empty()) {
    Statement request(*connection_, "INSERT INTO requests (request_id, model_id, revision, digest) VALUES (?, ?, ?, ?)");
    if (absl::Status s =
            request.Bind(put.request_id).Bind(put.id).Bind(put.revision.revision).Bind(put.request_digest).Run();
        !s.ok())
      return s;
    Statement forget(*connection_, "DELETE FROM requests WHERE number <= (SELECT MAX(number) FROM requests) - ?");
    if (absl::Status s = forget.Bind(options_.requests).Run(); !s.ok()) return s;
  }
  if (absl::Status s = ForgetOld(put.id, put.revision.revision); !s.ok()) return s;
  auto result = GetLocked(put.id);
  if (!result.ok()) return result;
  if (absl::Status s = transaction.Commit(); !s.ok()) return s;
  return result;
}

absl::StatusOr<std::int64_t> SqliteStore::Delete(const std::string& id, std::optional<std::int64_t> expected) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Transaction transaction(*connection_);
  if (absl::Status s = transaction.Begin(); !s.ok()) return s;
  const auto old = GetLocked(id);
  if (!old.ok()) return old.status();
  if (expected && *expected != old->position) return Changed(id, *expected, old->position);
  const auto position = AddEvent(id, true);
  if (!position.ok()) return position.status();
  for (const char* sql : {"DELETE FROM models WHERE id = ?", "DELETE FROM revisions WHERE model_id = ?",
                          "DELETE FROM requests WHERE model_id = ?"}) {
    Statement statement(*connection_, sql);
    if (absl::Status s = statement.Bind(id).Run(); !s.ok()) return s;
  }
  if (absl::Status s = transaction.Commit(); !s.ok()) return s;
  return position;
}

absl::StatusOr<StoredRequest> SqliteStore::FindRequest(const std::string& request_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Statement select(*connection_, "SELECT model_id, revision, digest FROM requests WHERE request_id = ?");
  const auto row = select.Bind(request_id).Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat("no request '", request_id, "'"));
  return StoredRequest{select.Text(0), select.Text(1), select.Text(2)};
}

absl::StatusOr<std::vector<StoreEvent>> SqliteStore::Since(std::int64_t position) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t last = 0;
  {
    Statement read(*connection_, "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
    const auto row = read.Step();
    if (!row.ok()) return row.status();
    last = read.Number(0);
  }
  if (position < last - options_.events || position > last)
    return absl::OutOfRangeError(absl::StrCat("position ", position, " is no longer kept (last ", last, ", kept ",
                                              options_.events, "); list again"));
  std::vector<StoreEvent> events;
  Statement select(*connection_, "SELECT position, id, deleted FROM events WHERE position > ? ORDER BY position");
  select.Bind(position);
  for (;;) {
    const auto row = select.Step();
    if (!row.ok()) return row.status();
    if (!*row) return events;
    events.push_back({select.Number(0), select.Number(2) != 0, select.Text(1)});
  }
}

absl::StatusOr<std::vector<std::string>> SqliteStore::Check() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> problems;
  for (const char* sql :
       {"SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'",
        "SELECT 'model ' || id || ' lacks its revision ' || revision FROM models m WHERE NOT EXISTS"
        " (SELECT 1 FROM revisions r WHERE r.model_id = m.id AND r.revision = m.revision)",
        "SELECT 'revision ' || revision || ' belongs to no model (' || model_id || ')' FROM revisions"
        " WHERE model_id NOT IN (SELECT id FROM models)"}) {
    Statement select(*connection_, sql);
    for (;;) {
      const auto row = select.Step();
      if (!row.ok()) return row.status();
      if (!*row) break;
      problems.push_back(select.Text(0));
    }
  }
  return problems;
}

}  // namespace torqued
