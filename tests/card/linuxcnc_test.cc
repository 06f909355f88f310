// The LinuxCNC driver, without hardware: the same proofs as on the simulated card, through HAL's real-time component.
//
// Skipped, with the reason, where LinuxCNC is not installed or namespaces are not permitted. Wall clock, no real-time kernel:
// counts and order are asserted, lateness is only reported.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <cmath>
#include <functional>
#include <sstream>

#include "client/card/path_source.h"
#include "client/card/realtime.h"
#include "client/card/report.h"
#include "client/card/ring_card.h"
#include "client/card/run.h"
#include "tests/card/sway.h"

namespace torqued {
namespace {

using card_test::Sway;
using card_test::Until;

constexpr char kConfig[] = R"(
name: lcnc
cycle_s: 0.001
watchdog_s: 0.4
setpoint_capacity: 2048
feedback_capacity: 8192
axes:
  - {name: a, counts_per_rad: 100000, lower_rad: -2, upper_rad: 2, velocity_rad_per_s: 4, acceleration_rad_per_s2: 40, torque_nm: 100,
     stop_deceleration_rad_per_s2: 8, following_error: {floor_rad: 0.05, at_full_speed_rad: 0.1, window_s: 0.02}}
  - {name: b, unit: m, counts_per_m: 1000000, lower_m: -2, upper_m: 2, velocity_m_per_s: 2, acceleration_m_per_s2: 20, torque_n: 200,
     stop_deceleration_m_per_s2: 4, following_error: {floor_m: 0.05, at_full_speed_m: 0.1, window_s: 0.02}}
)";

struct LinuxCnc : testing::Test {
  std::string name = "lcnc-" + std::to_string(getpid());
  std::string work = testing::TempDir() + name;
  pid_t session = -1;
  int input = -1, errors = -1;
  CardConfig config = *ReadCardConfig(kConfig, nullptr);
  std::unique_ptr<MotionCard> card;
  BridgeOptions options;
  std::uint64_t executed_before = 0;  // set-points of the card when the last run began

