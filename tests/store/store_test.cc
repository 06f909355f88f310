// What a store promises: put if unchanged, revisions, positions, watches, what remains on the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/store/backup.h"
#include "server/store/data_folder.h"
#include "server/store/labels.h"
#include "server/store/sqlite_store.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/torqued-store-XXXXXX";
    folder_ = mkdtemp(name);
    options_.path = folder_ + "/models.sqlite";
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  SqliteStore& Open() {
    store_.reset();
    auto store = SqliteStore::Open(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = std::move(*store);
    return *store_;
  }

  static StorePut Put(const std::string& id, const std::string& revision, std::optional<std::int64_t> expected = {}) {
    StorePut put;
    put.id = id;
    put.revision.revision = revision;
    put.revision.source = "source of " + revision;
    put.expected = expected;
    return put;
  }

  std::string folder_;
  SqliteStoreOptions options_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(StoreTest, WhatWasPutIsThereAfterReopening) {
  StorePut put = Put("arm", "aaaaaaaaaaaa", 0);
  put.labels = {{"lab", "west = 2\n%"}, {"site", "x"}};
  put.owner = "kim";
  put.revision.base = 2;
  const auto made = Open().Put(put);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->generation, 1);
  const auto got = Open().Get("arm");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->current.source, "source of aaaaaaaaaaaa");
  EXPECT_EQ(got->current.base, 2);
  EXPECT_EQ(got->labels, put.labels);
  EXPECT_EQ(got->owner, "kim");
  EXPECT_EQ(got->position, made->position);
  EXPECT_GT(got->create_us, 1600000000000000);
}

