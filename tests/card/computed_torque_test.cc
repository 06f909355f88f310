// A closed loop through something that may be slow, silent or wrong.
#include "client/card/computed_torque.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/card/bridge_rig.h"

namespace torqued::card_test {
namespace {

// Inverse dynamics that may answer late (by ticks that the test counts), never, or with nonsense.
struct Slow {
  explicit Slow(const Prepared& m) : model(m), conditions(m), ws(m) {}
  bool Ask(std::uint64_t sequence, const AxisArray& q, const AxisArray& v, const AxisArray& a) noexcept {
    AxisArray tau{};
    InverseDynamics<double>(model, conditions, q.data(), v.data(), a.data(), ws, tau.data());
    if (nonsense) tau[0] = std::nan("");
    answer = tau;
    ticket = sequence;
    ++asked;
    return true;
  }
  bool Answer(std::uint64_t sequence, AxisArray* tau) noexcept {
    if (sequence != ticket || (silent_from > 0 && sequence >= silent_from && sequence < silent_to)) return false;
    *tau = answer;
    return true;
  }
  const Prepared& model;
  Conditions conditions;
  Workspace<double> ws;
  AxisArray answer{};
  std::uint64_t ticket = 0, silent_from = 0, silent_to = 0, asked = 0;
  bool nonsense = false;
};

struct Loop {
  BridgeOptions options = [] {
    BridgeOptions o;
    o.lead = 3;
    return o;
  }();
  BridgeRig rig{ScaraConfig(), {}, options};
  Slow source{rig.model};
  ComputedTorque<Slow> loop{&source, 4, {400, 40, 10}};

  Recording Run(bool torque_in_plan) {
    Trajectory t = PickAndPlace(rig.model);
    if (!torque_in_plan) t.tau.resize(0, 0);
    table = std::make_unique<PathTable>(rig.Table(t, torque_in_plan));
    rig.Enable();
    path = std::make_unique<PathSource>(*table, rig.config);
    Rig::Ok(rig.bridge.Start(path.get(), &loop));
    return rig.Run();
  }
  std::unique_ptr<PathTable> table;
  std::unique_ptr<PathSource> path;
};

TEST(ComputedTorque, EveryAnswerInTimeTracksAsWellAsAPlan) {
  Loop l;
  const Recording r = l.Run(false);
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  EXPECT_EQ(l.loop.statistics().missed, 0u);
  EXPECT_EQ(l.loop.statistics().InTimeShare(), 1);
  EXPECT_GT(l.loop.statistics().asked, 1990u);
  const RunStatistics s = Summarize(r);
  EXPECT_LT(s.axis[0].peak_following, 1e-3) << "PD alone: 11e-3";
  EXPECT_EQ(s.held, 0u);
}

TEST(ComputedTorque, AFewMissesUseTheLastTorque) {
  Loop l;
  l.source.silent_from = 900;
  l.source.silent_to = 908;
  const Recording r = l.Run(true);
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  EXPECT_EQ(l.loop.statistics().missed, 8u);
  EXPECT_EQ(l.loop.statistics().worst_run, 8);
  const auto executed = Executed(r);
  for (int k = 900; k < 907; ++k) EXPECT_EQ(executed[k - 1].tau, executed[898].tau) << k;
}

TEST(ComputedTorque, ASilentSourceIsAStopOnThePath) {
  Loop l;
  l.source.silent_from = 700;
  l.source.silent_to = ~0ull;
  const Recording r = l.Run(true);
  EXPECT_EQ(r.outcome, "failed");
  EXPECT_EQ(r.cause.code, CardCode::kTorqueSourceLate);
  EXPECT_EQ(r.cause.value, 11);
  const CycleRecord& end = r.cycles.back();
  EXPECT_EQ(end.feedback.state, CardState::kReady) << "at rest, under power";
  EXPECT_LT(end.path_s, 1.2);
  EXPECT_GT(end.path_s, 0.69);
  PathPoint p;
  int hint = 0;
  l.table->At(end.path_s, &hint, &p);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(end.feedback.q_command[i], p.q[i], 1e-12) << "on the path";
}

TEST(ComputedTorque, NonsenseCountsAsNoAnswer) {
  Loop l;
  l.source.nonsense = true;
  const Recording r = l.Run(true);
  EXPECT_EQ(r.outcome, "failed");
  EXPECT_EQ(r.cause.code, CardCode::kTorqueSourceLate);
  for (const CycleRecord& c : r.cycles)
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(std::isfinite(c.feedback.tau_command[i]));
}

}  // namespace
}  // namespace torqued::card_test