  void SetUp() override {
    options.lead = 900;
    options.card_silence_s = 0.4;
    std::ofstream(testing::TempDir() + name + ".yaml") << kConfig;
    int in[2], err[2];
    ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
    session = fork();
    if (session == 0) {
      dup2(in[0], 0);
      dup2(err[1], 2);
      dup2(err[1], 1);
      const std::string yaml = testing::TempDir() + name + ".yaml";
      execl(SESSION, SESSION, name.c_str(), yaml.c_str(), DRIVER, COMPONENT, HELPER, work.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(err[1]);
    input = in[1];
    errors = err[0];
    int status = 0;
    bool ended = false;
    const bool there = Until([&] {
      auto w = SharedSegment::Watch(name);
      if (w.ok() && (*w)->CardAlive() && (*w)->view().header->cycle.load() > 10) return true;
      ended = waitpid(session, &status, WNOHANG) == session;
      return ended;
    });
    if (ended) {
      session = -1;
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (code == 77) GTEST_SKIP() << "LinuxCNC session: " << Said();
      FAIL() << "LinuxCNC session ended with " << code << ": " << Said();
    }
    ASSERT_TRUE(there) << "no card after 30 s";
    Attach();
  }

  void TearDown() override {
    card.reset();
    if (input >= 0) close(input);
    if (session > 0) waitpid(session, nullptr, 0);
    if (errors >= 0) close(errors);
    unlink((testing::TempDir() + name + ".yaml").c_str());
    std::system(("rm -rf '" + work + "'").c_str());
  }

  std::string Said() {
    std::string out(4000, 0);
    const ssize_t n = read(errors, out.data(), out.size());
    out.resize(n > 0 ? n : 0);
    return out;
  }

  void Attach() {
    absl::StatusOr<std::unique_ptr<MotionCard>> c = absl::UnavailableError("");
    ASSERT_TRUE(Until([&] { return (c = AttachCard(name)).ok(); })) << c.status();
    card = *std::move(c);
    ASSERT_TRUE(card->Open().ok());
    if (card->State() == CardState::kFaulted) {
      ASSERT_TRUE(card->ResetFault().ok());
    }
  }

  void Enable() {
    const CardStatus enabled = card->Enable({});
    EXPECT_TRUE(enabled.ok()) << ToString(enabled);
  }

  AxisArray Held() {
    Feedback f, newest;
    while (card->Poll(&f)) {
    }
    EXPECT_TRUE(Until([&] { return card->KeepAlive(), card->Poll(&newest); }));
    return newest.q_command;
  }

  // A host without real time may keep LinuxCNC's thread waiting longer than the bridge's patience. The bridge then rightly
  // says that the card is lost; the card's own clock tells whose fault it was.
  bool HostStarvedTheCard(const CardStatus& cause) {
    if (cause.code != CardCode::kCardLost || card->Info().real_time) return false;
    const std::uint64_t cycles = card->Counters().cycles;
    EXPECT_TRUE(Until([&] { return card->Counters().cycles > cycles + 1; })) << "the card never came back: " << ToString(cause);
    return 1e-9 * static_cast<double>(card->Counters().worst_lateness_ns) > 0.9 * cause.limit;
  }

  // Repeated, at most five times, where the host starved the card.
  Recording Run(int legs, std::vector<SetPoint>* planned) {
    for (int left = 4;; --left) {
      planned->clear();
      Recording r = RunOnce(legs, planned);
      if (left == 0 || !HostStarvedTheCard(r.cause)) return r;
      std::printf("the host kept the card waiting, once more: %s\n", ToString(r.cause).c_str());
    }
  }

  Recording RunOnce(int legs, std::vector<SetPoint>* planned) {
    executed_before = card->Counters().executed;
    const auto table = PathTable::Make(Sway(Held(), legs), config, nullptr);
    EXPECT_TRUE(table.ok()) << table.status();
    EXPECT_TRUE(NominalSetPoints(*table, config, 1, planned).ok());
    PathSource source(*table, config);
    Recorder recorder(1 << 14);
    Bridge bridge(card.get(), config, options, &recorder);
    Enable();  // after all that takes time: from here on the watchdog runs
    const CardStatus started = bridge.Start(&source);
    EXPECT_TRUE(started.ok()) << ToString(started);
    Recording r;
    if (started.ok()) r = RunMotion(card.get(), config, &bridge, &recorder, {});
    card->Disable();
    return r;
  }
};

TEST_F(LinuxCnc, ExecutesExactlyWhatWasPlanned) {
  EXPECT_EQ(card->Info().driver, "linuxcnc");
  for (const int legs : {6, 2}) {  // 4801 set-points, around the ring; then again in a new session
    std::vector<SetPoint> planned;
    const Recording r = Run(legs, &planned);
    ASSERT_EQ(r.outcome, "done") << ToString(r.cause) << "; card's worst lateness " << 1e-6 * static_cast<double>(card->Counters().worst_lateness_ns)
                                 << " ms\n" << ReportText(r, &config);
    const auto executed = Replay(r, 1);
    ASSERT_EQ(executed.size(), planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) ASSERT_EQ(executed[i].q, planned[i].q) << i;
    const RunStatistics s = Summarize(r);
    EXPECT_EQ(s.held, 0u);
    EXPECT_EQ(s.lost_feedback, 0u) << "one record per cycle, contiguous";
    std::uint64_t last = 0;
    for (const CycleRecord& c : r.cycles) {
      if (!(c.feedback.flags & kExecuted)) continue;
      if (last != 0) {
        ASSERT_EQ(c.feedback.cycle, last + 1) << "n set-points in n consecutive cycles";
      }
      last = c.feedback.cycle;
    }
    std::printf("%s", ReportText(r, &config).c_str());
  }
}

TEST_F(LinuxCnc, NamesWhatIsWrongWithASetPoint) {
  const struct {
    CardCode code;
    int joint;
    std::function<void(SetPoint*)> hurt;
  } cases[] = {
      {CardCode::kSequenceGap, -1, [](SetPoint* p) { ++p->sequence; }},
      {CardCode::kSequenceRepeat, -1, [](SetPoint* p) { --p->sequence; }},
      {CardCode::kOldSession, -1, [](SetPoint* p) { --p->session; }},
      {CardCode::kNotFinite, 1, [](SetPoint* p) { p->v[1] = std::nan(""); }},
      {CardCode::kPositionLimit, 0, [](SetPoint* p) { p->q[0] = 2.5; }},
      {CardCode::kVelocityLimit, 1, [](SetPoint* p) { p->v[1] = -3; }},
      {CardCode::kTorqueLimit, 1, [](SetPoint* p) { p->tau[1] = 201; }},
      {CardCode::kJump, 0, [](SetPoint* p) { p->q[0] += 0.01; }},
  };
  std::uint32_t number = card->Info().last_session;
  for (const auto& c : cases) {
    SCOPED_TRACE(Name(c.code));
    Enable();
    const AxisArray at = Held();
    ASSERT_TRUE(card->Begin(++number).ok());
    std::vector<SetPoint> points(40);
    for (int k = 0; k < 40; ++k) {
      points[k].session = number;
      points[k].sequence = k + 1;
      points[k].q = at;
    }
    c.hurt(&points[20]);
    ASSERT_EQ(card->Push(points.data(), 40, nullptr), 40);
    const std::uint64_t executed = card->Counters().executed;
    ASSERT_TRUE(card->Start().ok());
    ASSERT_TRUE(Until([&] { return card->KeepAlive(), card->State() == CardState::kFaulted; }));
    const CardStatus cause = card->Info().cause;
    EXPECT_EQ(cause.code, c.code) << ToString(cause);
    EXPECT_EQ(cause.joint, c.joint);
    EXPECT_EQ(card->Counters().executed - executed, 20u) << "nothing after it";
    ASSERT_TRUE(card->ResetFault().ok());
  }
}

TEST_F(LinuxCnc, ASilentBridgeIsAWatchdogFaultAndNothingStaleRunsLater) {
  const auto table = PathTable::Make(Sway(Held(), 20), config, nullptr);
  PathSource source(*table, config);
  Recorder recorder(1 << 14);
  Bridge bridge(card.get(), config, options, &recorder);
  Enable();
  ASSERT_TRUE(bridge.Start(&source).ok());
  ASSERT_TRUE(Until([&] { return !bridge.Tick() || card->Counters().executed > 700; }));
  if (bridge.outcome() != Outcome::kRunning && HostStarvedTheCard(bridge.cause()))
    GTEST_SKIP() << "the host kept the card waiting: " << ToString(bridge.cause());
  ASSERT_GT(card->Counters().executed, 700u) << ToString(bridge.cause());
  // Silent from here; the queue is full.
  ASSERT_TRUE(Until([&] { return card->State() == CardState::kFaulted; }));
  const CardStatus cause = card->Info().cause;
  EXPECT_EQ(cause.code, CardCode::kWatchdog) << ToString(cause);
  EXPECT_GE(cause.value, config.watchdog_s);
  card.reset();
  Attach();
  std::vector<SetPoint> planned;
  const Recording r = Run(2, &planned);
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  EXPECT_EQ(card->Counters().executed - executed_before, planned.size());
  EXPECT_GT(card->Counters().voided, 0u);
}

}  // namespace
}  // namespace torqued