TEST_F(StoreTest, PutOnlyIfUnchanged) {
  SqliteStore& store = Open();
  const auto first = store.Put(Put("arm", "aaaaaaaaaaaa", 0));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(store.Put(Put("arm", "bbbbbbbbbbbb", 0)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(store.Put(Put("arm", "bbbbbbbbbbbb", first->position + 7)).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(store.Put(Put("leg", "bbbbbbbbbbbb", 3)).status().code(), absl::StatusCode::kNotFound);
  const auto second = store.Put(Put("arm", "bbbbbbbbbbbb", first->position));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->generation, 2);
  EXPECT_EQ(store.Delete("arm", first->position).status().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(store.Delete("arm", second->position).ok());
  EXPECT_EQ(store.Get("arm").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreTest, AnEtagIsNeverUsedAgainEvenAfterDeletion) {
  SqliteStore& store = Open();
  const auto first = store.Put(Put("arm", "aaaaaaaaaaaa", 0));
  ASSERT_TRUE(store.Delete("arm", {}).ok());
  const auto again = store.Put(Put("arm", "aaaaaaaaaaaa", 0));
  ASSERT_TRUE(again.ok());
  EXPECT_GT(again->position, first->position);
}

TEST_F(StoreTest, GoingBackIsTheOldRevisionAndTheNewestOfTheList) {
  SqliteStore& store = Open();
  for (const char* revision : {"aaaaaaaaaaaa", "bbbbbbbbbbbb", "aaaaaaaaaaaa"})
    ASSERT_TRUE(store.Put(Put("arm", revision)).ok());
  EXPECT_EQ(store.Get("arm")->generation, 3);
  const auto revisions = store.Revisions("arm");
  ASSERT_TRUE(revisions.ok());
  ASSERT_EQ(revisions->size(), 2u);
  EXPECT_EQ((*revisions)[0].revision, "aaaaaaaaaaaa");
  EXPECT_EQ(store.Revision("arm", "bbbbbbbbbbbb")->source, "source of bbbbbbbbbbbb");
  EXPECT_EQ(store.Revision("arm", "cccccccccccc").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreTest, OldRevisionsAreForgottenButNeverTheCurrentOne) {
  options_.revisions_per_model = 3;
  SqliteStore& store = Open();
  for (const char* revision : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(store.Put(Put("arm", revision)).ok());
  const auto revisions = store.Revisions("arm");
  ASSERT_TRUE(revisions.ok());
  ASSERT_EQ(revisions->size(), 3u);
  EXPECT_EQ((*revisions)[0].revision, "e");
  EXPECT_EQ((*revisions)[2].revision, "c");
}

TEST_F(StoreTest, ChangesSinceAPositionInOrder) {
  SqliteStore& store = Open();
  const auto arm = store.Put(Put("arm", "a"));
  ASSERT_TRUE(store.Put(Put("leg", "b")).ok());
  ASSERT_TRUE(store.Delete("arm", {}).ok());
  const auto events = store.Since(arm->position);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].id, "leg");
  EXPECT_FALSE((*events)[0].deleted);
  EXPECT_EQ((*events)[1].id, "arm");
  EXPECT_TRUE((*events)[1].deleted);
  EXPECT_EQ(store.List()->position, (*events)[1].position);
}

TEST_F(StoreTest, APositionTooOldOrFromTheFutureIsOutOfRange) {
  options_.events = 2;
  SqliteStore& store = Open();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store.Put(Put("arm", std::string(1, static_cast<char>('a' + i)))).ok());
  EXPECT_EQ(store.Since(1).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(store.Since(3).ok());
  EXPECT_EQ(store.Since(99).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(StoreTest, RequestsAreRememberedWithTheirChange) {
  StorePut put = Put("arm", "a", 0);
  put.request_id = "r-1";
  put.request_digest = "digest";
  ASSERT_TRUE(Open().Put(put).ok());
  const auto found = Open().FindRequest("r-1");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->model_id, "arm");
  EXPECT_EQ(found->digest, "digest");
  EXPECT_EQ(store_->FindRequest("r-2").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreTest, NoMoreModelsThanTheLimit) {
  options_.models = 2;
  SqliteStore& store = Open();
  ASSERT_TRUE(store.Put(Put("a", "1")).ok());
  ASSERT_TRUE(store.Put(Put("b", "1")).ok());
  EXPECT_EQ(store.Put(Put("c", "1")).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(store.Put(Put("b", "2")).ok());
}

TEST_F(StoreTest, ADamagedFileIsRefusedWithWhatToDo) {
  { Open(); }
  store_.reset();
  std::ofstream(options_.path, std::ios::binary | std::ios::trunc) << std::string(8192, 'x');
  const auto store = SqliteStore::Open(options_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("check-store"));
}

TEST_F(StoreTest, ANewerSchemaIsRefused) {
  { Open(); }
  store_.reset();
  {
    auto connection = sqlite::Connection::Open(options_.path);
    ASSERT_TRUE((*connection)->Run("PRAGMA user_version = 99").ok());
  }
  EXPECT_EQ(SqliteStore::Open(options_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  for (const char* version : {"", "PRAGMA user_version = 1;"}) {
    std::filesystem::remove(options_.path);
    {
      auto connection = sqlite::Connection::Open(options_.path);
      ASSERT_TRUE((*connection)->Run((std::string("CREATE TABLE x (a); INSERT INTO x VALUES (7);") + version).c_str()).ok());
    }
    const auto store = SqliteStore::Open(options_);
    EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition) << version;
    EXPECT_THAT(std::string(store.status().message()), HasSubstr("another program (table 'x')"));
    auto connection = sqlite::Connection::Open(options_.path);
    sqlite::Statement tables(**connection, "SELECT COUNT(*) FROM sqlite_master");
    ASSERT_TRUE(tables.Step().ok());
    EXPECT_EQ(tables.Number(0), 1);
  }
}

TEST_F(StoreTest, AFullDiskChangesNothingAndSaysSo) {
  SqliteStore& store = Open();
  ASSERT_TRUE(store.Put(Put("arm", "a")).ok());
  store_.reset();
  {  // A page limit behaves as a full disk does.
    SqliteStoreOptions small = options_;
    small.pages = 32;
    auto limited = SqliteStore::Open(small);
    ASSERT_TRUE(limited.ok());
    StorePut big = Put("big", "b");
    big.revision.source.assign(1 << 20, 'x');
    const auto refused = (*limited)->Put(big);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("free space"));
  }
  EXPECT_TRUE(Open().Get("arm").ok());
  EXPECT_EQ(store_->Get("big").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(StoreTest, CheckFindsWhatDoesNotFit) {
  ASSERT_TRUE(Open().Put(Put("arm", "a")).ok());
  EXPECT_TRUE(store_->Check()->empty());
  store_.reset();
  {
    auto connection = sqlite::Connection::Open(options_.path);
    ASSERT_TRUE((*connection)->Run("DELETE FROM revisions").ok());
  }
  const auto problems = Open().Check();
  ASSERT_TRUE(problems.ok());
  ASSERT_EQ(problems->size(), 1u);
  EXPECT_THAT((*problems)[0], HasSubstr("model arm lacks its revision a"));
}

TEST_F(StoreTest, AFolderHasOneMaster) {
  auto first = DataFolder::Lock(folder_ + "/data");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = DataFolder::Lock(folder_ + "/data");
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("by process " + std::to_string(getpid())));
  { const DataFolder gone = std::move(*first); }
  EXPECT_TRUE(DataFolder::Lock(folder_ + "/data").ok());
}

TEST(Labels, AnythingComesBack) {
  const std::map<std::string, std::string> labels{{"a=b", "c\nd"}, {"%", "%41"}, {"ü", ""}};
  EXPECT_EQ(LabelsFromText(LabelsToText(labels)), labels);
}

TEST_F(StoreTest, ABackupIsOneInstantAndComesBack) {
  SqliteStore& store = Open();
  ASSERT_TRUE(store.Put(Put("arm", "aaaaaaaaaaaa")).ok());
  const std::string backup = folder_ + "/backup";
  ASSERT_TRUE(BackupStore(options_.path, backup).ok()) << "while the store is in use";
  EXPECT_EQ(BackupStore(options_.path, backup).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(store.Put(Put("later", "bbbbbbbbbbbb")).ok());
  const std::int64_t last = store.List()->position;
  store_.reset();
  ASSERT_TRUE(RestoreStore(backup, options_.path).ok());
  const auto models = Open().List();
  ASSERT_TRUE(models.ok());
  ASSERT_EQ(models->models.size(), 1u);
  EXPECT_EQ(models->models[0].id, "arm");
  // A watch from before the restore is told to begin anew: its positions mean other changes now.
  EXPECT_EQ(store_->Since(last).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(store_->Put(Put("arm", "cccccccccccc"))->position, models->position + 1);
  store_.reset();
  EXPECT_TRUE(std::filesystem::exists(options_.path + ".before-restore"));
  EXPECT_EQ(RestoreStore(backup, options_.path).code(), absl::StatusCode::kAlreadyExists) << "nothing that was kept is lost";
}

TEST_F(StoreTest, ABackupThatIsNoneChangesNothing) {
  ASSERT_TRUE(Open().Put(Put("arm", "aaaaaaaaaaaa")).ok());
  store_.reset();
  std::ofstream(folder_ + "/junk") << std::string(9000, 'x');
  EXPECT_EQ(RestoreStore(folder_ + "/junk", options_.path).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(RestoreStore(folder_ + "/nothing", options_.path).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(BackupStore(folder_ + "/nothing", folder_ + "/b").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Open().List()->models.size(), 1u);
}

}  // namespace
}  // namespace torqued
