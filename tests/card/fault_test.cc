// What goes wrong is named with joint, cycle, value and limit; nothing is executed after it; nothing resumes by itself.
#include <gtest/gtest.h>

#include "tests/card/bridge_rig.h"

namespace torqued::card_test {
namespace {

struct Case {
  const char* name;
  SimFault fault;
  CardCode code;
  int joint;
  bool power_off_at_once;     // else a controlled stop first
};

constexpr std::uint64_t kWhen = 700;  // in the middle of the first moves

std::vector<Case> Cases() {
  const auto fault = [](SimFaultKind kind, int axis = 0, double value = 0, std::uint64_t cycles = 0) {
    return SimFault{kind, kWhen, axis, value, cycles};
  };
  return {
      {"gap", fault(SimFaultKind::kDropSetPoint), CardCode::kSequenceGap, -1, false},
      {"repeat", fault(SimFaultKind::kRepeatSetPoint), CardCode::kSequenceRepeat, -1, false},
      {"nan", fault(SimFaultKind::kCorruptSetPoint, 3, std::nan("")), CardCode::kNotFinite, 3, false},
      {"jump", fault(SimFaultKind::kCorruptSetPoint, 1, 0.5), CardCode::kJump, 1, false},
      {"limit", fault(SimFaultKind::kCorruptSetPoint, 2, 0.051), CardCode::kPositionLimit, 2, false},
      {"limit switch", fault(SimFaultKind::kLimitSwitch, 0, 1), CardCode::kLimitSwitch, 0, false},
      {"following error", fault(SimFaultKind::kTorqueLoss, 1), CardCode::kFollowingError, 1, true},
      {"frozen encoder", fault(SimFaultKind::kEncoderFreeze, 0), CardCode::kFollowingError, 0, true},
      {"lying encoder", fault(SimFaultKind::kEncoderJump, 3, 0.9), CardCode::kFollowingError, 3, true},
      {"drive fault", fault(SimFaultKind::kDriveFault, 2, 0x7305), CardCode::kDriveFault, 2, true},
      {"emergency stop", fault(SimFaultKind::kEmergencyStop), CardCode::kEmergencyStop, -1, true},
  };
}

// A first move in which joint 0 goes up while the fault strikes.
Trajectory Move(const Prepared& model) { return PickAndPlace(model, 0.9); }

TEST(CardFault, EachIsNamedStopsTheMotionAndVoidsTheSession) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    BridgeRig rig;
    const PathTable table = rig.Table(Move(rig.model));
    rig.Enable();
    rig.card->Schedule(c.fault);
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    const Recording r = rig.Run();
    EXPECT_EQ(r.outcome, "failed");
    EXPECT_EQ(r.cause.code, c.code) << ToString(r.cause);
    EXPECT_EQ(r.cause.joint, c.joint);
    EXPECT_GE(r.cause.cycle, kWhen);
    EXPECT_LE(r.cause.cycle, kWhen + (c.code == CardCode::kFollowingError ? 200u : 0u));
    if (c.code == CardCode::kPositionLimit) {
      EXPECT_EQ(r.cause.value, 0.051);
      EXPECT_EQ(r.cause.limit, 0.05);
    }
    if (c.code == CardCode::kFollowingError) {
      EXPECT_GT(r.cause.value, r.cause.limit);
      EXPECT_GE(r.cause.limit, rig.config.axes[c.joint].following.floor);
      EXPECT_GE(rig.card->Counters().peak_following_error[c.joint], r.cause.value) << "the peak is remembered";
    }
    if (c.code == CardCode::kDriveFault) {
      EXPECT_EQ(r.cause.vendor, 0x7305);
    }
    // Nothing is executed after it, and the drive is off at the end.
    bool stopping = false;
    for (std::size_t k = 1; k < r.cycles.size(); ++k) {
      const Feedback &f = r.cycles[k].feedback, &before = r.cycles[k - 1].feedback;
      if (f.cycle >= r.cause.cycle) {
        EXPECT_FALSE(f.flags & kExecuted) << f.cycle;
      }
      stopping = stopping || f.state == CardState::kStopping;
      if (f.state != CardState::kStopping) continue;
      for (int i = 0; i < 4; ++i) {
        const double allowed = c.code == CardCode::kLimitSwitch ? rig.config.axes[i].quick_deceleration : rig.config.axes[i].stop_deceleration;
        ASSERT_LE(std::abs(f.v_command[i] - before.v_command[i]), allowed * 0.001 * 1.0001) << "bounded deceleration";
        ASSERT_LE(std::abs(f.q_command[i] - before.q_command[i]), (std::abs(before.v_command[i]) + 1e-9) * 0.001) << "from the last command, no step back";
      }
    }
    EXPECT_EQ(stopping, !c.power_off_at_once);
    EXPECT_EQ(rig.card->State(), CardState::kFaulted);
    EXPECT_FALSE(r.cycles.back().feedback.flags & kPowerOn);
    EXPECT_EQ(rig.card->Counters().faults, 1u) << "one fault, the first";
    // Stands still with the brakes on.
    rig.card->Step(20);
    const AxisArray there = rig.card->machine().plant().q();
    rig.card->Step(500);
    EXPECT_EQ(rig.card->machine().plant().q(), there);
    // Nothing resumes by itself: set-points are refused, so is enabling before a reset.
    SetPoint p;
    CardStatus why;
    EXPECT_EQ(rig.card->Push(&p, 1, &why), 0);
    EXPECT_EQ(why.code, CardCode::kNoSession);
    EXPECT_EQ(rig.card->Enable({}).code, CardCode::kWrongState);
    EXPECT_EQ(rig.card->Info().cause.code, c.code) << "latched";
  }
}

