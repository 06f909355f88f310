// torquectl plan and size: right durations by closed forms and published numbers, the same with a server and without, exit codes, and
// what is said when something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace torqued {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Two rods of 1 m and 1 kg in a vertical plane: m = l = 1, lc = 1/2, I = 1/12; angles count up from the horizontal.
constexpr char kTwoRods[] = R"(<robot name="rods">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.0833333333333333333" ixy="0" ixz="0" iyy="0.0833333333333333333" iyz="0" izz="0.0833333333333333333"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.0833333333333333333" ixy="0" ixz="0" iyy="0.0833333333333333333" iyz="0" izz="0.0833333333333333333"/></inertial></link>
  <link name="tip"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/>
    <limit lower="-3.1" upper="3.1" effort="35" velocity="100"/>FRICTION</joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/>
    <limit lower="-3.1" upper="3.1" effort="12" velocity="100"/>FRICTION</joint>
  <joint name="end" type="fixed"><parent link="fore"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>
)";

// A turntable about the vertical: J = 0.5 kg m^2, no gravity torque.
constexpr char kTable[] = R"(<robot name="table">
  <link name="base"/>
  <link name="plate"><inertial><mass value="10"/><inertia ixx="0.3" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.5"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="EFFORT" velocity="1"/></joint>
</robot>
)";

std::string With(std::string text, const std::string& word, const std::string& by) {
  for (size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), by);
  return text;
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/planning_test_" + name;
  std::ofstream(path) << text;
  return path;
}

Finished Local(const std::string& command) { return Torquectl(SplitCommand(command + " --local --robots deploy/robots")); }

json Answer(const std::string& command) {
  const Finished done = Local(command + " --json");
  EXPECT_EQ(done.exit, 0) << command << "\n" << done.err;
  const json answer = json::parse(done.out, nullptr, false);
  EXPECT_FALSE(answer.is_discarded()) << done.out;
  return answer.is_discarded() ? json::object() : answer;
}

// Durations of a two-link arm as fast as the motors allow, solved by independent programs (time-optimal with dry and viscous friction).
TEST(CliPlan, DurationsOfTheTwoLinkArm) {
  const struct { const char* friction; double seconds; } cases[] = {
      {"", 0.7358280221},
      {"<dynamics friction=\"0.5\" damping=\"0\"/>", 0.7401995770},
      {"<dynamics friction=\"0.5\" damping=\"0.4\"/>", 0.7488226982},
      {"<dynamics friction=\"0.5\" damping=\"4\"/>", 0.8575099614}};
  for (const auto& c : cases) {
    const std::string robot = Write("rods.urdf", With(kTwoRods, "FRICTION", c.friction));
    const json plan = Answer("plan ptp " + robot + " --from -90,0 --to 45,-60 --deg --cycle 100us");
    EXPECT_NEAR(plan["duration"].get<double>(), c.seconds, 0.002 * c.seconds) << c.friction;
    EXPECT_LE(plan["worst_torque_ratio"].get<double>(), 1.001);
    EXPECT_GE(plan["worst_torque_ratio"].get<double>(), 0.99);
  }
  const std::string robot = Write("rods.urdf", With(kTwoRods, "FRICTION", ""));
  // The straight line of the hand from (1.2, -0.6) to (0.3, 1.2), elbow negative: the start by plane geometry.
  const double r2 = 1.2 * 1.2 + 0.6 * 0.6, q2 = -std::acos((r2 - 2) / 2);
  const double q1 = std::atan2(-0.6, 1.2) - std::atan2(std::sin(q2), 1 + std::cos(q2));
  std::ostringstream from;
  from.precision(17);
  from << q1 << "," << q2;
  const json line = Answer("plan line " + robot + " --from " + from.str() + " --to-xyz 0.3,0,1.2 --rows x,z --cycle 100us");
  EXPECT_NEAR(line["duration"].get<double>(), 0.5949607899, 0.002 * 0.595);
  EXPECT_LT(line["path_residual"].get<double>(), 1e-5);
}

