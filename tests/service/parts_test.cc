// The service's parts by themselves: near names, workers, histograms, methods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>

#include "server/service/methods.h"
#include "server/service/near.h"
#include "server/service/pool.h"
#include "server/service/registry.h"
#include "server/service/statistics.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearNames, EditsCaseAndParts) {
  const std::vector<std::string> names{"tool0", "forearm", "base_link", "wrist_1_link", "wrist_2_link"};
  EXPECT_THAT(NearNames("tol0", names), ElementsAre("tool0"));
  EXPECT_THAT(NearNames("otol0", names), ElementsAre("tool0"));
  EXPECT_THAT(NearNames("wto", {"two", "one"}), ElementsAre("two"));
  EXPECT_THAT(NearNames("FOREARM", names), ElementsAre("forearm"));
  EXPECT_THAT(NearNames("wrist", names), ElementsAre("wrist_1_link", "wrist_2_link"));
  EXPECT_THAT(NearNames("gripper_left", names), IsEmpty());
  EXPECT_THAT(NearNames(std::string(5000, 'x'), names), IsEmpty());
  EXPECT_THAT(NearNames("", names), IsEmpty());
  EXPECT_THAT(NearNames("q", {"j", "w"}), IsEmpty());
  EXPECT_THAT(NearNames("Q", {"q", "w"}), ElementsAre("q"));
}

TEST(Pool, RunsEverythingItTookAndRefusesWhenFull) {
  std::mutex mutex;
  std::condition_variable open;
  bool released = false;
  std::atomic<int> ran{0}, started{0};
  int taken = 0, refused = 0;
  {
    Pool pool(1, 4);
    const auto work = [&] {
      started = 1;
      started.notify_all();
      std::unique_lock<std::mutex> lock(mutex);
      open.wait(lock, [&] { return released; });
      ++ran;
    };
    ASSERT_TRUE(pool.Submit(work));
    started.wait(0);  // the worker holds the first: the queue is empty
    for (int i = 0; i < 10; ++i) (pool.Submit(work) ? taken : refused)++;
    EXPECT_EQ(pool.queued(), 4);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      released = true;
    }
    open.notify_all();
  }
  EXPECT_EQ(taken, 4);
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(ran, 5);
}

TEST(Statistics, QuantilesInterpolateInsideTheirBucket) {
  std::vector<std::int64_t> buckets(kBucketEdgesUs.size() + 1, 0);
  EXPECT_EQ(Quantile(buckets, 0.5), 0);
  buckets[2] = 100;  // 50 to 100 us
  EXPECT_DOUBLE_EQ(Quantile(buckets, 0.5), 75);
  EXPECT_DOUBLE_EQ(Quantile(buckets, 0.99), 99.5);
  buckets[0] = 300;
  EXPECT_DOUBLE_EQ(Quantile(buckets, 0.5), 25.0 * 200 / 300);
  buckets.back() = 1000000;
  EXPECT_DOUBLE_EQ(Quantile(buckets, 0.99), kBucketEdgesUs.back());
}

TEST(Statistics, CountsPerMethodAndModel) {
  Statistics statistics;
  const int method = MethodNumber<v1::ComputeInverseDynamicsRequest>();
  statistics.Count(method, absl::Microseconds(30), absl::StatusCode::kOk, 5);
  statistics.Count(method, absl::Microseconds(3000000), absl::StatusCode::kInternal, 0);
  statistics.CountModel(method, "arm", absl::Microseconds(30), absl::StatusCode::kOk, 5);
  const auto rows = statistics.Read(true);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].method, "/torqued.v1.DynamicsService/ComputeInverseDynamics");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].errors, 1);
  EXPECT_EQ(rows[0].samples, 5);
  EXPECT_EQ(rows[0].buckets[1], 1);
  EXPECT_EQ(rows[0].buckets.back(), 1);
  EXPECT_EQ(rows[1].model, "arm");
}

TEST(Methods, EveryMethodIsThereOnce) {
  const std::vector<std::string>& names = MethodNames();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, ::testing::Contains("/torqued.v1.ModelService/WatchModels"));
  EXPECT_THAT(names, ::testing::Contains("/torqued.v1.StreamService/StreamCompute"));
}

TEST(ModelNames, AreReadStrictly) {
  const auto plain = ParseModelName("name", "models/scara");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->id, "scara");
  EXPECT_TRUE(plain->revision.empty());
  const std::string full = "models/scara/revisions/0123456789ab";
  const auto with = ParseModelName("name", full);
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with->revision, "0123456789ab");
  for (const char* bad : {"", "scara", "models/", "models//revisions/x", "models/a/revisions/", "models/a/b",
                          "models/a/revisions/b/c"})
    EXPECT_FALSE(ParseModelName("name", bad).ok()) << bad;
}

}  // namespace
}  // namespace torqued
