// Card and bridge in threads of one process, on the wall clock: what the thread sanitizer looks at.
#include <gtest/gtest.h>

#include <thread>

#include "client/card/path_source.h"
#include "client/card/report.h"
#include "client/card/run.h"
#include "tests/card/scara.h"

namespace torqued::card_test {
namespace {

CardConfig Patient() {
  CardConfig config = ScaraConfig();
  config.watchdog_s = 0.4;  // a busy test machine is no fault
  config.command_timeout_s = 20;
  return config;
}

TEST(WallClock, ThreadsRunAMotionWhileSomebodyWatchesAndOverrides) {
  const Prepared model = Prepare(ScaraModel());
  const CardConfig config = Patient();
  auto card = SimCard::Make(model, config, {}, SimClock::kWall);
  ASSERT_TRUE(card.ok()) << card.status();
  (*card)->Run(false);
  ASSERT_TRUE((*card)->Open().ok());
  ASSERT_TRUE((*card)->Enable(HoldTorque(model, {})).ok());
  const auto table = PathTable::Make(PickAndPlace(model), config, ModelTorques(model));
  ASSERT_TRUE(table.ok());
  PathSource source(*table, config);
  Recorder recorder(1 << 14);
  BridgeOptions options;
  options.lead = 900;
  options.card_silence_s = 2;
  Bridge bridge(card->get(), config, options, &recorder);
  const CardStatus started = bridge.Start(&source);
  ASSERT_TRUE(started.ok()) << ToString(started);
  RunOptions run;
  run.report_period_s = 0.01;
  int looks = 0;
  run.progress = [&](const BridgeProgress& p) {
    EXPECT_LE(p.path_s, table->duration_s());
    EXPECT_GE((*card)->Counters().cycles, p.executed);
    bridge.SetOverride(++looks % 20 < 10 ? 1 : 0.7);
  };
  const Recording r = RunMotion(card->get(), config, &bridge, &recorder, run);
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  EXPECT_FALSE(r.real_time) << "was not asked for, is not claimed";
  EXPECT_GT(looks, 5);
  const RunStatistics s = Summarize(r);
  EXPECT_EQ(s.held, 0u);
  EXPECT_EQ(s.lost_feedback, 0u);
  std::printf("%s", ReportText(r, &config).c_str());
}

TEST(WallClock, AnyThreadMayStop) {
  const Prepared model = Prepare(ScaraModel());
  const CardConfig config = Patient();
  auto card = SimCard::Make(model, config, {}, SimClock::kWall);
  ASSERT_TRUE(card.ok());
  (*card)->Run(false);
  ASSERT_TRUE((*card)->Open().ok());
  ASSERT_TRUE((*card)->Enable(HoldTorque(model, {})).ok());
  const auto table = PathTable::Make(PickAndPlace(model), config, ModelTorques(model));
  PathSource source(*table, config);
  Recorder recorder(1 << 14);
  BridgeOptions options;
  options.lead = 300;
  options.card_silence_s = 2;
  Bridge bridge(card->get(), config, options, &recorder);
  ASSERT_TRUE(bridge.Start(&source).ok());
  std::thread person([&] {
    while (bridge.Progress().executed < 200) std::this_thread::yield();
    bridge.Stop(StopKind::kOnPath);
    bridge.Stop(StopKind::kRamp);
  });
  const Recording r = RunMotion(card->get(), config, &bridge, &recorder, {});
  person.join();
  EXPECT_EQ(r.outcome, "stopped") << ToString(r.cause);
  EXPECT_LT(Summarize(r).executed, 2001u);
}

}  // namespace
}  // namespace torqued::card_test