TEST(CardFault, ResetIsRefusedWhileTheChainIsOpenAndARestartRunsNothingStale) {
  BridgeRig rig;
  const PathTable table = rig.Table(Move(rig.model));
  rig.Enable();
  rig.card->Schedule({SimFaultKind::kEmergencyStop, kWhen, 0, 0, 300});
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording r = rig.Run();
  EXPECT_EQ(r.cause.code, CardCode::kEmergencyStop);
  EXPECT_EQ(rig.card->ResetFault().code, CardCode::kEmergencyStop);
  EXPECT_EQ(rig.card->State(), CardState::kFaulted);
  rig.card->Step(300);
  EXPECT_EQ(rig.card->State(), CardState::kFaulted) << "closing the chain resets nothing";
  Rig::Ok(rig.card->ResetFault());
  EXPECT_EQ(rig.card->State(), CardState::kDisabled);
  EXPECT_LT(rig.card->Space(), 1024) << "old set-points are still there";
  rig.Drain();
  const AxisArray before = rig.card->machine().plant().q();
  Rig::Ok(rig.card->Enable(HoldTorque(rig.model, before)));
  rig.bridge.Acknowledge();
  // A new motion from where the robot stands.
  const Trajectory back = Quintic(rig.model, {Eigen::Map<const Eigen::VectorXd>(before.data(), 4), Point(0, 0, 0, 0)}, 0.8, 0.004);
  const PathTable table2 = rig.Table(back);
  PathSource source2(table2, rig.config);
  Rig::Ok(rig.bridge.Start(&source2));
  const Recording second = rig.Run();
  EXPECT_EQ(second.outcome, "done") << ToString(second.cause);
  std::vector<SetPoint> planned;
  ASSERT_TRUE(NominalSetPoints(table2, rig.config, 2, &planned).ok());
  EXPECT_EQ(Executed(second).size(), planned.size());
  EXPECT_GT(rig.card->Counters().voided, 0u);
  for (const CycleRecord& c : second.cycles) ASSERT_EQ(c.feedback.session, 2u);
}

TEST(CardFault, OldSessionsAreRefused) {
  Rig rig;
  rig.Enable();
  Rig::Ok(rig.card->Begin(5));
  SetPoint p;
  p.session = 4;
  p.sequence = 1;
  EXPECT_EQ(rig.card->Push(&p, 1, nullptr), 1);
  Rig::Ok(rig.card->Start());
  rig.card->Step(2);
  const CardStatus cause = rig.card->Info().cause;
  EXPECT_EQ(cause.code, CardCode::kOldSession);
  EXPECT_EQ(cause.value, 4);
  EXPECT_EQ(cause.limit, 5);
  EXPECT_EQ(rig.card->Counters().executed, 0u);
  EXPECT_EQ(rig.card->State(), CardState::kFaulted);
  Rig::Ok(rig.card->ResetFault());
  Rig::Ok(rig.card->Enable({}));
  EXPECT_EQ(rig.card->Begin(5).code, CardCode::kBadArgument) << "a session number is used once";
  EXPECT_EQ(rig.card->Begin(3).code, CardCode::kBadArgument);
  Rig::Ok(rig.card->Begin(6));
  EXPECT_EQ(rig.card->Start().code, CardCode::kNothingQueued);
}

