// torquectl traj and size: files in and out, other people's files, plots, drive sizing by closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace torqued {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kArm[] = R"(<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="slide"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="20" velocity="4"/></joint>
  <joint name="reach" type="prismatic"><parent link="rod"/><child link="slide"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="30" velocity="2"/></joint>
</robot>
)";

std::string Path(const std::string& name) { return ::testing::TempDir() + "/planning_files_test_" + name; }
std::string Write(const std::string& name, const std::string& text) {
  std::ofstream(Path(name)) << text;
  return Path(name);
}
std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
Finished Ask(const std::string& command) { return Torquectl(SplitCommand(command)); }
Finished Local(const std::string& command) { return Ask(command + " --local --robots deploy/robots"); }

class TrajFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    robot_ = Write("arm.urdf", kArm);
    const Finished done = Local("plan ptp " + robot_ + " --from 0,0.1 --to 1.2,0.7 --out " + Path("move.csv"));
    ASSERT_EQ(done.exit, 0) << done.err;
  }
  std::string robot_;
};

TEST_F(TrajFiles, APlanIsFoundInsideItsLimits) {
  const Finished check = Local("traj check " + robot_ + " " + Path("move.csv") + " --json");
  EXPECT_EQ(check.exit, 0) << check.err;
  const json answer = json::parse(check.out);
  EXPECT_LE(answer["worst_torque_ratio"].get<double>(), 1.001);
  EXPECT_GT(answer["worst_torque_ratio"].get<double>(), 0.9);
  EXPECT_TRUE(answer["violations"].empty());
  // With a load that was not planned for it is too fast.
  const Finished loaded = Local("traj check " + robot_ + " " + Path("move.csv") + " --payload slide:mass=5");
  EXPECT_EQ(loaded.exit, 2);
  EXPECT_THAT(loaded.out, HasSubstr("limit passed: joint turn: torque"));
  // Half of the speed is a limit like any other.
  EXPECT_EQ(Local("traj check " + robot_ + " " + Path("move.csv") + " --speed 10%").exit, 2);
  // A file that the reader of --states takes too: the same torques.
  const Finished id = Local("id " + robot_ + " --states " + Path("move.csv") + " --csv");
  EXPECT_EQ(id.exit, 0) << id.err;
}

TEST_F(TrajFiles, ThereAndBackAgain) {
  EXPECT_EQ(Ask("traj convert " + Path("move.csv") + " --out " + Path("move.json")).exit, 0);
  EXPECT_EQ(Ask("traj convert " + Path("move.json") + " --linear reach --out " + Path("again.csv")).exit, 0);
  EXPECT_EQ(Ask("traj convert " + Path("again.csv") + " --json").out, Read(Path("move.json")));  // JSON's times end at the nanosecond
  EXPECT_EQ(Ask("traj convert " + Path("move.json") + " --linear reach").out, Read(Path("again.csv")));
  const json file = json::parse(Read(Path("move.json")));
  EXPECT_EQ(file["joint_names"], json({"turn", "reach"}));
  EXPECT_EQ(file["points"][1]["time_from_start"]["nanosec"], 1000000);
  EXPECT_EQ(file["points"][0]["effort"].size(), 2u);
  const Finished plan = Local("plan ptp " + robot_ + " --from 0,0.1 --to 1.2,0.7 --json");
  const std::string whole = Write("whole.json", plan.out);  // a whole answer is a trajectory file as well
  EXPECT_EQ(Ask("traj convert " + whole + " --json").out, Read(Path("move.json")));
}

TEST_F(TrajFiles, AnotherCycle) {
  const Finished sampled = Ask("traj sample " + Path("move.csv") + " --cycle 4ms");
  EXPECT_EQ(sampled.exit, 0) << sampled.err;
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(sampled.out), (lines(Read(Path("move.csv"))) - 2 + 3) / 4 + 2);  // header, start, whole cycles rounded up
}

