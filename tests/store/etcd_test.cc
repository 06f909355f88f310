// The shared store against real etcd: the promises of every store, several servers on it, and what happens when members die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "server/store/etcd_store.h"
#include "tests/support/etcd.h"

namespace torqued {
namespace {

using testing::EtcdCluster;
using ::testing::HasSubstr;

StorePut Put(const std::string& id, const std::string& revision, std::optional<std::int64_t> expected = {}) {
  StorePut put;
  put.id = id;
  put.revision.revision = revision;
  put.revision.source = "source of " + revision;
  put.expected = expected;
  return put;
}

struct Folder {
  Folder() {
    char name[] = "/tmp/torqued-etcd-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

// One member for all tests that do not hurt it; every test has a prefix of its own.
class EtcdStoreTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!testing::HaveEtcd()) return;
    folder_ = new Folder;
    cluster_ = new EtcdCluster(folder_->path, 1);
  }
  static void TearDownTestSuite() {
    delete cluster_;
    delete folder_;
    cluster_ = nullptr;
    folder_ = nullptr;
  }
  void SetUp() override {
    if (cluster_ == nullptr) GTEST_SKIP() << "etcd is not installed";
    options_ = *ParseEtcdUrl(cluster_->url());
    options_.prefix = std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "/";
  }
  std::unique_ptr<EtcdStore> Open() {
    auto store = EtcdStore::Open(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  static Folder* folder_;
  static EtcdCluster* cluster_;
  EtcdOptions options_;
};
Folder* EtcdStoreTest::folder_ = nullptr;
EtcdCluster* EtcdStoreTest::cluster_ = nullptr;

// A follower that keeps what it is told.
class Notebook : public StoreFollower {
 public:
  absl::Status Relisted(const StoreSnapshot& snapshot) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++lists_;
    models_.clear();
    for (const StoredModel& m : snapshot.models) models_[m.id] = m.current.revision;
    position_ = snapshot.position;
    changed_.notify_all();
    return absl::OkStatus();
  }
  absl::Status Changed(const StoreEvent& event, const StoredModel* model) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_GT(event.position, position_) << "told out of order";
    position_ = event.position;
    if (model == nullptr) models_.erase(event.id);
    else models_[event.id] = model->current.revision;
    changed_.notify_all();
    return absl::OkStatus();
  }
  bool WaitFor(const std::map<std::string, std::string>& wanted) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return models_ == wanted; });
  }
  int lists() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lists_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> models_;
  std::int64_t position_ = -1;
  int lists_ = 0;
};

bool Eventually(const std::function<bool()>& holds) {
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (absl::Now() < end)
    if (holds()) return true;
    else std::this_thread::yield();
  return false;
}

TEST_F(EtcdStoreTest, WhatOneServerPutsTheOtherGets) {
  StorePut put = Put("arm", "aaaaaaaaaaaa", 0);
  put.labels = {{"lab", "west = 2\n%"}};
  put.owner = "kim";
  put.revision.base = 2;
  const auto made = Open()->Put(put);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->generation, 1);
  const auto got = Open()->Get("arm");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->current.source, "source of aaaaaaaaaaaa");
  EXPECT_EQ(got->current.base, 2);
  EXPECT_EQ(got->labels, put.labels);
  EXPECT_EQ(got->owner, "kim");
  EXPECT_EQ(got->position, made->position);
  EXPECT_EQ(got->current.create_us, made->current.create_us);
}

