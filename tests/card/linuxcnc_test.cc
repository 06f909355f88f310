// The LinuxCNC driver, without hardware: the same proofs as on the simulated card, through HAL's real-time component.
//
// Skipped, with the reason, where LinuxCNC is not installed or namespaces are not permitted. Wall clock, no real-time kernel:
// counts and order are asserted, lateness is only reported.
#include "tests/card/linuxcnc_rig.h"

namespace torqued {
namespace {

using namespace card_test;

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
      {CardCode::kPositionLimit, 0, [](SetPoint* p) { p->q[0] = 6.5; }},
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

// Proof (g): what a driver executes does not depend on the driver.
TEST_F(LinuxCnc, ExecutesTheSameAsTheSimulatedCard) {
  std::vector<SetPoint> planned;
  const Recording here = Run(4, &planned);
  ASSERT_EQ(here.outcome, "done") << ToString(here.cause);
  auto sim = SimCard::Make(IndependentAxes(config), config, {}, SimClock::kVirtual);
  ASSERT_TRUE(sim.ok()) << sim.status();
  const auto table = PathTable::Make(Sway({}, 4), config, nullptr);
  PathSource source(*table, config);
  Recorder recorder(1 << 14);
  BridgeOptions feeding;
  for (double& x : feeding.goal_tolerance) x = 0.05;
  Bridge bridge(sim->get(), config, feeding, &recorder);
  ASSERT_TRUE((*sim)->Open().ok());
  ASSERT_TRUE((*sim)->Enable({}).ok());
  const CardStatus started = bridge.Start(&source);
  ASSERT_TRUE(started.ok()) << ToString(started);
  const Recording there = RunMotion(sim->get(), config, &bridge, &recorder, {});
  ASSERT_EQ(there.outcome, "done") << ToString(there.cause);
  const auto a = Replay(here, 1), b = Replay(there, 1);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].q, b[i].q) << i;
    ASSERT_EQ(a[i].v, b[i].v) << i;
    ASSERT_EQ(a[i].tau, b[i].tau) << i;
    ASSERT_EQ(a[i].sequence, b[i].sequence) << i;
  }
}

TEST_F(LinuxCnc, PauseAndOverrideStayOnThePath) {
  const Trajectory sway = Sway(Held(), 6);
  const auto table = PathTable::Make(sway, config, nullptr);
  Recording r;
  int asked = 0;
  for (int left = 4;; --left) {
    PathSource source(*table, config);
    Recorder recorder(1 << 14);
    options.lead = 300;
    Bridge bridge(card.get(), config, options, &recorder);
    Enable();
    ASSERT_TRUE(bridge.Start(&source).ok());
    RunOptions how;
    how.report_period_s = 0.05;
    asked = 0;
    how.progress = [&](const RunProgress& p) {
      if (p.executed > 400 && asked == 0) ++asked, bridge.SetOverride(0.3);
      if (p.executed > 1000 && asked == 1) ++asked, bridge.Pause();
      if (asked == 2 && p.pace == 0) ++asked, bridge.Resume(), bridge.SetOverride(1);
    };
    r = RunMotion(card.get(), config, &bridge, &recorder, how);
    card->Disable();
    if (left == 0 || !HostStarvedTheCard(r.cause)) break;
  }
  ASSERT_EQ(r.outcome, "done") << ToString(r.cause);
  EXPECT_EQ(asked, 3) << "slower, paused, resumed";
  double slowest = 1;
  int hint = 0;
  for (const CycleRecord& c : r.cycles) {
    if (!(c.feedback.flags & kExecuted)) continue;
    slowest = std::min(slowest, c.pace);
    PathPoint p;
    table->At(c.path_s, &hint, &p);
    for (int i = 0; i < 2; ++i) {
      ASSERT_NEAR(c.feedback.q_command[i], p.q[i], 1e-9) << "cycle " << c.feedback.cycle;
      ASSERT_NEAR(c.feedback.v_command[i], c.pace * p.dq[i], 1e-9);
    }
  }
  EXPECT_EQ(slowest, 0);
}

}  // namespace
}  // namespace torqued
