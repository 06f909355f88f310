// One client does not starve another, nobody waits behind too much, and the journal neither repeats itself nor tells secrets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "server/service/access/access_file.h"
#include "server/service/access/journal.h"
#include "server/service/access/token.h"
#include "server/service/pool.h"
#include "server/service/quota.h"

namespace torqued {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Verdict = Pool::Verdict;

// Holds workers until it is opened.
class Gate {
 public:
  std::function<void()> Blocker() {
    return [this] {
      ++inside_;
      inside_.notify_all();
      open_.wait(false);
    };
  }
  void WaitInside(int count) {
    for (int seen = inside_; seen < count; seen = inside_) inside_.wait(seen);
  }
  void Open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> open_{false};
};

TEST(Pool, WhoWasServedLeastIsNext) {
  Gate gate;
  std::mutex mutex;
  std::vector<std::string> order;
  const auto note = [&](const std::string& name) {
    return [&, name] {
      const std::lock_guard<std::mutex> lock(mutex);
      order.push_back(name);
    };
  };
  {
    Pool pool(1, 100);
    ASSERT_TRUE(pool.Submit(gate.Blocker()));
    gate.WaitInside(1);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.Submit({"greedy", absl::Seconds(2), note("greedy")}), Verdict::kTaken);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(pool.Submit({"modest", absl::Seconds(1), note("modest")}), Verdict::kTaken);
    EXPECT_EQ(pool.Submit({"late", absl::Seconds(1), note("late")}), Verdict::kTaken);
    gate.Open();
  }
  // Shares by time: the greedy one's second piece comes after 2 s of each of the others' work.
  EXPECT_THAT(order, ElementsAre("greedy", "late", "modest", "modest", "greedy", "greedy", "greedy", "greedy"));
}

TEST(Pool, OneClientAndAllTogetherAreBounded) {
  Gate gate;
  Pool pool(1, PoolLimits{4, 2, absl::Seconds(10)});
  ASSERT_TRUE(pool.Submit(gate.Blocker()));
  gate.WaitInside(1);
  const auto submit = [&](const std::string& client, absl::Duration estimate) { return pool.Submit({client, estimate, [] {}}); };
  EXPECT_EQ(submit("a", absl::Seconds(60)), Verdict::kTaken) << "one piece may be as long as it likes";
  EXPECT_EQ(submit("b", absl::Seconds(1)), Verdict::kBacklogFull);
  EXPECT_EQ(pool.Backlog(), absl::Seconds(30));
  pool.SetLimits({4, 2, absl::InfiniteDuration()});
  EXPECT_EQ(submit("a", absl::Seconds(1)), Verdict::kTaken);
  EXPECT_EQ(submit("a", absl::Seconds(1)), Verdict::kClientFull);
  EXPECT_EQ(submit("b", absl::Seconds(1)), Verdict::kTaken);
  EXPECT_EQ(submit("c", absl::Seconds(1)), Verdict::kTaken);
  EXPECT_EQ(submit("d", absl::Seconds(1)), Verdict::kQueueFull);
  EXPECT_EQ(pool.queued(), 4);
  gate.Open();
}

TEST(Pool, ShortWorkHasALaneOfItsOwn) {
  Gate gate;
  std::atomic<bool> ran{false};
  Pool pool(2, 100);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(pool.Submit({"batches", absl::Seconds(5), gate.Blocker()}), Verdict::kTaken);
  gate.WaitInside(2);  // every ordinary worker is held
  ASSERT_EQ(pool.Submit({"someone", absl::Milliseconds(1), [&] {
                           ran = true;
                           ran.notify_all();
                         }}),
            Verdict::kTaken);
  ran.wait(false);
  EXPECT_EQ(pool.running() >= 2, true);
  gate.Open();
}

TEST(RateQuota, ASecondsWorthAtOnceThenTheRate) {
  RateQuota quota;
  const absl::Time start = absl::FromUnixSeconds(1000);
  EXPECT_EQ(quota.Take("a", start), absl::ZeroDuration()) << "no rate, no limit";
  quota.SetRate(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(quota.Take("a", start), absl::ZeroDuration());
  EXPECT_EQ(quota.Take("a", start), absl::Milliseconds(250));
  EXPECT_EQ(quota.Take("b", start), absl::ZeroDuration()) << "another client's bucket is its own";
  EXPECT_EQ(quota.Take("a", start + absl::Milliseconds(250)), absl::ZeroDuration());
  EXPECT_EQ(quota.Take("a", start + absl::Milliseconds(375)), absl::Milliseconds(125));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(quota.Take("a", start + absl::Seconds(100)), absl::ZeroDuration());
  EXPECT_GT(quota.Take("a", start + absl::Seconds(100)), absl::ZeroDuration()) << "never more than a second's worth";
}

TEST(AuditBook, ChangesEachTimeTheRestCounted) {
  std::vector<std::string> lines;
  AuditBook book([&](const std::string& line) { lines.push_back(line); });
  const Decision read{"vera", "viewer", "ipv4:10.0.0.7", "GetModel", "", "allowed", "1", false};
  const Decision change{"ed", "editor", "ipv4:10.0.0.8", "DeleteModel", "models/arm", "OK", "2", true};
  for (int i = 0; i < 3; ++i) book.Note(read), book.Note(change);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "audit who=vera role=viewer peer=ipv4:10.0.0.7 method=GetModel outcome=allowed id=1");
  EXPECT_EQ(lines[3], "audit who=ed role=editor peer=ipv4:10.0.0.8 method=DeleteModel on=models/arm outcome=OK id=2");
  book.TellRepeated();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[4], HasSubstr("method=GetModel outcome=allowed repeated=2"));
  book.TellRepeated();
  EXPECT_EQ(lines.size(), 5u);
}

TEST(LogField, NobodyForgesALine) {
  EXPECT_EQ(LogField("who", ""), "");
  EXPECT_EQ(LogField("who", "alice"), " who=alice");
  EXPECT_EQ(LogField("on", "x\naudit who=root"), " on=\"x\\naudit who=root\"");
  EXPECT_EQ(LogField("on", "a\"b"), " on=\"a\\\"b\"");
  EXPECT_EQ(LogField("on", std::string(5000, 'x')).size(), 4u + 200u);
}

TEST(Token, IsLongRandomAndItsHashIsSha256) {
  EXPECT_EQ(TokenHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2, B.1
  const std::string token = NewToken();
  EXPECT_EQ(token.size(), 47u);
  EXPECT_NE(token, NewToken());
}

TEST(AccessFile, MistakesAreNamedWithTheirLine) {
  const std::string hash(64, 'a');
  const auto why = [](const std::string& text) { return std::string(ParseAccessFile("f", text).status().message()); };
  EXPECT_EQ(ParseAccessFile("f", "# nobody\n\ntoken a viewer never " + hash + "\ncertificate b admin 2030-01-01T00:00:00Z # b\n")->size(), 2u);
  EXPECT_THAT(why("\ntoken a viewer never"), HasSubstr("f:2: 4 words, want token NAME ROLE EXPIRES HASH"));
  EXPECT_THAT(why("token a king never " + hash), HasSubstr("role 'king', want viewer, editor or admin"));
  EXPECT_THAT(why("token a viewer tomorrow " + hash), HasSubstr("expires 'tomorrow'"));
  EXPECT_THAT(why("token a/b viewer never " + hash), HasSubstr("name 'a/b'"));
  EXPECT_THAT(why("token a viewer never tqd_secret"), ::testing::Not(HasSubstr("tqd_secret")));
}

}  // namespace
}  // namespace torqued
