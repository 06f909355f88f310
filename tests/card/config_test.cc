// The card's configuration: what is read, what is refused with line and key, what is only said.
#include "client/card/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/card/default_config.h"
#include "tests/card/bridge_rig.h"

namespace torqued {
namespace {

using testing::HasSubstr;

constexpr char kGood[] = R"(name: bench
cycle_s: 0.001
watchdog_s: 0.04
axes:
  - name: turn
    counts_per_rad: 1000
    gear: 50
    sign: -1
    zero_rad: 0.5
    lower_rad: -2
    upper_rad: 2
    velocity_rad_per_s: 3
    acceleration_rad_per_s2: 20
    torque_nm: 40
    kp_nm_per_rad: 900
    kd_nm_s_per_rad: 30
    following_error: {floor_rad: 0.02, at_full_speed_rad: 0.06, window_s: 0.004}
  - name: lift
    unit: m
    counts_per_m: 1e6
    lower_m: 0
    upper_m: 0.3
    velocity_m_per_s: 0.5
    acceleration_m_per_s2: 4
    torque_n: 200
    following_error: {floor_m: 0.001, at_full_speed_m: 0.004}
    homing: {method: switch, switch_position_m: 0, search_speed_m_per_s: -0.05, latch_speed_m_per_s: 0.002, home_position_m: 0.01, travel_m: 0.4}
sim:
  seed: 7
  plant: [{inertia: 0.5, viscous: 1, coulomb: 0.3}, {inertia: 6}]
)";

TEST(CardConfigFile, IsReadWholeInSi) {
  std::vector<CardFinding> findings;
  const auto c = ReadCardConfig(kGood, &findings);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->name, "bench");
  EXPECT_EQ(c->watchdog_s, 0.04);
  ASSERT_EQ(c->axis_count(), 2);
  EXPECT_EQ(c->axes[0].CountsPerUnit(), -50000);
  EXPECT_EQ(c->axes[0].zero, 0.5);
  EXPECT_EQ(c->axes[0].following.window_s, 0.004);
  EXPECT_FALSE(c->axes[0].linear);
  EXPECT_TRUE(c->axes[1].linear);
  EXPECT_EQ(c->axes[1].torque, 200);
  EXPECT_EQ(c->axes[1].homing.method, HomingMethod::kSwitch);
  EXPECT_EQ(c->axes[1].homing.search_speed, -0.05);
  EXPECT_EQ(c->sim.seed, 7u);
  EXPECT_EQ(c->sim.plant[1].inertia, 6);
  for (const CardFinding& f : findings) EXPECT_NE(f.severity, FindingSeverity::kError) << f.where << " " << f.message;
}

