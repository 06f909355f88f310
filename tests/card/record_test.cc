// Recordings, reports, plots and jogging: what is kept of a motion, and a person at the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tinyxml2.h>

#include <clocale>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/card/jog.h"
#include "client/card/plot.h"
#include "tests/card/bridge_rig.h"

namespace torqued::card_test {
namespace {

Recording OneMotion() {
  BridgeRig rig;
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  return RunMotion(rig.card.get(), rig.config, &rig.bridge, &rig.recorder, {});
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

TEST(Recording, SurvivesItsFiles) {
  const Recording r = OneMotion();
  EXPECT_EQ(r.outcome, "done");
  ASSERT_GT(r.cycles.size(), 2000u);
  for (const char* ending : {".bin", ".json"}) {
    SCOPED_TRACE(ending);
    const std::string path = testing::TempDir() + "card-run" + ending;
    ASSERT_TRUE(WriteRecording(r, path).ok());
    const auto back = ReadRecording(path);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->joints, r.joints);
    EXPECT_EQ(back->outcome, "done");
    EXPECT_EQ(back->planned, r.planned);
    ASSERT_EQ(back->cycles.size(), r.cycles.size());
    for (std::size_t k = 0; k < r.cycles.size(); ++k) {
      ASSERT_EQ(back->cycles[k].feedback.q, r.cycles[k].feedback.q) << "bit-equal, text too";
      ASSERT_EQ(back->cycles[k].feedback.tau_command, r.cycles[k].feedback.tau_command);
      ASSERT_EQ(back->cycles[k].feedback.cycle, r.cycles[k].feedback.cycle);
      ASSERT_EQ(back->cycles[k].path_s, r.cycles[k].path_s);
    }
    EXPECT_EQ(ReportText(*back, nullptr), ReportText(r, nullptr));
  }
}

TEST(Recording, ATornBinaryFileGivesWhatIsWhole) {
  const Recording r = OneMotion();
  const std::string path = testing::TempDir() + "card-torn.bin";
  ASSERT_TRUE(WriteRecording(r, path).ok());
  const std::string bytes = Slurp(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes.substr(0, bytes.size() - 100);
  const auto back = ReadRecording(path);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->cycles.size(), r.cycles.size() - 1);
  EXPECT_EQ(back->lost, r.lost + 1);
}

TEST(Recording, WrongFilesAreRefused) {
  EXPECT_EQ(ReadRecording("/nonexistent/run.bin").status().code(), absl::StatusCode::kNotFound);
  const std::string path = testing::TempDir() + "card-wrong.json";
  for (const char* text : {"", "{", "{}", "[]", R"({"format":"torqued-card-recording","version":99})", R"({"format":"torqued-card-recording","version":1})"}) {
    std::ofstream(path, std::ios::trunc) << text;
    EXPECT_EQ(ReadRecording(path).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(WriteRecording({}, testing::TempDir() + "run.xls").code(), absl::StatusCode::kInvalidArgument);
}

TEST(Recording, CsvHasUnitsAndPointsInEveryLocale) {
  const Recording r = OneMotion();
  const char* old = std::setlocale(LC_ALL, "de_DE.UTF-8");
  const std::string path = testing::TempDir() + "card-run.csv";
  ASSERT_TRUE(WriteRecording(r, path).ok());
  if (old) std::setlocale(LC_ALL, "C");
  std::ifstream in(path);
  std::string header, line;
  std::getline(in, header);
  EXPECT_THAT(header, testing::HasSubstr("j1.q_command[rad]"));
  EXPECT_THAT(header, testing::HasSubstr("z.tau[N]"));
  std::size_t rows = 0;
  const auto commas = std::count(header.begin(), header.end(), ',');
  while (std::getline(in, line)) {
    ++rows;
    ASSERT_EQ(std::count(line.begin(), line.end(), ','), commas);
  }
  EXPECT_EQ(rows, r.cycles.size());
}

TEST(Recording, BecomesATrajectoryThatRunsAgain) {
  const Recording r = OneMotion();
  const auto t = ToTrajectory(r);
  ASSERT_TRUE(t.ok()) << t.status();
  ASSERT_TRUE(CheckShape(*t).ok());
  BridgeRig rig;
  const PathTable table = rig.Table(*t, false);
  rig.Enable();
  PathSource source(table, rig.config);
  Rig::Ok(rig.bridge.Start(&source));
  const Recording again = rig.Run();
  EXPECT_EQ(again.outcome, "done") << ToString(again.cause);
  const auto a = Executed(r), b = Executed(again);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    for (int i = 0; i < 4; ++i) ASSERT_NEAR(a[k].q[i], b[k].q[i], 1e-9) << k;
  Recording holes = r;
  holes.cycles.erase(holes.cycles.begin() + 500);
  EXPECT_EQ(ToTrajectory(holes).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ToTrajectory({}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Report, SaysWhatHappened) {
  const Recording r = OneMotion();
  const CardConfig config = ScaraConfig();
  const std::string text = ReportText(r, &config);
  EXPECT_THAT(text, testing::HasSubstr("outcome      done"));
  EXPECT_THAT(text, testing::HasSubstr("2001 executed of 2001 planned"));
  const auto j = nlohmann::json::parse(ReportJson(r, &config));
  EXPECT_EQ(j["executed"], 2001);
  EXPECT_EQ(j["held_cycles"], 0);
  EXPECT_EQ(j["joints"].size(), 4u);
  double peak = 0;
  for (const CycleRecord& c : r.cycles) peak = std::max(peak, std::abs(c.feedback.q_command[1] - c.feedback.q[1]));
  EXPECT_EQ(j["joints"][1]["peak_following_error"], peak);
  EXPECT_EQ(j["joints"][1]["torque_limit"], 80);
}

TEST(Lateness, PercentilesOfAKnownSample) {
  Lateness l;
  for (int k = 1; k <= 1000; ++k) l.Add(1000 * k);
  EXPECT_EQ(l.worst_ns(), 1000000);
  EXPECT_NEAR(l.PercentileNs(0.5), 500e3, 0.1 * 500e3);
  EXPECT_NEAR(l.PercentileNs(0.99), 990e3, 0.1 * 990e3);
  EXPECT_NEAR(l.OnTimeShare(250000), 0.25, 0.03);
  EXPECT_EQ(Lateness().OnTimeShare(1), 1);
}

TEST(Plot, IsWellFormedAndKeepsThePeak) {
  const Recording r = OneMotion();
  Recording other = OneMotion();
  other.cycles[1000].feedback.q[0] += 0.5;  // one cycle's spike
  const CardConfig config = ScaraConfig();
  PlotOptions options;
  options.compare = &other;
  options.compare_label = "a < b & c";
  const std::string svg = PlotSvg(r, &config, options);
  tinyxml2::XMLDocument doc;
  ASSERT_EQ(doc.Parse(svg.c_str()), tinyxml2::XML_SUCCESS) << doc.ErrorStr();
  EXPECT_THAT(svg, testing::HasSubstr("j1: following error"));
  EXPECT_THAT(svg, testing::HasSubstr("-0.4")) << "the axis reaches to the spike";
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("nan")));
  EXPECT_LT(svg.size(), 500000u) << "thinned to the picture's resolution";
  EXPECT_EQ(svg.find("http://www.w3.org/2000/svg"), svg.rfind("http")) << "nothing is fetched from elsewhere";
  EXPECT_FALSE(PlotSvg({}, nullptr).empty());
}

TEST(Jog, MovesWhileHeldAndBrakesBeforeTheLimit) {
  BridgeOptions coarse;
  for (double& x : coarse.goal_tolerance) x = 0.01;  // without feed-forward dry friction keeps an axis off by a milliradian
  BridgeRig rig(ScaraConfig(), {}, coarse);
  rig.Enable();
  JogOptions options;
  options.hold_torque = HoldTorque(rig.model, {});
  JogSource jog(rig.config, options);
  Rig::Ok(rig.bridge.Start(&jog));
  AxisArray speed{};
  speed[0] = 0.6;
  speed[2] = 100;  // clamped to a quarter of the limit
  const Recording r = rig.Run([&](std::uint64_t k) {
    if (k > 200 && k < 1500 && k % 100 == 0) jog.Hold(speed);
    if (k == 2500) rig.bridge.Stop(StopKind::kOnPath);
  });
  EXPECT_EQ(r.outcome, "stopped-on-path") << ToString(r.cause);
  double fastest_z = 0, highest_z = -1;
  std::uint64_t last_motion = 0;
  for (const CycleRecord& c : r.cycles) {
    fastest_z = std::max(fastest_z, c.feedback.v_command[2]);
    highest_z = std::max(highest_z, c.feedback.q_command[2]);
    if (c.feedback.v_command[0] != 0) last_motion = c.feedback.sequence;
  }
  EXPECT_NEAR(fastest_z, 0.3, 0.05);
  EXPECT_LE(highest_z, 0.05) << "its upper limit";
  EXPECT_GT(highest_z, 0.049);
  EXPECT_GT(r.cycles.back().feedback.q_command[0], 0.5);
  EXPECT_LT(last_motion, 1900u) << "let go: hold-to-run time and the ramp";
}

}  // namespace
}  // namespace torqued::card_test
