// Bridge and card in processes of their own, on the wall clock; either is killed or frozen in the middle of a motion.
//
// Bounds are in the card's own cycles: a host that stalls makes fewer of them, never more. The watchdog is generous (0.4 s),
// so that a busy test machine does not trip it by itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "client/card/path_source.h"
#include "client/card/realtime.h"
#include "client/card/report.h"
#include "client/card/ring_card.h"
#include "client/card/ring.h"
#include "client/card/run.h"
#include "tests/card/sway.h"

namespace torqued {
namespace {

using card_test::Sway;
using card_test::Until;

constexpr char kConfig[] = R"(
name: pair
cycle_s: 0.001
watchdog_s: 0.4
setpoint_capacity: 2048
feedback_capacity: 8192
axes:
  - {name: a, counts_per_rad: 100000, velocity_rad_per_s: 4, acceleration_rad_per_s2: 40, torque_nm: 100, stop_deceleration_rad_per_s2: 8,
     kp_nm_per_rad: 2000, kd_nm_s_per_rad: 60, following_error: {floor_rad: 0.1, at_full_speed_rad: 0.3, window_s: 0.02}}
  - {name: b, unit: m, counts_per_m: 1000000, lower_m: -2, upper_m: 2, velocity_m_per_s: 2, acceleration_m_per_s2: 20, torque_n: 200,
     stop_deceleration_m_per_s2: 4, kp_n_per_m: 8000, kd_n_s_per_m: 200, following_error: {floor_m: 0.1, at_full_speed_m: 0.2, window_s: 0.02}}
sim:
  plant: [{inertia: 0.5, viscous: 1, coulomb: 0.5}, {inertia: 4, viscous: 5, coulomb: 2}]
)";
constexpr double kRampS = 0.5;  // both axes: full speed over stop deceleration

CardConfig Config() { return *ReadCardConfig(kConfig, nullptr); }

BridgeOptions Options() {
  BridgeOptions o;
  o.lead = 900;
  o.low_water = 100;
  o.card_silence_s = 0.4;
  o.goal_time_s = 3;
  for (double& x : o.goal_tolerance) x = 0.05;
  return o;
}

class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {
    if (pid <= 0) std::abort();  // fork failed; a negative number would signal other processes
  }
  Child(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) Kill(SIGKILL);
  }
  void Signal(int signal) {
    if (pid_ > 0) kill(pid_, signal);
  }
  int Kill(int signal) {
    if (pid_ <= 0) return -1;
    kill(pid_, signal);
    kill(pid_, SIGCONT);  // should it be frozen
    return Wait();
  }
  int Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void WaitStopped() {
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
  }

 private:
  pid_t pid_;
};

struct Pair : testing::Test {
  std::string name = "pair-" + std::to_string(getpid());
  std::string file = testing::TempDir() + name + ".yaml";
  std::unique_ptr<Child> card;

  void SetUp() override {
    std::ofstream(file) << kConfig;
    StartCard();
  }
  void TearDown() override {
    if (card) card->Kill(SIGTERM);  // removes its segment
    unlink(file.c_str());
  }

  void StartCard() {
    const pid_t pid = fork();
    if (pid == 0) {
      execl(SIMCARD, SIMCARD, "--name", name.c_str(), "--config", file.c_str(), "--with-parent", nullptr);
      _exit(127);
    }
    card = std::make_unique<Child>(pid);
    ASSERT_TRUE(Until([&] {
      auto w = SharedSegment::Watch(name);
      return w.ok() && (*w)->CardAlive() && (*w)->view().header->cycle.load() > 3;
    }));
  }