std::string With(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CardConfigFile, NamesWhatIsWrongAndWhere) {
  const struct {
    const char *from, *to, *code, *where;
    int line;
  } cases[] = {
      {"gear: 50", "geer: 50", "unknown-key", "axes[0].geer", 7},
      {"    torque_nm: 40\n", "", "missing-key", "axes[0].torque_nm", 5},
      {"gear: 50", "gear: fifty", "wrong-type", "axes[0].gear", 7},
      {"gear: 50", "gear: -50", "not-positive", "gear", 0},
      {"gear: 50", "gear: .nan", "not-positive", "gear", 0},
      {"sign: -1", "sign: 2", "bad-sign", "sign", 0},
      {"upper_rad: 2", "upper_rad: -3", "empty-range", "axes[0] (turn)", 0},
      {"name: lift", "name: turn", "duplicate-name", "axes[1] (turn)", 0},
      {"cycle_s: 0.001", "cycle_s: 0", "bad-value", "cycle_s", 0},
      {"watchdog_s: 0.04", "watchdog_s: 0.002", "bad-value", "watchdog_s", 0},
      {"unit: m", "unit: mm", "bad-value", "axes[1].unit", 18},
      {"travel_m: 0.4", "travel_m: 0", "not-positive", "travel", 0},
      {"home_position_m: 0.01", "home_position_m: 5", "outside-range", "home_position", 0},
      {"search_speed_m_per_s: -0.05", "search_speed_m_per_s: -5", "bad-value", "search_speed", 0},
      {"{inertia: 6}", "{inertia: 0}", "not-positive", "sim.plant[1].inertia", 0},
      {", {inertia: 6}", "", "axis-count", "sim.plant", 0},
      {"axes:", "axles:", "missing-key", "axes", 0},
      {"name: bench", "name: [bench", "not-yaml", "", 2},
      {"name: bench", "setpoint_capacity: 1000", "not-a-power-of-two", "setpoint_capacity", 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
    std::vector<CardFinding> findings;
    const auto result = ReadCardConfig(With(c.from, c.to), &findings);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    bool found = false;
    for (const CardFinding& f : findings) {
      if (f.code != c.code || f.where.find(c.where) == std::string::npos) continue;
      found = true;
      EXPECT_EQ(f.severity, FindingSeverity::kError);
      if (c.line > 0) {
        EXPECT_EQ(f.line, c.line);
      }
    }
    EXPECT_TRUE(found) << result.status();
  }
}

TEST(CardConfigFile, GarbageIsRefusedNotFollowed) {
  for (const char* text : {"", "x", "[1,2]", "axes: 3\ncycle_s: 1e-3", "axes: [1]\ncycle_s: 0.001", "&a [*a]", "\x01\x02", "cycle_s: {}\naxes: []"}) {
    EXPECT_FALSE(ReadCardConfig(text, nullptr).ok()) << text;
  }
}

TEST(CardConfigCheck, SaysWhatIsOnlyUnwise) {
  const auto has = [](const CardConfig& c, const char* code, FindingSeverity severity) {
    for (const CardFinding& f : CheckCardConfig(c))
      if (f.code == code && f.severity == severity) return true;
    return false;
  };
  const CardConfig good = card_test::ScaraConfig();
  for (const CardFinding& f : CheckCardConfig(good)) EXPECT_NE(f.severity, FindingSeverity::kError) << f.where << f.message;
  CardConfig c = good;
  c.watchdog_s = 1;
  EXPECT_TRUE(has(c, "slow-watchdog", FindingSeverity::kWarning));
  c = good;
  c.axes[2].upper = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(has(c, "no-position-limit", FindingSeverity::kWarning));
  c = good;
  c.axes[0].counts_per_unit = 1;
  EXPECT_TRUE(has(c, "coarse-encoder", FindingSeverity::kWarning));
  c = good;
  c.axes[0].quick_deceleration = 1;
  EXPECT_TRUE(has(c, "weaker-quick-stop", FindingSeverity::kError));
  c = good;
  c.axes[1].kp = 0;
  EXPECT_TRUE(has(c, "no-position-loop", FindingSeverity::kNote));
  c = good;
  c.axes.resize(13, c.axes[0]);
  EXPECT_TRUE(has(c, "axis-count", FindingSeverity::kError));
}

// A model alone is enough for a simulated run, and every assumption is said.
TEST(DefaultSimConfig, RunsAndStops) {
  Model model = card_test::ScaraModel();
  model.coordinates[0].limits.velocity = 5;
  model.coordinates[2].limits.lower = -0.2;
  model.coordinates[2].limits.upper = 0.05;
  std::vector<CardFinding> findings;
  const CardConfig c = DefaultSimConfig(model, Prepare(model), &findings);
  EXPECT_EQ(findings.size(), 11u) << "twelve limits, one given";
  for (const CardFinding& f : CheckCardConfig(c)) EXPECT_NE(f.severity, FindingSeverity::kError) << f.where << " " << f.message;
  EXPECT_EQ(c.axes[0].velocity, 5);
  EXPECT_EQ(c.axes[2].lower, -0.2);
  for (const bool stop : {false, true}) {
    card_test::BridgeRig rig(c);
    const PathTable table = rig.Table(card_test::PickAndPlace(rig.model, 1.7));
    rig.Enable();
    PathSource source(table, rig.config);
    card_test::Rig::Ok(rig.bridge.Start(&source));
    const Recording r = rig.Run([&](std::uint64_t k) {
      if (stop && k == 900) rig.bridge.Stop(StopKind::kQuick);
    });
    EXPECT_EQ(r.outcome, stop ? "stopped" : "done") << ToString(r.cause);
  }
}

}  // namespace
}  // namespace torqued
