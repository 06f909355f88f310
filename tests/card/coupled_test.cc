// Motors that move several joints: the screw-and-spline wrist of a SCARA. z and rotation on one shaft, nut and spline driven apart:
// the nut turns with z 2 pi / lead + rotation, so in metres its coordinate is z + lead / (2 pi) r.
#include <gtest/gtest.h>

#include "client/card/actuator_map.h"
#include "client/card/watch.h"
#include "tests/card/bridge_rig.h"

namespace torqued {
namespace {

using namespace card_test;

constexpr double kLead = 0.02;

CardConfig Coupled() {
  CardConfig c = ScaraConfig();
  c.actuator_matrix = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, kLead / (2 * M_PI)}, {0, 0, 0, 1}};
  return c;
}

TEST(ActuatorMap, NutAndSpline) {
  const ActuatorMap map(Coupled().actuator_matrix, 4);
  // A whole turn of the hand with z held: the nut must turn once with it, one lead of its coordinate.
  const AxisArray turn = map.Motors({0, 0, 0, 2 * M_PI});
  EXPECT_NEAR(turn[2], kLead, 1e-15);
  EXPECT_NEAR(turn[3], 2 * M_PI, 1e-15);
  // The spline alone: the shaft turns and screws itself through the standing nut.
  const AxisArray spline = map.Joints({0, 0, 0, 2 * M_PI});
  EXPECT_NEAR(spline[2], -kLead, 1e-15);
  EXPECT_NEAR(spline[3], 2 * M_PI, 1e-15);
  const AxisArray q = {0.3, -1, 0.07, 2};
  const AxisArray back = map.Joints(map.Motors(q));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(back[i], q[i], 1e-14);
}

TEST(ActuatorMap, APermutationAndAnUglyMatrix) {
  const ActuatorMap map({{0, 2, 0}, {0, 0, -1}, {1, 0.5, 0.25}}, 3);
  const AxisArray q = {1, 2, 3};
  const AxisArray m = map.Motors(q);
  EXPECT_EQ(m[0], 4);
  EXPECT_EQ(m[1], -3);
  EXPECT_EQ(m[2], 2.75);
  const AxisArray back = map.Joints(m);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(back[i], q[i], 1e-14);
}

TEST(ActuatorMap, SaysWhatIsWrong) {
  EXPECT_EQ(ActuatorMap::Problem({}, 4), "");
  EXPECT_NE(ActuatorMap::Problem({{1, 0}}, 2).find("1 rows"), std::string::npos);
  EXPECT_NE(ActuatorMap::Problem({{1, 0}, {0}}, 2).find("row 2"), std::string::npos);
  EXPECT_NE(ActuatorMap::Problem({{1, 2}, {2, 4}}, 2).find("singular"), std::string::npos);
  EXPECT_NE(ActuatorMap::Problem({{1, 0}, {0, std::nan("")}}, 2).find("finite"), std::string::npos);
  CardConfig c = Coupled();
  EXPECT_NEAR(EncoderResolution(c)[2], 1 / 131072.0 * 0.02 + kLead / (2 * M_PI) * (2 * M_PI) / (65536 * 20.0), 1e-12) << "nut and spline add up";
  c.axes[3].homing.method = HomingMethod::kSwitch;
  bool found = false;
  for (const CardFinding& f : CheckCardConfig(c)) found = found || f.code == "homing-coupled";
  EXPECT_TRUE(found) << "z cannot be absolute if the spline's motor has to be homed";
}