  // A bridge in a process of its own, on a long motion. Exit code: 0 done, 10 + cause otherwise.
  std::unique_ptr<Child> StartWriter() {
    const pid_t pid = fork();
    if (pid == 0) {
      const CardConfig config = Config();
      // What takes time comes before the power: from then on the watchdog runs.
      const auto table = PathTable::Make(Sway({}, 60), config, nullptr);
      PathSource source(*table, config);
      Recorder recorder(1 << 14);
      auto c = AttachCard(name);
      if (!c.ok() || !(*c)->Open().ok() || !(*c)->Enable({}).ok()) _exit(3);
      Bridge bridge(c->get(), config, Options(), &recorder);
      if (!bridge.Start(&source).ok()) _exit(4);
      RunMotion(c->get(), config, &bridge, &recorder, {});
      _exit(bridge.outcome() == Outcome::kDone ? 0 : 10 + static_cast<int>(bridge.cause().code));
    }
    auto child = std::make_unique<Child>(pid);
    auto w = SharedSegment::Watch(name);
    EXPECT_TRUE(w.ok() && Until([&] { return (*w)->view().header->executed.load() > 700; })) << "the motion goes on";
    return child;
  }

  // Attaches, brings the card back and runs one motion: executed must be exactly its own 1..n.
  void ExpectACleanMotion() {
    const CardConfig config = Config();
    absl::StatusOr<std::unique_ptr<MotionCard>> c = absl::UnavailableError("");
    ASSERT_TRUE(Until([&] { return (c = AttachCard(name)).ok(); })) << c.status();
    ASSERT_TRUE((*c)->Open().ok());
    if ((*c)->State() == CardState::kFaulted) {
      ASSERT_TRUE((*c)->ResetFault().ok());
    }
    Feedback f;
    while ((*c)->Poll(&f)) {
    }
    ASSERT_TRUE(Until([&] { return (*c)->Poll(&f); }));
    const std::uint64_t executed_before = (*c)->Counters().executed;
    const auto table = PathTable::Make(Sway(f.q_command, 2), config, nullptr);
    ASSERT_TRUE(table.ok()) << table.status();
    std::vector<SetPoint> planned;
    ASSERT_TRUE(NominalSetPoints(*table, config, 1, &planned).ok());
    PathSource source(*table, config);
    Recorder recorder(1 << 14);
    Bridge bridge(c->get(), config, Options(), &recorder);
    ASSERT_TRUE((*c)->Enable({}).ok());
    const CardStatus started = bridge.Start(&source);
    ASSERT_TRUE(started.ok()) << ToString(started);
    const Recording r = RunMotion(c->get(), config, &bridge, &recorder, {});
    EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
    const auto executed = Replay(r, 1);
    ASSERT_EQ(executed.size(), planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) ASSERT_EQ(executed[i].q, planned[i].q) << i;
    EXPECT_EQ((*c)->Counters().executed - executed_before, planned.size()) << "nothing stale";
    const RunStatistics s = Summarize(r);
    EXPECT_EQ(s.lost_feedback, 0u);
    EXPECT_EQ(s.held, 0u);
    (*c)->Disable();
    (*c)->Close();
  }

  // After the writer fell silent at the latest in cycle `silent`: off within watchdog plus ramp, by the card's own records.
  static void ExpectDriveOff(const SegmentView& view, std::uint64_t silent) {
    ASSERT_TRUE(Until([&] { return view.header->state.load() == static_cast<std::uint32_t>(CardState::kFaulted); }));
    const CardConfig config = Config();
    std::uint64_t off = 0;
    CardStatus cause;
    SegmentView reader = view;
    bool ramped = false;
    for (Feedback f; RingPop(reader.header->feedback, reader.feedback, reader.feedback_capacity, &f);) {
      ramped = ramped || f.state == CardState::kStopping;
      if (!f.cause.ok() && cause.ok()) cause = f.cause;
      if (f.state == CardState::kFaulted && off == 0) off = f.cycle;
    }
    EXPECT_EQ(cause.code, CardCode::kWatchdog) << ToString(cause);
    EXPECT_GE(cause.value, config.watchdog_s);
    EXPECT_TRUE(ramped) << "a controlled stop, not a drop";
    ASSERT_GT(off, 0u);
    EXPECT_LE(static_cast<double>(off - silent) * config.cycle_s, config.watchdog_s + kRampS + 0.01);
  }
};