TEST(CardFault, EnableMovesNothingAndNeedsItsOrder) {
  AxisArray at{};
  at[0] = 0.7;
  at[2] = -0.1;
  Rig rig(ScaraConfig(), at);
  EXPECT_EQ(rig.card->Enable({}).code, CardCode::kWrongState) << "not opened";
  EXPECT_EQ(rig.card->Begin(1).code, CardCode::kWrongState);
  Rig::Ok(rig.card->Open());
  AxisArray too_much{};
  too_much[1] = 81;
  const CardStatus refused = rig.card->Enable(too_much);
  EXPECT_EQ(refused.code, CardCode::kTorqueLimit);
  EXPECT_EQ(refused.joint, 1);
  rig.card->Step(100);
  const AxisArray before = rig.card->machine().plant().q();
  Rig::Ok(rig.card->Enable(HoldTorque(rig.model, at)));
  rig.Drain();
  for (int k = 0; k < 300; ++k) rig.card->KeepAlive(), rig.card->Step(1);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(rig.card->machine().plant().q()[i], before[i], 2e-4) << i;
  for (const Feedback& f : rig.Drain()) {
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(f.q_command[i], before[i], 1e-5);
  }
  Rig::Ok(rig.card->Disable());
  EXPECT_EQ(rig.card->State(), CardState::kDisabled);
  Rig::Ok(rig.card->Close());
  EXPECT_EQ(rig.card->State(), CardState::kOffline);
}

TEST(CardFault, TheWatchdogTakesTheEnableAwayAlsoAtRest) {
  const CardConfig config = ScaraConfig();
  Rig rig(config);
  rig.Enable();
  rig.Drain();
  rig.card->Step(200);  // nobody keeps it alive
  const auto record = rig.Drain();
  EXPECT_EQ(record.back().state, CardState::kFaulted);
  EXPECT_EQ(record.back().cause.code, CardCode::kWatchdog);
  EXPECT_NEAR(record.back().cause.value, config.watchdog_s, 2 * config.cycle_s);
  EXPECT_EQ(record.back().cause.limit, config.watchdog_s);
}

