// LinuxCNC driver: what goes wrong during a motion. E-stop, drive fault, stops, a helper that is killed; homing.
#include "tests/card/linuxcnc_rig.h"

namespace torqued {
namespace {

using namespace card_test;

TEST_F(LinuxCnc, FaultsDuringMotionTakeThePowerOffAndAreNamed) {
  const struct {
    const char *strike, *heal;
    CardCode code;
    int joint;
  } cases[] = {
      {"setp torqued-card.emergency-stop 1", "setp torqued-card.emergency-stop 0", CardCode::kEmergencyStop, -1},
      {"setp torqued-card.1.drive-fault 1", "setp torqued-card.1.drive-fault 0", CardCode::kDriveFault, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.strike);
    Recording r;
    if (!Strike([&](Bridge&) { Hal(c.strike); }, &r)) GTEST_SKIP() << "the host kept the card waiting: " << ToString(r.cause);
    if (HostStarvedTheCard(r.cause)) GTEST_SKIP() << "the host kept the card waiting: " << ToString(r.cause);
    EXPECT_EQ(r.outcome, "failed");
    EXPECT_EQ(r.cause.code, c.code) << ToString(r.cause);
    EXPECT_EQ(r.cause.joint, c.joint);
    EXPECT_GT(r.cause.cycle, 0u);
    const Feedback& last = r.cycles.back().feedback;
    EXPECT_EQ(last.state, CardState::kFaulted);
    EXPECT_EQ(last.flags & kPowerOn, 0u) << "off in the cycle that saw it";
    EXPECT_EQ(last.cycle, r.cause.cycle);
    EXPECT_FALSE(card->ResetFault().ok()) << "while its reason lasts";
    Hal(c.heal);
    ASSERT_TRUE(Until([&] { return card->ResetFault().ok(); }));
    ExpectACleanMotion();
  }
}

TEST_F(LinuxCnc, StopsOnThePathAndQuickly) {
  for (const StopKind kind : {StopKind::kOnPath, StopKind::kQuick}) {
    SCOPED_TRACE(Name(kind));
    Recording r;
    if (!Strike([&](Bridge& bridge) { bridge.Stop(kind); }, &r) || HostStarvedTheCard(r.cause))
      GTEST_SKIP() << "the host kept the card waiting: " << ToString(r.cause);
    EXPECT_EQ(r.outcome, kind == StopKind::kOnPath ? "stopped-on-path" : "stopped") << ToString(r.cause);
    const double h = config.cycle_s;
    for (std::size_t k = 1; k < r.cycles.size(); ++k)
      for (int i = 0; i < 2; ++i)
        ASSERT_LE(std::abs(r.cycles[k].feedback.v_command[i] - r.cycles[k - 1].feedback.v_command[i]), config.axes[i].acceleration * h * (1 + 1e-6));
    EXPECT_EQ(r.cycles.back().feedback.v_command[0], 0);
    card->Disable();
    ExpectACleanMotion();
  }
}

// Proof (f): the helper dies with a full queue. The component's watchdog ramps and takes the power off; the next helper offers nothing stale.
TEST_F(LinuxCnc, TheHelperIsKilled) {
  Recording r;
  const pid_t helper = Helper();
  ASSERT_GT(helper, 0);
  if (!Strike([&](Bridge&) { kill(helper, SIGKILL); }, &r)) GTEST_SKIP() << "the host kept the card waiting: " << ToString(r.cause);
  EXPECT_EQ(r.outcome, "failed");
  EXPECT_EQ(r.cause.code, CardCode::kCardLost) << ToString(r.cause);
  card.reset();
  ASSERT_TRUE(Until([&] { return AttachCard(name).ok(); })) << "the next helper";
  auto again = AttachCard(name);
  ASSERT_TRUE(again.ok()) << again.status();
  card = *std::move(again);
  ASSERT_TRUE(card->Open().ok());
  EXPECT_EQ(card->State(), CardState::kFaulted);
  const CardStatus cause = card->Info().cause;
  EXPECT_EQ(cause.code, CardCode::kWatchdog) << ToString(cause);
  EXPECT_GE(cause.value, config.watchdog_s);
  const std::uint64_t executed = card->Counters().executed;
  ASSERT_TRUE(card->ResetFault().ok());
  EXPECT_EQ(card->Counters().executed, executed) << "nothing resumes";
  ExpectACleanMotion();
  EXPECT_NE(Said().find("power is FALSE"), std::string::npos) << "the component took it away before anything was cleaned up";
}

struct LinuxCncHoming : LinuxCnc {
  LinuxCncHoming() {
    yaml.insert(yaml.find("following_error: {floor_rad"),
                "homing: {method: switch, switch_position_rad: 0.3, search_speed_rad_per_s: 0.5, latch_speed_rad_per_s: 0.05, home_position_rad: 0.05, travel_rad: 2},\n     ");
  }
};

// The built-in drive's encoders lie 0.1 below the truth until they are homed.
TEST_F(LinuxCncHoming, FindsTheReference) {
  Enable();
  const CardStatus early = card->Begin(card->Info().last_session + 1);
  EXPECT_EQ(early.code, CardCode::kNotHomed);
  EXPECT_EQ(early.joint, 0);
  for (Feedback f; card->Poll(&f);) {
  }
  const CardStatus homed = card->Home(3);
  ASSERT_TRUE(homed.ok()) << ToString(homed);
  EXPECT_EQ(card->Info().homed, 3u);
  double jump = 0;
  Feedback before, f;
  for (bool first = true; card->Poll(&f); first = false, before = f)
    if (!first && std::abs(f.q_command[0] - before.q_command[0]) > 0.01) jump += f.q_command[0] - before.q_command[0];
  EXPECT_NEAR(jump, 0.1, 0.002) << "the offset that was found";
  EXPECT_NEAR(before.q_command[0], 0.05, 1e-9);
  EXPECT_EQ(before.flags & kAllHomed, kAllHomed);
  card->Disable();
  ExpectACleanMotion();
}

}  // namespace
}  // namespace torqued
