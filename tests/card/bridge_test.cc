// The bridge on the virtual clock: what is planned is executed, pause and override stay on the path, stops are what they say.
#include "client/card/bridge.h"
#include "server/core/math/random.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/card/bridge_rig.h"

namespace torqued::card_test {
namespace {

bool SameBits(const AxisArray& a, const AxisArray& b) { return std::memcmp(a.data(), b.data(), sizeof(a)) == 0; }

TEST(Bridge, ExecutesExactlyWhatWasPlannedAndEndsOnTheGoal) {
  BridgeRig rig;
  const Trajectory t = PickAndPlace(rig.model, 0.5, 0.0040013);  // not a whole number of cycles
  const PathTable table = rig.Table(t);
  std::vector<SetPoint> planned;
  ASSERT_TRUE(NominalSetPoints(table, rig.config, 1, &planned).ok());
  EXPECT_EQ(planned.size(), 2002u) << "2.00065 s rounded up to whole cycles, both ends included";
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  const auto executed = Executed(r);
  ASSERT_EQ(executed.size(), planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    ASSERT_TRUE(SameBits(executed[i].q, planned[i].q) && SameBits(executed[i].tau, planned[i].tau)) << i;
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(executed.back().q[i], t.q(i, t.sample_count() - 1)) << "exactly the goal";
  const RunStatistics s = Summarize(r);
  EXPECT_EQ(s.held, 0u);
  EXPECT_EQ(s.lost_feedback, 0u);
  EXPECT_EQ(r.lost, 0u);
  EXPECT_EQ(rig.bridge.low_water_cycles(), 0);
}

TEST(Bridge, ShortMotionsAndManyInARow) {
  BridgeRig rig;
  rig.Enable();
  for (int n = 1; n < 12; ++n) {
    SCOPED_TRACE(n);
    // n samples on the spot: zero moves are ordinary.
    Trajectory t;
    t.joint_names = rig.config.JointNames();
    t.q = t.v = t.a = Eigen::MatrixXd::Zero(4, n);
    for (int k = 0; k < n; ++k) t.time_s.push_back(0.001 * k);
    const PathTable table = rig.Table(t);
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    const Recording r = rig.Run();
    EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
    EXPECT_EQ(Executed(r).size(), static_cast<std::size_t>(n));
    EXPECT_EQ(r.cycles.front().feedback.session, static_cast<std::uint32_t>(n));
  }
}

TEST(Bridge, QuinticHermiteReproducesTheMotionBetweenSamples) {
  BridgeRig rig;
  const PathTable coarse = rig.Table(PickAndPlace(rig.model, 0.5, 0.02));
  const Trajectory fine = PickAndPlace(rig.model, 0.5, 0.001);
  int hint = 0;
  PathPoint p;
  for (int k = 0; k < fine.sample_count(); ++k) {
    coarse.At(fine.time_s[k], &hint, &p);
    for (int i = 0; i < 4; ++i) {
      ASSERT_NEAR(p.q[i], fine.q(i, k), 1e-12) << "a quintic is its own Hermite interpolant";
      ASSERT_NEAR(p.dq[i], fine.v(i, k), 1e-10);
      ASSERT_NEAR(p.ddq[i], fine.a(i, k), 1e-8);
    }
  }
}

// Distance of a joint position from the path, by a dense search around where the pace says it is.
double OffPath(const PathTable& table, const AxisArray& q, double s) {
  double best = 1e9;
  PathPoint p;
  int hint = 0;
  for (double u = s - 0.002; u <= s + 0.002; u += 0.0001) {
    table.At(u, &hint, &p);
    double d = 0;
    for (int i = 0; i < 4; ++i) d = std::max(d, std::abs(p.q[i] - q[i]));
    best = std::min(best, d);
  }
  return best;
}

// (i) Pause and override sweeps: on the path, within velocity, acceleration and torque, and the torque is the model's own.
TEST(Bridge, PauseAndOverrideStayOnThePath) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random numbers(seed);
    BridgeRig rig;
    const PathTable table = rig.Table(PickAndPlace(rig.model, 0.5));
    rig.Enable();
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    bool paused = false;
    const Recording r = rig.Run([&](std::uint64_t k) {
      if (k % 150 == 100) rig.bridge.SetOverride(0.5 + 0.55 * numbers.Uniform(-1, 1));
      if (k == 700) rig.bridge.Pause(), paused = true;
      if (k == 1500) rig.bridge.Resume();
      if (k == 6000) rig.bridge.SetOverride(1);
    });
    EXPECT_TRUE(paused);
    EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
    EXPECT_EQ(source.clipped_feed_forward(), 0u);
    Workspace<double> ws(rig.model);
    const Conditions conditions(rig.model);
    double slowest = 1, worst_torque = 0;
    for (std::size_t k = 1; k < r.cycles.size(); ++k) {
      const Feedback &f = r.cycles[k].feedback, &before = r.cycles[k - 1].feedback;
      if (!(f.flags & kExecuted) || !(before.flags & kExecuted)) continue;
      ASSERT_LT(OffPath(table, f.q_command, r.cycles[k].path_s), 1e-12) << k;
      slowest = std::min(slowest, r.cycles[k].pace);
      for (int i = 0; i < 4; ++i) ASSERT_LE(std::abs(f.v_command[i] - before.v_command[i]) / 0.001, rig.config.axes[i].acceleration * 1.0001);
      // Feed-forward against inverse dynamics of the executed motion, accelerations by differences of the commanded speed.
      if (k + 1 >= r.cycles.size() || !(r.cycles[k + 1].feedback.flags & kExecuted)) continue;
      AxisArray a{}, tau{};
      bool moving = true;
      for (int i = 0; i < 4; ++i) {
        a[i] = (r.cycles[k + 1].feedback.v_command[i] - before.v_command[i]) / 0.002;
        moving = moving && std::abs(f.v_command[i]) > 0.02;
      }
      if (!moving) continue;  // dry friction's sign
      InverseDynamics<double>(rig.model, conditions, f.q_command.data(), f.v_command.data(), a.data(), ws, tau.data());
      for (int i = 0; i < 4; ++i) worst_torque = std::max(worst_torque, std::abs(tau[i] - f.tau_feed_forward[i]) / rig.config.axes[i].torque);
    }
    EXPECT_EQ(slowest, 0) << "the pause";
    EXPECT_LT(worst_torque, 0.02) << "share of the torque limit";
    EXPECT_GT(r.cycles.size(), 2800u);
  }
}

TEST(Bridge, StopOnPathEndsOnThePathAtRest) {
  BridgeRig rig;
  const PathTable table = rig.Table(PickAndPlace(rig.model, 0.5));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run([&](std::uint64_t k) {
    if (k == 600) rig.bridge.Stop(StopKind::kOnPath);
  });
  EXPECT_EQ(r.outcome, "stopped-on-path") << ToString(r.cause);
  const CycleRecord& end = r.cycles.back();
  EXPECT_LT(OffPath(table, end.feedback.q_command, end.path_s), 1e-12);
  EXPECT_LT(end.path_s, 1.0) << "it really stopped, soon";
  EXPECT_EQ(end.feedback.state, CardState::kReady);
  EXPECT_LT(r.cycles.size(), 600u + 100u + 400u + 200u) << "lead, ramp, settling";
  // The user's own stop does not block the next motion; going on from here works.
  Trajectory back = Quintic(rig.model, {Eigen::Map<const Eigen::VectorXd>(end.feedback.q_command.data(), 4), Point(0, 0, 0, 0)}, 0.6, 0.004);
  const PathTable table2 = rig.Table(back);
  PathSource source2(table2, rig.config);
  Rig::Ok(rig.bridge.Start(&source2));
  EXPECT_EQ(rig.Run().outcome, "done");
}

TEST(Bridge, StopsEscalateAndNeverWeaken) {
  double last_time = 1e9;
  for (const StopKind kind : {StopKind::kOnPath, StopKind::kRamp, StopKind::kQuick, StopKind::kPowerOff}) {
    SCOPED_TRACE(Name(kind));
    BridgeRig rig;
    const PathTable table = rig.Table(PickAndPlace(rig.model, 0.5));
    rig.Enable();
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    std::uint64_t asked_cycle = 0;
    const Recording r = rig.Run([&](std::uint64_t k) {
      if (k == 600) {
        rig.bridge.Stop(kind);
        rig.bridge.Stop(StopKind::kOnPath);  // a weaker one afterwards changes nothing
        asked_cycle = rig.card->Counters().cycles;
      }
    });
    EXPECT_EQ(r.outcome, kind == StopKind::kOnPath ? "stopped-on-path" : "stopped");
    std::uint64_t rest = 0;
    for (const CycleRecord& c : r.cycles) {
      double speed = 0;
      for (int i = 0; i < 4; ++i) speed = std::max(speed, std::abs(c.feedback.v_command[i]));
      if (speed > 0) rest = c.feedback.cycle;
    }
    const double time = static_cast<double>(rest - asked_cycle);
    EXPECT_LT(time, last_time) << "each kind is quicker than the one before";
    last_time = time;
    EXPECT_EQ(rig.card->State(), kind == StopKind::kPowerOff ? CardState::kDisabled : CardState::kReady);
  }
}

TEST(Bridge, RefusesAStartElsewhere) {
  AxisArray at{};
  at[1] = 0.006;
  BridgeRig rig(ScaraConfig(), at);
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  const CardStatus s = rig.bridge.Start(&source);
  EXPECT_EQ(s.code, CardCode::kStartMismatch);
  EXPECT_EQ(s.joint, 1);
  EXPECT_NEAR(s.value, -0.006, 1e-5);
  EXPECT_EQ(s.limit, 0.005);
  EXPECT_GT(s.cycle, 0u);
  EXPECT_EQ(rig.card->State(), CardState::kReady);
  EXPECT_EQ(rig.card->Info().last_session, 0u) << "a refused call changes nothing";
}

TEST(Bridge, ASmallStartOffsetFadesOutSmoothly) {
  AxisArray at{};
  at[0] = 0.004;
  at[3] = -0.003;
  BridgeRig rig(ScaraConfig(), at);
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
  const auto executed = Executed(r);
  EXPECT_NEAR(executed.front().q[0], 0.004, 1e-6) << "no step at the start";
  PathPoint p;
  int hint = 0;
  table.At(0.3, &hint, &p);
  EXPECT_NEAR(executed[300].q[0], p.q[0], 1e-9) << "on the path after the blend";
}

TEST(Bridge, GoalWantsPositionAndStandstill) {
  CardConfig config = ScaraConfig();
  config.axes[0].in_position = 1e-5;  // dry friction leaves more than that
  config.axes[0].kp = 600;
  BridgeOptions options;
  options.goal_time_s = 0.3;
  BridgeRig rig(config, {}, options);
  const PathTable table = rig.Table(PickAndPlace(rig.model), false);
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.outcome, "failed");
  EXPECT_EQ(r.cause.code, CardCode::kGoalTolerance);
  EXPECT_EQ(r.cause.joint, 0);
  EXPECT_GT(std::abs(r.cause.value), r.cause.limit);
  // A failed motion blocks its successors until somebody has read why.
  PathSource again(table, rig.config);
  EXPECT_EQ(rig.bridge.Start(&again).code, CardCode::kBlocked);
  rig.bridge.Acknowledge();
  EXPECT_NE(rig.bridge.Start(&again).code, CardCode::kBlocked);
}