TEST(CliPlan, ProfilesByClosedForms) {
  const std::string table = Write("table.urdf", With(kTable, "EFFORT", "50"));
  const std::string ask = "plan ptp " + table + " --from 0 --to 1 --limit turn:acceleration=2,jerk=10 ";
  EXPECT_NEAR(Answer(ask + "--kind trapezoid")["duration"].get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(Answer(ask + "--kind s-curve")["duration"].get<double>(), 1.7, 1e-9);
  EXPECT_NEAR(Answer(ask + "--kind trapezoid --speed 50%")["duration"].get<double>(), 2.25, 1e-9);  // d/v + v/a
  EXPECT_NEAR(Answer(ask + "--kind quintic --duration 3s")["duration"].get<double>(), 3, 1e-9);
  // Bang-bang by torque alone: T = 2 sqrt(d J / tau).
  const std::string weak = Write("weak.urdf", With(kTable, "EFFORT", "1"));
  EXPECT_NEAR(Answer("plan ptp " + weak + " --from 0 --to 0.2 --cycle 100us")["duration"].get<double>(), 2 * std::sqrt(0.2 * 0.5), 3e-4);
  const json loaded = Answer("plan ptp " + weak + " --from 0 --to 0.2 --cycle 100us --payload plate:mass=2,com=0.5,0,0");
  EXPECT_NEAR(loaded["duration"].get<double>(), 2 * std::sqrt(0.2 * 1.0), 3e-4);  // J = 0.5 + 2 (0.5)^2
}

TEST(CliPlan, ServerAndProcessAgree) {
  TestServer server;
  const std::vector<std::string> commands = {
      "plan ptp ur5e --from 0,-1.5,1.2,-1.2,-1.5,0 --to 0.8,-1.1,1.5,-1.8,-1.2,0.5 --payload tool0:mass=3,com=0,0,0.05 --json",
      "plan line ur5e --from 0,-1.5,1.2,-1.2,-1.5,0 --by 0.1,0.2,0.05 --json",
      "plan arc ur5e --from 0,-1.57,1.57,-1.57,-1.57,0 --via -0.45,0.05,0.45 --to-xyz -0.35,0.2,0.45 --json",
      "plan gate scara --from 40,-80,0.12,0 --to -30,60,0.12,90 --deg --payload tool0:mass=1 --json",
      "plan path scara --via 0,0,0.05,0 --via 0.5,0.3,0.1,1 --via 1,-0.5,0.02,2 --kind polyline --blend 0.1 --json"};
  for (const std::string& command : commands) {
    const Finished remote = server.Ask(SplitCommand(command)), local = Local(command);
    ASSERT_EQ(remote.exit, 0) << command << "\n" << remote.err;
    ASSERT_EQ(local.exit, 0) << command << "\n" << local.err;
    const json a = json::parse(remote.out), b = json::parse(local.out);
    EXPECT_NEAR(a["duration"].get<double>(), b["duration"].get<double>(), 1e-9) << command;
    EXPECT_EQ(a["trajectory"]["points"].size(), b["trajectory"]["points"].size());
    EXPECT_LE(a["worst_torque_ratio"].get<double>(), 1.001) << command;
    EXPECT_LT(a["end_error"].get<double>(), 1e-9) << command;
  }
  EXPECT_EQ(server.Stop(SIGKILL), SIGKILL);
  const Finished gone = server.Ask(SplitCommand(commands[0]));
  EXPECT_EQ(gone.exit, 4);
  EXPECT_THAT(gone.err, HasSubstr("no server answers"));
}

TEST(CliPlan, AModelUpdatedMeanwhileIsNoMixture) {
  TestServer server;
  const std::string light = Write("light.urdf", With(kTable, "EFFORT", "1")), strong = Write("strong.urdf", With(kTable, "EFFORT", "2"));
  ASSERT_EQ(server.Ask({"model", "add", light, "--id", "table"}).exit, 0);
  const json before = json::parse(server.Ask(SplitCommand("plan ptp table --from 0 --to 0.2 --json")).out);
  ASSERT_EQ(server.Ask({"model", "update", "table", strong}).exit, 0);
  const json after = json::parse(server.Ask(SplitCommand("plan ptp table --from 0 --to 0.2 --json")).out);
  EXPECT_NE(before["revision"], after["revision"]);
  EXPECT_NEAR(before["duration"].get<double>() / after["duration"].get<double>(), std::sqrt(2), 0.01);
}

TEST(CliPlan, ExitCodes) {
  const std::string rods = Write("rods.urdf", With(kTwoRods, "FRICTION", "")), weak = Write("weak.urdf", With(With(kTwoRods, "FRICTION", ""), "\"35\"", "\"5\""));
  // 3: out of reach, singular, too weak, outside joint limits; with the reason, and as JSON.
  for (const std::string& command : std::vector<std::string>{"plan line " + rods + " --from 0.3,-1 --to-xyz 2.5,0,0 --rows x,z", "plan ptp ur5e --from zero --to-xyz 3,0,0",
                                     "plan ptp " + rods + " --from 0,0 --to 4,0"})
    EXPECT_EQ(Local(command).exit, 3) << command << "\n" << Local(command).err;
  const Finished infeasible = Local("plan ptp " + weak + " --from -1.5,0 --to 1.5,0 --json");
  EXPECT_EQ(infeasible.exit, 3);
  EXPECT_THAT(infeasible.err, HasSubstr("joint j1 is at its torque limit"));
  const json why = json::parse(infeasible.out);
  EXPECT_EQ(why["joint"], "j1");
  EXPECT_GT(why["smallest_factor"].get<double>(), 1);
  // 2: a motion that is checked, not planned, to the limits.
  const Finished hasty = Local("plan ptp " + weak + " --from -1.5,0 --to 1.5,0 --kind quintic --duration 2s --limit acceleration=100");
  EXPECT_EQ(hasty.exit, 2) << hasty.err;
  EXPECT_THAT(hasty.out, HasSubstr("limit passed: joint j1: torque"));
}

TEST(CliPlan, WhatIsWrongIsSaid) {
  const std::string rods = Write("rods.urdf", With(kTwoRods, "FRICTION", ""));
  const std::string ptp = "plan ptp " + rods + " ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {ptp + "--to 1,1", "--from: missing, want 2 values: j1 [rad], j2 [rad]"},
      {ptp + "--from 0,0", "no goal: want one of --to, --to-xyz, --to-pose, --by"},
      {ptp + "--from 0,0 --to 1,1 --by 0,0,1", "more than one goal"},
      {ptp + "--from 0,0 --to 1,1,1", "--to: 3 values, want 2: j1 [rad], j2 [rad]"},
      {ptp + "--from 0,x --to 1,1", "--from: value 2: 'x' is not a number"},
      {ptp + "--from 0,0 --to 1,1 --speed 150%", "--speed: 150%, want a share above 0 and at most 1"},
      {ptp + "--from 0,0 --to 1,1 --speed 0", "--speed: 0, want a share"},
      {ptp + "--from 0,0 --to 1,1 --cycle 0", "--cycle"},
      {ptp + "--from 0,0 --to 1,1 --kind fastest", "'fastest', want time-optimal|s-curve"},
      {ptp + "--from 0,0 --to 1,1 --kind s-curve", "joint j1: the model has no acceleration limit"},
      {ptp + "--from 0,0 --to 1,1 --duration 2s", "--duration: want --kind cubic, quintic or septic"},
      {ptp + "--from 0,0 --to 1,1 --limit j3:torque=5", "no joint 'j3', want one of j1, j2"},
      {ptp + "--from 0,0 --to 1,1 --limit j1:tork=5", "unknown quantity 'tork'"},
      {ptp + "--from 0,0 --to 1,1 --limit j1:torque=-5", "limit torque of joint j1: -5, want more than 0"},
      {ptp + "--from 0,0 --to 1,1 --limit j1", "--limit 'j1': 'j1' has no value"},
      {ptp + "--from 0,0 --to 1,1 --out plan.txt", "--out: plan.txt, want a name that ends in .csv or .json"},
      {ptp + "--from 0,0 --to 1,1 --plot torque", "--plot: 'torque', want KIND=FILE.svg"},
      {ptp + "--from 0,0 --to 1,1 --plot colour=x.svg", "'colour' is no plot, want one of torque, phase"},
      {ptp + "--from 0,0 --to 1,1 --plot torque=x.png", "x.png, want a name that ends in .svg"},
      {ptp + "--from 0,0 --to 1,1 --out /nonexistent/x.csv", "/nonexistent/x.csv: cannot be written"},
      {ptp + "--from 0,0 --to 1,1 --payload mass=x", "--payload mass: 'x' is not a number"},
      {ptp + "--from 0,0 --to 1,1 --payload wrist:mass=1", "wrist"},
      {ptp + "--from 0,0 --to 1,1 --branch up", "--branch: want a goal of the hand"},
      {"plan arc ur5e --from zero --to-xyz 0,0,1", "--via is required"},
      {"plan arc " + rods + " --from 0.3,-1 --via 1,0 --to-xyz 0,0,1", "--via: 2 values, want 3 (X,Y,Z)"},
      {"plan gate scara --from zero --to 1,1,0,0 --lift 10mm --clear 20mm", "--clear: 20mm, want less than --lift 10mm"},
      {"plan gate " + rods + " --from 0,0 --to 1,1", "lift_joint: 0 joints fit"},
      {"plan path " + rods, "no way: want one of --via, --waypoints, --hand"},
      {"plan path " + rods + " --via 0,0", "waypoints: 1, want 2 or more"},
      {"plan path " + rods + " --via 0,0 --via 1", "--via, number 2: 1 values, want 2"},
      {"plan path " + rods + " --via 0,0 --via 1,1 --blend 0.1", "want --kind polyline"},
      {"plan path " + rods + " --waypoints /nonexistent.csv", "/nonexistent.csv"},
      {"plan ptp quadruped --from zero --to zero", "more than one degree of freedom"},
      {"plan ptp ur5 --from zero --to zero", "ur5"},
      {"plan pttp ur5e", "unknown verb 'pttp'; did you mean 'ptp'?"}};
  for (const auto& [command, words] : cases) {
    const Finished done = Local(command);
    EXPECT_EQ(done.exit, 5) << command << "\n" << done.out << done.err;
    EXPECT_THAT(done.err, HasSubstr(words)) << command;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << command << "\n" << done.err;
  }
}

TEST(CliPlan, WhatIsMissingIsSaid) {
  const Finished done = Local("plan ptp ur5e --from zero --to 0,-0.5,0.5,0,0,0");
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("note: acceleration: the model has no limit for shoulder_pan_joint"));
  EXPECT_THAT(done.out, HasSubstr("what limits the motion"));
  const Finished csv = Local("plan ptp ur5e --from zero --to 0,-0.5,0.5,0,0,0 --csv");
  EXPECT_EQ(csv.out.rfind("time[s],shoulder_pan_joint.q[rad]", 0), 0u);
  EXPECT_THAT(csv.err, HasSubstr("note: acceleration"));
}

}  // namespace
}  // namespace torqued