TEST(CardFault, ASilentBridgeInMotionIsAControlledStopThoughTheQueueIsFull) {
  const CardConfig config = ScaraConfig();
  BridgeOptions options;
  options.lead = 1000;
  BridgeRig rig(config, {}, options);
  const PathTable table = rig.Table(Move(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  for (int k = 0; k < 600; ++k) rig.bridge.Tick(), rig.card->Step(1);
  rig.card->Step(1500);  // the bridge hangs
  std::uint64_t silent_at = 0, off_at = 0;
  bool ramped = false;
  for (const Feedback& f : rig.Drain()) {
    if (silent_at == 0 && !f.cause.ok()) silent_at = f.cycle;
    ramped = ramped || f.state == CardState::kStopping;
    if (off_at == 0 && !(f.flags & kPowerOn)) off_at = f.cycle;
  }
  EXPECT_TRUE(ramped);
  double ramp_s = 0;
  for (const AxisConfig& a : config.axes) ramp_s = std::max(ramp_s, a.velocity / a.stop_deceleration);
  EXPECT_GT(off_at, 0u);
  EXPECT_LE((off_at - silent_at) * config.cycle_s, ramp_s + 2 * config.cycle_s) << "drive off within watchdog plus ramp";
  EXPECT_EQ(rig.card->Info().cause.code, CardCode::kWatchdog);
}

TEST(CardFault, ADeadCardIsLostAndALateOneIsNot) {
  for (const bool dies : {true, false}) {
    BridgeRig rig;
    const PathTable table = rig.Table(Move(rig.model));
    rig.Enable();
    rig.card->Schedule({dies ? SimFaultKind::kDie : SimFaultKind::kDelay, kWhen, 0, 0, dies ? 0u : 30u});
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    const Recording r = rig.Run();
    if (dies) {
      EXPECT_EQ(r.outcome, "failed");
      EXPECT_EQ(r.cause.code, CardCode::kCardLost);
      EXPECT_GT(r.cause.value, r.cause.limit);
    } else {
      EXPECT_EQ(r.outcome, "done") << ToString(r.cause);
      EXPECT_EQ(Summarize(r).card.worst_ns(), 30000000) << "lateness is reported";
      EXPECT_LT(Summarize(r).card.OnTimeShare(1000000), 1);
    }
  }
}

TEST(CardFault, LostFeedbackIsCountedAndTooMuchOfItStops) {
  for (const std::uint64_t lost : {20u, 180u}) {
    SCOPED_TRACE(lost);
    BridgeOptions options;
    options.card_silence_s = 0.5;
    BridgeRig rig(ScaraConfig(), {}, options);
    const PathTable table = rig.Table(Move(rig.model));
    rig.Enable();
    rig.card->Schedule({SimFaultKind::kDropFeedback, kWhen, 0, 0, lost});
    PathSource source(table, rig.config);
    Rig::Ok(rig.bridge.Start(&source));
    const Recording r = rig.Run();
    EXPECT_EQ(Summarize(r).lost_feedback, lost);
    EXPECT_EQ(rig.card->Counters().feedback_dropped, lost);
    EXPECT_EQ(r.outcome, lost < 100 ? "done" : "failed");
    if (lost >= 100) {
      EXPECT_EQ(r.cause.code, CardCode::kFeedbackLost);
    }
  }
}

TEST(CardFault, AReconnectVoidsWhatTheEarlierBridgeBegan) {
  BridgeRig rig;
  const PathTable table = rig.Table(Move(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  for (int k = 0; k < 600; ++k) rig.bridge.Tick(), rig.card->Step(1);
  Rig::Ok(rig.card->Open());  // somebody connects anew
  EXPECT_EQ(rig.card->State(), CardState::kDisabled);
  const std::uint64_t executed = rig.card->Counters().executed;
  rig.card->Step(100);
  EXPECT_EQ(rig.card->Counters().executed, executed);
}

CardConfig HomingConfigured(double search_speed) {
  CardConfig config = ScaraConfig();
  AxisConfig& z = config.axes[2];
  z.homing.method = HomingMethod::kSwitch;
  z.homing.switch_position = 0.04;
  z.homing.search_speed = search_speed;
  z.homing.latch_speed = 0.005;
  z.homing.home_position = -0.02;
  z.homing.travel = 0.5;
  z.following = {0.05, 0.05, 0.01};
  return config;
}

TEST(CardHoming, FindsTheSwitchAndGoesHome) {
  AxisArray at{};
  at[2] = -0.08;
  Rig rig(HomingConfigured(0.1), at);
  rig.Enable();
  EXPECT_EQ(rig.card->Begin(1).code, CardCode::kNotHomed);
  EXPECT_EQ(rig.card->Begin(1).joint, 2);
  EXPECT_EQ(rig.card->Home(0).code, CardCode::kBadArgument);
  EXPECT_EQ(rig.card->Home(1 << 4).code, CardCode::kBadArgument);
  Rig::Ok(rig.card->Home(0b1111));
  EXPECT_EQ(rig.card->State(), CardState::kReady);
  for (int k = 0; k < 200; ++k) rig.card->KeepAlive(), rig.card->Step(1);
  // Dry friction over kp is 0.3 mm; the edge itself is read within 5 um (one cycle at latch speed) and one count.
  EXPECT_NEAR(rig.Drain().back().q[2], rig.card->machine().plant().q()[2], 1.5e-5);
  rig.card->Step(1);
  EXPECT_NEAR(rig.card->machine().plant().q()[2], -0.02, 5e-4) << "really there, by the robot's own account";
  const Feedback last = rig.Drain().back();
  EXPECT_NEAR(last.q[2], -0.02, 5e-4);
  EXPECT_TRUE(last.flags & kAllHomed);
  Rig::Ok(rig.card->Begin(1));
}

TEST(CardHoming, GivesUpAfterItsTravel) {
  AxisArray at{};
  at[2] = -0.08;
  CardConfig config = HomingConfigured(-0.1);
  config.axes[2].homing.switch_position = -5;  // never reached
  config.axes[2].homing.travel = 0.1;
  Rig rig(config, at);
  rig.Enable();
  const CardStatus s = rig.card->Home(1 << 2);
  EXPECT_EQ(s.code, CardCode::kHomingFailed) << ToString(s);
  EXPECT_EQ(s.joint, 2);
  EXPECT_EQ(s.limit, 0.1);
  EXPECT_EQ(rig.card->State(), CardState::kFaulted);
}

TEST(CardHoming, AStopEndsIt) {
  Rig rig(HomingConfigured(0.02));
  rig.Enable();
  rig.card->Step(1);
  rig.card->Stop(StopKind::kQuick);
  // The stop is taken in the cycle after the command: homing never gets going or ends at once.
  const CardStatus s = rig.card->Home(1 << 2);
  (void)s;
  rig.card->Stop(StopKind::kQuick);
  for (int k = 0; k < 300; ++k) rig.card->KeepAlive(), rig.card->Step(1);
  EXPECT_EQ(rig.card->State(), CardState::kReady);
}

}  // namespace
}  // namespace torqued::card_test