TEST(Bridge, PathToleranceStopsOnThePath) {
  BridgeOptions options;
  options.path_tolerance[1] = 1e-4;
  BridgeRig rig(ScaraConfig(), {}, options);
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.outcome, "failed");
  EXPECT_EQ(r.cause.code, CardCode::kPathTolerance);
  EXPECT_EQ(r.cause.joint, 1);
  EXPECT_LT(OffPath(table, r.cycles.back().feedback.q_command, r.cycles.back().path_s), 1e-12);
  EXPECT_EQ(rig.card->State(), CardState::kReady);
}

TEST(Bridge, PlansBeyondTheLimitsAreNamedBeforeAnythingMoves) {
  BridgeRig rig;
  std::vector<SetPoint> points;
  const PathTable fast = rig.Table(PickAndPlace(rig.model, 0.15, 0.001));
  const CardStatus s = NominalSetPoints(fast, rig.config, 1, &points);
  EXPECT_TRUE(s.code == CardCode::kVelocityLimit || s.code == CardCode::kAccelerationLimit || s.code == CardCode::kTorqueLimit) << ToString(s);
  EXPECT_GE(s.joint, 0);
  EXPECT_GT(s.cycle, 0u);
  EXPECT_GT(std::abs(s.value), s.limit);

  Trajectory wrong = PickAndPlace(rig.model);
  wrong.joint_names[2] = "zed";
  EXPECT_EQ(PathTable::Make(wrong, rig.config, nullptr).status().code(), absl::StatusCode::kInvalidArgument);
  Trajectory moving = PickAndPlace(rig.model);
  moving.v(0, moving.sample_count() - 1) = 1;
  EXPECT_EQ(PathTable::Make(moving, rig.config, nullptr).status().code(), absl::StatusCode::kInvalidArgument);
}

// (g), on one driver: the executed list of a recording, streamed again, is executed again bit for bit.
TEST(Bridge, ARecordingReplays) {
  BridgeRig rig;
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  const auto first = Executed(r);
  Rig again;
  again.Enable();
  const auto points = Replay(r, 1);
  Rig::Ok(again.card->Begin(1));
  again.Drain();
  std::size_t next = again.card->Push(points.data(), 500, nullptr);
  Rig::Ok(again.card->Start());
  std::vector<SetPoint> second;
  while (again.card->State() == CardState::kStreaming) {
    next += again.card->Push(points.data() + next, std::min<int>(10, points.size() - next), nullptr);
    again.card->Step(1);
    for (Feedback f; again.card->Poll(&f);) {
      if (!(f.flags & kExecuted)) continue;
      SetPoint p;
      p.q = f.q_command;
      p.tau = f.tau_feed_forward;
      second.push_back(p);
    }
  }
  ASSERT_EQ(second.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_TRUE(SameBits(first[i].q, second[i].q) && SameBits(first[i].tau, second[i].tau)) << i;
}

}  // namespace
}  // namespace torqued::card_test