TEST_F(EtcdStoreTest, PutOnlyIfUnchangedAndAnEtagIsNeverUsedAgain) {
  const auto store = Open(), other = Open();
  const auto first = store->Put(Put("arm", "aaaaaaaaaaaa", 0));
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(other->Put(Put("arm", "bbbbbbbbbbbb", 0)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(other->Put(Put("arm", "bbbbbbbbbbbb", first->position + 7)).status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(other->Put(Put("leg", "bbbbbbbbbbbb", 3)).status().code(), absl::StatusCode::kNotFound);
  const auto second = other->Put(Put("arm", "bbbbbbbbbbbb", first->position));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->generation, 2);
  EXPECT_EQ(store->Delete("arm", first->position).status().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(store->Delete("arm", second->position).ok());
  EXPECT_EQ(other->Get("arm").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(other->Revisions("arm").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(other->Delete("arm", {}).status().code(), absl::StatusCode::kNotFound);
  const auto again = store->Put(Put("arm", "aaaaaaaaaaaa", 0));
  ASSERT_TRUE(again.ok());
  EXPECT_GT(again->position, second->position);
}

TEST_F(EtcdStoreTest, RevisionsByUseAndNoMoreThanAreKept) {
  options_.revisions_per_model = 3;
  const auto store = Open();
  for (const char* revision : {"a", "b", "a", "c", "d", "a"}) ASSERT_TRUE(store->Put(Put("arm", revision)).ok());
  const auto revisions = store->Revisions("arm");
  ASSERT_TRUE(revisions.ok());
  std::string order;
  for (const StoredRevision& r : *revisions) order += r.revision;
  EXPECT_EQ(order, "adc");
  EXPECT_EQ(store->Revision("arm", "b").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(EtcdStoreTest, ChangesSinceAPositionInOrderAndNoneFromTheFuture) {
  const auto store = Open();
  const auto arm = store->Put(Put("arm", "a"));
  ASSERT_TRUE(store->Put(Put("leg", "b")).ok());
  const auto gone = store->Delete("arm", {});
  ASSERT_TRUE(gone.ok());
  const auto events = Open()->Since(arm->position);
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].id, "leg");
  EXPECT_EQ((*events)[1].id, "arm");
  EXPECT_TRUE((*events)[1].deleted);
  EXPECT_EQ((*events)[1].position, *gone);
  EXPECT_EQ(store->List()->position, *gone);
  EXPECT_TRUE(store->Since(*gone)->empty());
  EXPECT_EQ(store->Since(*gone + 1).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(EtcdStoreTest, APositionThatWasCompactedIsOutOfRange) {
  const auto store = Open();
  const auto first = store->Put(Put("arm", "a"));
  ASSERT_TRUE(store->Put(Put("arm", "b")).ok());
  const auto last = store->Put(Put("arm", "c"));
  cluster_->Ctl("compact " + std::to_string(last->position));
  EXPECT_EQ(store->Since(first->position).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(store->Since(last->position).ok());
}

TEST_F(EtcdStoreTest, RequestsAreRememberedWithTheirModel) {
  const auto store = Open();
  StorePut put = Put("arm", "a", 0);
  put.request_id = "r-1";
  put.request_digest = "digest";
  ASSERT_TRUE(store->Put(put).ok());
  const auto found = Open()->FindRequest("r-1");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->model_id, "arm");
  EXPECT_EQ(found->revision, "a");
  EXPECT_EQ(found->digest, "digest");
  EXPECT_EQ(store->FindRequest("r-2").status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store->Delete("arm", {}).ok());
  EXPECT_EQ(store->FindRequest("r-1").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(EtcdStoreTest, LimitsAreNamed) {
  options_.models = 2;
  const auto store = Open();
  ASSERT_TRUE(store->Put(Put("a", "1")).ok());
  ASSERT_TRUE(store->Put(Put("b", "1")).ok());
  EXPECT_EQ(store->Put(Put("c", "1")).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(store->state().writable);
  StorePut big = Put("b", "2");
  big.revision.source.assign(1 << 20, 'x');
  EXPECT_TRUE(store->Put(big).ok());
  big.revision.source += 'x';
  const auto refused = store->Put(big);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("1048577 bytes"));
}

TEST_F(EtcdStoreTest, AFollowerHearsOfWhatOthersDo) {
  const auto store = Open(), other = Open();
  ASSERT_TRUE(other->Put(Put("old", "1")).ok());
  Notebook notebook;
  ASSERT_TRUE(store->Follow(&notebook));
  EXPECT_TRUE(notebook.WaitFor({{"old", "1"}}));
  ASSERT_TRUE(other->Put(Put("arm", "a")).ok());
  ASSERT_TRUE(store->Put(Put("arm", "b")).ok());
  EXPECT_TRUE(notebook.WaitFor({{"old", "1"}, {"arm", "b"}}));
  ASSERT_TRUE(other->Delete("old", {}).ok());
  EXPECT_TRUE(notebook.WaitFor({{"arm", "b"}}));
  store->Unfollow();
}

TEST(EtcdAway, KnownModelsStayReadOnlyAndAllIsCaughtUpAfterwards) {
  if (!testing::HaveEtcd()) GTEST_SKIP() << "etcd is not installed";
  const Folder folder;
  EtcdCluster cluster(folder.path, 1);
  EtcdOptions options = *ParseEtcdUrl(cluster.url());
  const auto follower = EtcdStore::Open(options);
  ASSERT_TRUE(follower.ok());
  ASSERT_TRUE((*follower)->Put(Put("arm", "a")).ok());
  Notebook notebook;
  (*follower)->Follow(&notebook);
  ASSERT_TRUE(notebook.WaitFor({{"arm", "a"}}));

  cluster.Kill(0);
  EXPECT_TRUE(Eventually([&] { return !(*follower)->state().writable; }));
  options.start_budget = absl::Milliseconds(200);
  EXPECT_EQ(EtcdStore::Open(options).status().code(), absl::StatusCode::kUnavailable);
  const auto refused = (*follower)->Put(Put("arm", "b"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(cluster.endpoint(0)));

  // What others change and etcd then forgets, while this one is away, is found all the same.
  cluster.Start(0);
  cluster.WaitHealthy(0);
  options.start_budget = absl::Seconds(20);
  auto other = EtcdStore::Open(options);
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_TRUE((*other)->Delete("arm", {}).ok());
  const auto leg = (*other)->Put(Put("leg", "l"));
  ASSERT_TRUE(leg.ok());
  cluster.Ctl("compact " + std::to_string(leg->position));
  EXPECT_TRUE(notebook.WaitFor({{"leg", "l"}}));
  EXPECT_GE(notebook.lists(), 2);
  EXPECT_TRUE(Eventually([&] { return (*follower)->state().writable; }));
  EXPECT_TRUE((*follower)->Put(Put("leg", "m")).ok());
  (*follower)->Unfollow();
}

TEST(EtcdThree, NothingAcknowledgedIsLostWhenTheLeaderDiesUnderLoad) {
  if (!testing::HaveEtcd()) GTEST_SKIP() << "etcd is not installed";
  const Folder folder;
  EtcdCluster cluster(folder.path, 3);
  const EtcdOptions options = *ParseEtcdUrl(cluster.url());
  const auto watcher = EtcdStore::Open(options);
  ASSERT_TRUE(watcher.ok()) << watcher.status();
  Notebook notebook;
  (*watcher)->Follow(&notebook);

  // Two servers compete for one model by compare-and-swap and write models of their own.
  std::atomic<bool> stop{false};
  std::atomic<int> swaps{0}, failures{0}, others{0};
  std::mutex mutex;
  std::map<std::string, std::string> acknowledged;
  ASSERT_TRUE((*watcher)->Put(Put("shared", "r0", 0)).ok());
  const auto write = [&](int server) {
    const auto store = EtcdStore::Open(options);
    ASSERT_TRUE(store.ok());
    for (int i = 0; !stop; ++i) {
      const auto now = (*store)->Get("shared");
      const std::string revision = "s" + std::to_string(server) + "-" + std::to_string(i);
      const auto swapped = now.ok() ? (*store)->Put(Put("shared", revision, now->position)) : now;
      if (swapped.ok()) ++swaps;
      else if (!absl::IsAborted(swapped.status())) ++failures, ADD_FAILURE() << swapped.status();
      const std::string id = "m" + std::to_string(server) + "-" + std::to_string(i % 7);
      const auto own = (*store)->Put(Put(id, revision));
      if (!own.ok()) {
        ++failures, ADD_FAILURE() << own.status();
        continue;
      }
      ++others;
      const std::lock_guard<std::mutex> lock(mutex);
      acknowledged[id] = revision;
    }
  };
  std::thread one(write, 1), two(write, 2);
  const auto progress = [&](int more) {
    const int from = others;
    return Eventually([&] { return others >= from + more; });
  };
  EXPECT_TRUE(progress(20));
  for (int round = 0; round < 2; ++round) {
    const int leader = cluster.Leader();
    ASSERT_GE(leader, 0);
    cluster.Kill(leader);
    EXPECT_TRUE(progress(20));
    cluster.Start(leader);
    cluster.WaitHealthy(leader);
    EXPECT_TRUE(progress(20));
  }
  stop = true;
  one.join();
  two.join();
  EXPECT_EQ(failures, 0);
  const auto shared = (*watcher)->Get("shared");
  ASSERT_TRUE(shared.ok());
  EXPECT_EQ(shared->generation, 1 + swaps) << "every acknowledged swap counts once";
  for (const auto& [id, revision] : acknowledged) EXPECT_EQ((*watcher)->Get(id)->current.revision, revision) << id;
  acknowledged["shared"] = shared->current.revision;
  EXPECT_TRUE(notebook.WaitFor(acknowledged));
  std::printf("%d swaps and %d other changes, leader killed twice, %d lists\n", swaps.load(), others.load(),
              notebook.lists());
  (*watcher)->Unfollow();
}

TEST(EtcdLocked, TlsAndAUser) {
  if (!testing::HaveEtcd()) GTEST_SKIP() << "etcd is not installed";
  const Folder folder;
  const std::string& d = folder.path;
  const std::string make =
      "cd " + d + " && exec >/dev/null 2>&1 && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 "
      "-subj /CN=ca && openssl req -newkey rsa:2048 -nodes -keyout key.pem -out r.csr -subj /CN=etcd && "
      "printf 'subjectAltName=IP:127.0.0.1\\nextendedKeyUsage=serverAuth,clientAuth\\n' >ext && "
      "openssl x509 -req -in r.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out cert.pem";
  ASSERT_EQ(std::system(("bash -c \"" + make + "\"").c_str()), 0);
  EtcdCluster cluster(d, 1, {d + "/ca.pem", d + "/cert.pem", d + "/key.pem"});
  cluster.Ctl("user add root:rootpw");
  cluster.Ctl("user add torqued:pw");
  cluster.Ctl("role add models");
  cluster.Ctl("role grant-permission models --prefix=true readwrite torqued/");
  cluster.Ctl("user grant-role torqued models");
  cluster.Ctl("auth enable");

  EtcdOptions options = *ParseEtcdUrl(cluster.url());
  options.start_budget = absl::Seconds(5);
  options.ca_file = d + "/ca.pem";
  options.certificate_file = d + "/cert.pem";
  options.key_file = d + "/key.pem";
  options.user = "torqued";
  options.password = "pw";
  const auto store = EtcdStore::Open(options);
  ASSERT_TRUE(store.ok()) << store.status();
  Notebook notebook;
  (*store)->Follow(&notebook);
  StorePut put = Put("arm", "a");
  put.request_id = "r-1";
  ASSERT_TRUE((*store)->Put(put).ok());
  EXPECT_TRUE(notebook.WaitFor({{"arm", "a"}}));
  EXPECT_EQ((*store)->Since((*store)->List()->position)->size(), 0u);
  (*store)->Unfollow();

  EtcdOptions wrong = options;
  wrong.password = "no";
  EXPECT_EQ(EtcdStore::Open(wrong).status().code(), absl::StatusCode::kUnauthenticated);
  wrong = options;
  wrong.prefix = "elsewhere/";
  EXPECT_EQ(EtcdStore::Open(wrong).status().code(), absl::StatusCode::kPermissionDenied);
  wrong = options;
  wrong.start_budget = absl::Milliseconds(300);
  wrong.certificate_file = wrong.key_file = "";
  EXPECT_EQ(EtcdStore::Open(wrong).status().code(), absl::StatusCode::kUnavailable);
  wrong.ca_file = d + "/none.pem";
  EXPECT_THAT(std::string(EtcdStore::Open(wrong).status().message()), HasSubstr("store_ca: "));
}

}  // namespace
}  // namespace torqued