TEST_F(Pair, RunsAcrossProcesses) { ExpectACleanMotion(); }

TEST_F(Pair, TheWriterIsKilled) {
  auto writer = StartWriter();
  auto watch = SharedSegment::Watch(name);
  ASSERT_TRUE(watch.ok());
  writer->Kill(SIGKILL);
  const std::uint64_t silent = (*watch)->view().header->cycle.load();
  ExpectDriveOff((*watch)->view(), silent);
  EXPECT_GT(RingCount((*watch)->view().header->setpoints), 0u) << "stale set-points are waiting";
  ExpectACleanMotion();
}

TEST_F(Pair, TheWriterIsFrozenAndWakesUp) {
  auto writer = StartWriter();
  auto watch = SharedSegment::Watch(name);
  ASSERT_TRUE(watch.ok());
  writer->Signal(SIGSTOP);
  writer->WaitStopped();
  const std::uint64_t silent = (*watch)->view().header->cycle.load();
  EXPECT_EQ(AttachCard(name).status().code(), absl::StatusCode::kUnavailable) << "it still owns the card";
  ExpectDriveOff((*watch)->view(), silent);
  const std::uint64_t executed = (*watch)->view().header->executed.load();
  writer->Signal(SIGCONT);
  const int code = writer->Wait();
  EXPECT_TRUE(code == 10 + static_cast<int>(CardCode::kWatchdog) || code == 10 + static_cast<int>(CardCode::kCardLost)) << code;
  EXPECT_EQ((*watch)->view().header->executed.load(), executed) << "nothing resumes by itself";
  ExpectACleanMotion();
}

// The bridge in this process; the card's process is killed or frozen.
void RunUntilLost(const std::string& name, const std::function<void()>& strike, CardStatus* cause) {
  const CardConfig config = Config();
  const auto table = PathTable::Make(Sway({}, 60), config, nullptr);
  PathSource source(*table, config);
  Recorder recorder(1 << 14);
  auto c = AttachCard(name);
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_TRUE((*c)->Open().ok());
  ASSERT_TRUE((*c)->Enable({}).ok());
  Bridge bridge(c->get(), config, Options(), &recorder);
  ASSERT_TRUE(bridge.Start(&source).ok());
  RunOptions options;
  options.report_period_s = 0.01;
  bool struck = false;
  options.progress = [&](const BridgeProgress& p) {
    if (p.executed > 600 && !struck) struck = true, strike();
  };
  const Recording r = RunMotion(c->get(), config, &bridge, &recorder, options);
  EXPECT_TRUE(struck);
  EXPECT_EQ(r.outcome, "failed");
  *cause = r.cause;
}

TEST_F(Pair, TheCardIsKilled) {
  CardStatus cause;
  RunUntilLost(name, [&] { card->Kill(SIGKILL); }, &cause);
  EXPECT_EQ(cause.code, CardCode::kCardLost) << ToString(cause);
  EXPECT_EQ(AttachCard(name).status().code(), absl::StatusCode::kUnavailable) << "its process is dead";
  StartCard();  // takes the name over from the dead one
  ExpectACleanMotion();
}

TEST_F(Pair, TheCardIsFrozenAndWakesUp) {
  CardStatus cause;
  RunUntilLost(name, [&] { card->Signal(SIGSTOP), card->WaitStopped(); }, &cause);
  EXPECT_EQ(cause.code, CardCode::kCardLost) << ToString(cause);
  auto watch = SharedSegment::Watch(name);
  ASSERT_TRUE(watch.ok());
  const std::uint64_t executed = (*watch)->view().header->executed.load();
  card->Signal(SIGCONT);
  ASSERT_TRUE(Until([&] { return !Powered(static_cast<CardState>((*watch)->view().header->state.load())); }));
  EXPECT_LE((*watch)->view().header->executed.load(), executed + 1) << "the bridge's power-off is the first thing that it sees";
  ExpectACleanMotion();
}

}  // namespace
}  // namespace torqued