TEST_F(TrajFiles, OtherPeoplesFiles) {
  // As `ros2 topic echo` prints a JointTrajectory: joints in another order, no accelerations.
  const std::string echoed = Write("echo.yaml",
                                   "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\njoint_names:\n- reach\n- turn\npoints:\n"
                                   "- positions: [0.1, 0.0]\n  velocities: [0.0, 0.0]\n  accelerations: []\n  effort: []\n"
                                   "  time_from_start: {sec: 0, nanosec: 0}\n"
                                   "- positions:\n  - 0.2\n  - 0.5\n  velocities:\n  - 0.0\n  - 0.0\n  accelerations: []\n  effort: []\n"
                                   "  time_from_start:\n    sec: 1\n    nanosec: 500000000\n---\n");
  const Finished check = Local("traj check " + robot_ + " " + echoed + " --json");
  ASSERT_EQ(check.exit, 0) << check.err;
  const json answer = json::parse(check.out);
  EXPECT_DOUBLE_EQ(answer["duration"].get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(answer["joints"][0]["highest"].get<double>(), 0.5);  // turn, wherever it stood
  EXPECT_DOUBLE_EQ(answer["joints"][1]["highest"].get<double>(), 0.2);
  EXPECT_EQ(Local("traj time " + robot_ + " " + echoed).exit, 0);
}

TEST_F(TrajFiles, TimedAnewItIsFaster) {
  std::ostringstream slow;
  slow << "time[s],turn.q[rad],reach.q[m]\n";
  for (int k = 0; k <= 40; ++k) slow << 0.1 * k << "," << 0.03 * k << "," << 0.1 + 0.01 * k << "\n";
  const std::string file = Write("slow.csv", slow.str());
  const Finished timed = Local("traj time " + robot_ + " " + file + " --json --waypoints 20");
  ASSERT_EQ(timed.exit, 0) << timed.err;
  const json answer = json::parse(timed.out);
  EXPECT_LT(answer["duration"].get<double>(), 2);
  EXPECT_LE(answer["worst_torque_ratio"].get<double>(), 1.001);
  double share = 0;
  for (const json& b : answer["binding"]) share += b["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-6);  // something always limits a time-optimal motion
}

TEST_F(TrajFiles, ExplainedTorquesAddUp) {
  const Finished done = Local("traj explain " + robot_ + " " + Path("move.csv") + " --at 100ms --json");
  ASSERT_EQ(done.exit, 0) << done.err;
  const json answer = json::parse(done.out);
  for (const json& j : answer["joints"]) {
    double sum = 0;
    for (const char* part : {"from_acceleration", "from_speed", "gravity", "friction"}) sum += j[part].get<double>();
    EXPECT_NEAR(sum, j["torque"].get<double>(), 1e-9);
  }
  // d/dt(I w): with the slide at r, I = 0.2 + 2 (0.5)^2 + 0.01 + r^2, and 2 r r' w from the speed.
  const json& turn = answer["joints"][0];
  const double r = answer["joints"][1]["position"], rd = answer["joints"][1]["velocity"];
  EXPECT_NEAR(turn["from_acceleration"].get<double>(), (0.2 + 0.5 + 0.01 + r * r) * turn["acceleration"].get<double>(), 1e-6);
  EXPECT_NEAR(turn["from_speed"].get<double>(), 2 * r * rd * turn["velocity"].get<double>(), 1e-6);
  EXPECT_GT(answer["nearest_share"].get<double>(), 0.9);  // as fast as possible: something is near its limit at any time
  const Finished plan = Local("plan ptp " + robot_ + " --from 0,0.1 --to 1.2,0.7 --explain 0.1");
  EXPECT_THAT(plan.out, HasSubstr("bound by: "));
}

// Well-formed, self-contained, with a curve per joint.
void ExpectSvg(const std::string& text, const std::vector<std::string>& words) {
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(text.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
  EXPECT_STREQ(document.RootElement()->Name(), "svg");
  for (const std::string& word : words) EXPECT_THAT(text, HasSubstr(word));
  for (const char* never : {"nan", "inf\"", "<script", "href", "url("}) EXPECT_EQ(text.find(never), std::string::npos) << never;
  EXPECT_LT(text.size(), 100000u);
}

TEST_F(TrajFiles, Plots) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> kinds = {
      {"torque", {"turn", "reach", "torque [Nm, N]"}}, {"phase", {"path speed", "limit curve"}}, {"speed", {"part of the limit"}},
      {"power", {"power [W]", "sum"}}, {"hand", {"from above", "from the side"}}};
  for (const auto& [kind, words] : kinds) {
    const Finished file = Local("traj plot " + robot_ + " " + Path("move.csv") + " --kind " + kind + " --out " + Path(kind + ".svg"));
    EXPECT_EQ(file.exit, 0) << kind << file.err;
    ExpectSvg(Read(Path(kind + ".svg")), words);
    const Finished plan = Local("plan ptp " + robot_ + " --from 0,0.1 --to 1.2,0.7 --plot " + kind + "=" + Path("own.svg"));
    EXPECT_EQ(plan.exit, 0) << kind << plan.err;
    ExpectSvg(Read(Path("own.svg")), words);
  }
  EXPECT_EQ(Local("traj plot " + robot_ + " " + Path("move.csv") + " --out " + Path("all.html")).exit, 0);
  const std::string page = Read(Path("all.html"));
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
  size_t pictures = 0;
  for (size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, kinds.size());
}

TEST_F(TrajFiles, WhatIsWrongIsSaid) {
  const std::string head = "time[s],turn.q[rad],reach.q[m]\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"traj check " + robot_ + " /nonexistent.csv", "/nonexistent.csv: cannot be read"},
      {"traj check " + robot_ + " " + Write("empty.csv", ""), "empty, want a trajectory"},
      {"traj check " + robot_ + " " + Write("a.csv", head + "0,0,0.1\n1,x,0.2\n"), "line 3, column 2: 'x', want a number"},
      {"traj check " + robot_ + " " + Write("b.csv", head + "0,0,0.1\n0,1,0.2\n"), "want more than its predecessor's 0 s"},
      {"traj check " + robot_ + " " + Write("c.csv", head + "0,0\n"), "line 2: 2 values, want 3"},
      {"traj check " + robot_ + " " + Write("d.csv", "time[s],turn.q[rad],reech.q[m]\n0,0,0\n"), "joint_names: reech unknown; reach missing; the robot's joints are turn, reach"},
      {"traj check " + robot_ + " " + Write("e.json", "{\"joint_names\": [\"turn\", \"reach\"], \"points\": [{\"positions\": [1], \"time_from_start\": 0}]}"),
       "points[0].positions: want 2 numbers"},
      {"traj check " + robot_ + " " + Write("f.json", "{\"joint_names\": "), "JSON: not well formed"},
      {"traj check " + robot_ + " " + Write("g.yaml", "joint_names: [turn\npoints: 3\n"), "YAML: "},
      {"traj sample " + Path("move.csv"), "--cycle is required"},
      {"traj sample " + Path("move.csv") + " --cycle -1ms", "--cycle"},
      {"traj sample " + Path("move.csv") + " --cycle 1ms --linear lift", "no joint 'lift'"},
      {"traj convert " + Path("move.csv") + " --out x.yaml", "--out: x.yaml, want a name that ends in .csv or .json"},
      {"traj explain " + robot_ + " " + Path("move.csv") + " --at 100", "--at: 100, want 0 to "},
      {"traj plot " + robot_ + " " + Path("move.csv") + " --out x.svg", "all: x.svg, want a name that ends in .html"},
      {"traj plot " + robot_ + " " + Path("move.csv") + " --kind torque --out x.pdf", "x.pdf, want a name that ends in .svg or .html"},
      {"size " + robot_ + " " + Path("move.csv"), "describes no drives; want --drives FILE.yaml"}};
  for (const auto& [command, words] : cases) {
    const Finished done = Local(command);
    EXPECT_EQ(done.exit, 5) << command << "\n" << done.out << done.err;
    EXPECT_THAT(done.err, HasSubstr(words)) << command;
  }
}

// A turntable, J = 0.5, accelerated by a trapezoid: a for 0.5 s, constant for 0.5 s, -a for 0.5 s (a = 2 rad/s^2, d = 1 rad).
class SizeByClosedForm : public ::testing::Test {
 protected:
  void SetUp() override {
    robot_ = Write("table.urdf",
                   "<robot name=\"table\"><link name=\"base\"/><link name=\"plate\"><inertial><mass value=\"10\"/><inertia ixx=\"0.3\" ixy=\"0\" "
                   "ixz=\"0\" iyy=\"0.3\" iyz=\"0\" izz=\"0.5\"/></inertial></link><joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/>"
                   "<child link=\"plate\"/><axis xyz=\"0 0 1\"/><limit lower=\"-3\" upper=\"3\" effort=\"50\" velocity=\"1\"/></joint></robot>");
    ASSERT_EQ(Local("plan ptp " + robot_ + " --from 0 --to 1 --limit acceleration=2 --kind trapezoid --out " + Path("cycle.csv")).exit, 0);
  }
  json Size(const std::string& drives, int exit, const std::string& more = "") {
    const Finished done = Local("size " + robot_ + " " + Path("cycle.csv") + " --drives " + Write("drives.yaml", drives) + " --json" + more);
    EXPECT_EQ(done.exit, exit) << done.err;
    const json answer = json::parse(done.out, nullptr, false);
    return answer.is_discarded() ? json::object() : answer["drives"][0];
  }
  std::string robot_;
};

TEST_F(SizeByClosedForm, AServoBehindAGear) {
  const double i = 50, e = 0.8, Jm = 2e-5, J = 0.5, a = 2;
  const json d = Size("drives:\n- {name: axis, gear_ratio: 50, efficiency: 0.8, motor: {inertia_kg_m2: 2.0e-5, continuous_torque_Nm: 0.05, curve: [[0, 0.2], [100, 0.1]]}}\n", 0);
  const double up = J * a / (i * e) + Jm * i * a, down = J * a * e / i + Jm * i * a;
  EXPECT_NEAR(d["peak_torque"].get<double>(), up, 1e-9);
  EXPECT_NEAR(d["peak_speed"].get<double>(), i * 1, 1e-6);
  EXPECT_NEAR(d["rms_torque"].get<double>(), std::sqrt((0.5 * up * up + 0.5 * down * down) / 1.5), 2e-3 * up);
  EXPECT_NEAR(d["inertia_ratio"].get<double>(), J / (i * i) / Jm, 1e-6);
  EXPECT_NEAR(d["speed_margin"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(d["curve_margin"].get<double>(), 1 - up / 0.15, 5e-3);  // at 50 rad/s the curve gives 0.15 Nm
  // Standing still afterwards halves the mean square.
  const json rested = Size("drives:\n- {name: axis, gear_ratio: 50, efficiency: 0.8, motor: {inertia_kg_m2: 2.0e-5, continuous_torque_Nm: 0.05, curve: [[0, 0.2], [100, 0.1]]}}\n", 0,
                           " --rest 1.5s");
  EXPECT_NEAR(rested["rms_torque"].get<double>(), d["rms_torque"].get<double>() / std::sqrt(2), 1e-6);
}

TEST_F(SizeByClosedForm, WhatIsNotSufficientIsSaid) {
  const json weak = Size("drives:\n- {name: axis, gear_ratio: 50, motor: {inertia_kg_m2: 1.0e-5, continuous_torque_Nm: 0.01, curve: [[0, 0.015], [40, 0.015]]}}\n", 2);
  EXPECT_FALSE(weak["sufficient"].get<bool>());
  EXPECT_EQ(weak["findings"].size(), 4u) << weak["findings"];  // curve, RMS, speed, inertia ratio
}

TEST_F(SizeByClosedForm, AStepperFromAFileBehindABelt) {
  Write("pullout.csv", "speed[rpm],torque[Nm]\n0,2\n1200,1\n");
  const json d = Size("drives:\n- {name: axis, pulley_radius_m: 0.05, motor: {kind: stepper, reserve: 0.5, inertia_kg_m2: 1.0e-4, curve_file: planning_files_test_pullout.csv}}\n", 0);
  const double i = 1 / 0.05, torque = 0.5 * 2 / i + 1e-4 * i * 2;
  EXPECT_NEAR(d["peak_torque"].get<double>(), torque, 1e-9);
  const double at_20 = 2 - 20 * 60 / (2 * M_PI) / 1200;
  EXPECT_NEAR(d["curve_margin"].get<double>(), 1 - torque / (0.5 * at_20), 5e-3);
}

TEST_F(SizeByClosedForm, WrongDrivesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"motors: []", "want a list 'drives:'"},
      {"drives: []", "drives: 0, want 1: turn"},
      {"drives: [{gear_ratio: 50}]", "no motor, want motor: {curve: ...}"},
      {"drives: [{gear_ratio: x, motor: {curve: [[0, 1]]}}]", "gear_ratio: 'x' is not a number"},
      {"drives: [{gear_ratio: 5, lead_m: 1, motor: {curve: [[0, 1]]}}]", "more than one of gear_ratio, lead_m"},
      {"drives: [{gear_rato: 5, motor: {curve: [[0, 1]]}}]", "unknown key 'gear_rato'"},
      {"drives: [{efficiency: 1.2, motor: {curve: [[0, 1]]}}]", "efficiency: 1.2, want above 0, at most 1"},
      {"drives: [{motor: {curve: [[0, 1], [0, 2]]}}]", "want speeds ascending"},
      {"drives: [{motor: {curve: [[0, 1, 2]]}}]", "point 1, want [speed in rad/s, torque in Nm]"},
      {"drives: [{motor: {kind: hydraulic, curve: [[0, 1]]}}]", "kind 'hydraulic', want servo or stepper"},
      {"drives: [{motor: {curve_file: none.csv}}]", "none.csv"},
      {"drives: [{motor: {curve: [[0, 1]]}}]\nactuator_matrix: [[1, 0]]", "row 1: 2 values, want 1"},
      {"drives: [{motor: {curve: [[0, 1]]}}]\nactuator_matrix: [[0]]", "actuator_matrix: singular"},
      {"drives: [{motor: {curve: [[0, 1]]}}]\nscrew_spline: {lift: d3, turn: turn, lead_m: 0.02}", "lift: 'd3', want one of turn"}};
  for (const auto& [text, words] : cases) {
    const Finished done = Local("size " + robot_ + " " + Path("cycle.csv") + " --drives " + Write("wrong.yaml", text));
    EXPECT_EQ(done.exit, 5) << text << "\n" << done.out << done.err;
    EXPECT_THAT(done.err, HasSubstr(words)) << text;
  }
}

// The wrist of the SCARA: lead 20 mm, nut and spline. Turning alone moves both motors, lifting alone only the nut's.
TEST(SizeScara, NutAndSplineShareTheWrist) {
  const auto drives = [](const std::string& move, const std::string& more) {
    EXPECT_EQ(Local("plan ptp scara " + move + " --out " + Path("wrist.csv")).exit, 0);
    const Finished done = Local("size scara " + Path("wrist.csv") + " --json" + more);
    const json answer = json::parse(done.out, nullptr, false);
    EXPECT_FALSE(answer.is_discarded()) << done.err;
    return answer.is_discarded() ? json::array() : answer["drives"];
  };
  const json check = json::parse(Local("plan ptp scara --from 0,0,0.1,0 --to 0,0,0.1,3 --json").out);
  const double turn = check["joints"][3]["peak_velocity"];
  const json turning = drives("--from 0,0,0.1,0 --to 0,0,0.1,3", "");
  EXPECT_EQ(turning[2]["name"], "nut_motor");
  EXPECT_NEAR(turning[2]["peak_speed"].get<double>(), turn, 1e-6 * turn);
  EXPECT_NEAR(turning[3]["peak_speed"].get<double>(), 5 * turn, 1e-6 * turn);
  const json lift = json::parse(Local("plan ptp scara --from 0,0,0.15,0 --to 0,0,0.05,0 --json").out);
  const json lifting = drives("--from 0,0,0.15,0 --to 0,0,0.05,0", "");
  EXPECT_NEAR(lifting[2]["peak_speed"].get<double>(), 2 * M_PI / 0.02 * lift["joints"][2]["peak_velocity"].get<double>(), 1e-3);
  EXPECT_NEAR(lifting[3]["peak_speed"].get<double>(), 0, 1e-9);
  // The same wrist said in words instead of a matrix.
  std::string text = Read("deploy/robots/scara.yaml");
  const size_t from = text.find("actuator_matrix:"), to = text.find("drives:");
  text.replace(from, to - from, "screw_spline: {lift: d3, turn: theta4, lead_m: 0.02}\n");
  const json worded = drives("--from 0,0,0.15,0 --to 0,0,0.05,1", " --drives " + Write("worded.yaml", text));
  const json matrix = drives("--from 0,0,0.15,0 --to 0,0,0.05,1", "");
  ASSERT_EQ(worded.size(), 4u);
  for (int d = 0; d < 4; ++d) EXPECT_NEAR(worded[d]["peak_torque"].get<double>(), matrix[d]["peak_torque"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace torqued