// Encoders count motors; the joints must come out as if they had encoders of their own.
TEST(CoupledWrist, FollowsAsWellAsAnUncoupledOne) {
  AxisArray peak[2]{};
  for (const bool coupled : {false, true}) {
    BridgeRig rig(coupled ? Coupled() : ScaraConfig());
    const Trajectory t = PickAndPlace(rig.model);
    const PathTable table = rig.Table(t);
    PathSource source(table, rig.config);
    rig.Enable();
    ASSERT_TRUE(rig.bridge.Start(&source).ok());
    const Recording r = rig.Run();
    ASSERT_EQ(r.outcome, "done") << ToString(r.cause);
    const RunStatistics s = Summarize(r);
    for (int i = 0; i < 4; ++i) peak[coupled][i] = s.axis[i].peak_following;
    // The reading is the true position to half a count of each motor.
    const AxisArray resolution = EncoderResolution(rig.config);
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(r.cycles.back().feedback.q[i], rig.card->machine().plant().q()[i], resolution[i] + 2 * std::abs(rig.card->machine().plant().v()[i]) * rig.config.cycle_s + 1e-5);
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(peak[1][i], peak[0][i], 0.3 * peak[0][i] + 2 * EncoderResolution(Coupled())[i]) << i;
}

// Neither motor knows where it stands; homing the axes one after the other must find both.
TEST(CoupledWrist, IsHomedAxisByAxis) {
  for (const std::uint32_t first : {4u, 8u}) {
    SCOPED_TRACE(first);
    CardConfig c = Coupled();
    c.axes[2].homing = {HomingMethod::kSwitch, 0.03, 0.1, 0.005, 0.0, 1};
    c.axes[3].homing = {HomingMethod::kSwitch, 1.0, 1.5, 0.05, 0.0, 8};
    Rig rig(c, {0.1, -0.2, -0.08, -0.7});
    rig.Enable();
    Rig::Ok(rig.card->Home(first));
    Rig::Ok(rig.card->Home(12u & ~first));
    rig.card->Step(300);
    const auto records = rig.Drain();
    ASSERT_FALSE(records.empty());
    for (const int i : {2, 3})
      EXPECT_NEAR(records.back().q[i], rig.card->machine().plant().q()[i], c.axes[i].homing.latch_speed * c.cycle_s * 2 + EncoderResolution(c)[i]) << i;
  }
}

// Found when a LinuxCNC helper that had died was started again: Close and Open lost the fault's state but not its cause.
TEST(LatchedFault, OutlivesCloseAndOpenAndCanStillBeReset) {
  Rig rig;
  rig.Enable();
  SimFault stop;
  stop.kind = SimFaultKind::kEmergencyStop;
  stop.at_cycle = rig.card->machine().firmware().cycle() + 1;
  stop.cycles = 5;
  rig.card->Schedule(stop);
  rig.card->Step(20);
  ASSERT_EQ(rig.card->State(), CardState::kFaulted);
  Rig::Ok(rig.card->Close());
  Rig::Ok(rig.card->Open());
  EXPECT_EQ(rig.card->State(), CardState::kFaulted);
  EXPECT_EQ(rig.card->Info().cause.code, CardCode::kEmergencyStop);
  EXPECT_EQ(rig.card->Enable({}).code, CardCode::kWrongState);
  Rig::Ok(rig.card->ResetFault());
  Rig::Ok(rig.card->Enable({}));
}

TEST(CardConfigText, IsReadBackBitForBit) {
  CardConfig c = Coupled();
  c.name = "a \"quoted\" name";
  c.axes[1].homing = {HomingMethod::kSwitch, 1.0 / 3, -0.1, 0.01, 0.2, 5};
  c.axes[0].lower = -std::numeric_limits<double>::infinity();
  c.sim.plant = {{1, 0.1, 0.2}, {2, 0, 0}, {3, 0, 0}, {0.1, 0, 0}};
  c.watchdog_s = 0.1 + 0.2;
  const std::string text = WriteCardConfig(c);
  const auto back = ReadCardConfig(text, nullptr);
  ASSERT_TRUE(back.ok()) << back.status() << "\n" << text;
  EXPECT_EQ(WriteCardConfig(*back), text);
  EXPECT_EQ(back->name, c.name);
  EXPECT_EQ(back->watchdog_s, c.watchdog_s);
  EXPECT_EQ(back->actuator_matrix, c.actuator_matrix);
  EXPECT_EQ(back->axes[1].homing.switch_position, 1.0 / 3);
  EXPECT_EQ(back->axes[2].following.floor, c.axes[2].following.floor);
  EXPECT_EQ(back->axes[0].lower, c.axes[0].lower);
  EXPECT_EQ(back->sim.plant.size(), 4u);
}

// A reader beside the bridge, in another thread here: never a torn record, never an older one.
TEST(NewestFeedbackRecord, IsNeverTorn) {
  auto newest = std::make_unique<NewestFeedback>();
  Feedback f;
  EXPECT_FALSE(newest->Read(&f)) << "none yet";
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint64_t k = 1; k <= 20000; ++k) {
      Feedback w;
      w.cycle = k;
      w.q.fill(static_cast<double>(k));
      w.tau.fill(static_cast<double>(k));
      w.cause.value = static_cast<double>(k);
      newest->Write(w);
    }
    over = true;
  });
  std::uint64_t before = 0, torn = 0, older = 0;
  while (!over.load()) {
    if (!newest->Read(&f)) continue;
    older += f.cycle < before;
    before = f.cycle;
    torn += f.q[0] != static_cast<double>(f.cycle) || f.tau[11] != f.q[0] || f.cause.value != f.q[0];
  }
  writer.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(older, 0u);
  ASSERT_TRUE(newest->Read(&f));
  EXPECT_EQ(f.cycle, 20000u);
}

}  // namespace
}  // namespace torqued
