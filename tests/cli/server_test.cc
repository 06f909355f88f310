// torquectl against a real torqued: models come and go, files in and out, errors and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace torqued {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPendulum[] = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="MASS"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="10" velocity="5"/></joint>
</robot>
)";

std::string Pendulum(const std::string& mass) {
  std::string text = kPendulum;
  return text.replace(text.find("MASS"), 4, mass);
}

class CliServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new TestServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  Finished Ask(const std::string& command) const { return server_->Ask(SplitCommand(command)); }
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = server_->data_folder() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static TestServer* server_;
};
TestServer* CliServer::server_ = nullptr;

TEST_F(CliServer, TheLifeOfAModel) {
  const std::string light = Write("light.urdf", Pendulum("1")),
                    heavy = Write("heavy.urdf", Pendulum("2"));
  const Finished added = Ask("model add " + light + " --id swing --label lab=3");
  EXPECT_EQ(added.exit, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("registered swing@"));
  EXPECT_EQ(Ask("model add " + light + " --id swing").exit,
            0);  // the same source again is no error
  const Finished other = Ask("model add " + heavy + " --id swing");
  EXPECT_EQ(other.exit, 5);
  EXPECT_THAT(other.err, HasSubstr("swing"));

  const json shown = json::parse(Ask("model show swing --json").out);
  const std::string revision = shown["model"]["revision"], etag = shown["model"]["etag"];
  EXPECT_EQ(shown["model"]["labels"]["lab"], "3");
  EXPECT_EQ(Ask("model update swing " + heavy + " --etag " + etag).exit, 0);
  EXPECT_EQ(Ask("model update swing " + light + " --etag " + etag).exit, 2);  // changed since
  EXPECT_THAT(Ask("static swing --q 0 --csv").out, HasSubstr("swing.tau[Nm]\n-9.81\n"));
  EXPECT_THAT(Ask("static swing@" + revision + " --q 0 --csv").out,
              HasSubstr("swing.tau[Nm]\n-4.905\n"));
  EXPECT_EQ(json::parse(Ask("model revisions swing --json").out)["revisions"].size(), 2u);
  EXPECT_EQ(Ask("model export swing@" + revision).out, Pendulum("1"));
  EXPECT_THAT(Ask("model list").out, HasSubstr("swing"));
  EXPECT_THAT(Ask("model list --label lab=3 --csv").out, Not(HasSubstr("ur5e")));
  EXPECT_EQ(Ask("model rm swing").exit, 0);
  const Finished gone = Ask("static swing --q 0");
  EXPECT_EQ(gone.exit, 5);
  EXPECT_THAT(gone.err, HasSubstr("swing"));
}

TEST_F(CliServer, CheckSaysWhatIsWrongAndRegistersNothing) {
  const Finished good = Ask("model check " + Write("good.urdf", Pendulum("1")));
  EXPECT_EQ(good.exit, 0) << good.out << good.err;
  const Finished impossible =
      Ask("model check --policy strict " + Write("bad.urdf", Pendulum("-1")));
  EXPECT_NE(impossible.exit, 0) << impossible.out;
  const Finished broken = Ask(
      "model check " + Write("broken.urdf", "<robot name=\"x\">\n  <link name=\"a\">\n</robot>"));
  EXPECT_EQ(broken.exit, 5);
  EXPECT_THAT(Ask("model list --csv").out, Not(HasSubstr("pendulum")));
  EXPECT_EQ(Ask("model check /nonexistent.urdf").exit, 5);
}

TEST_F(CliServer, AFloatingPendulumHasSixMore) {
  const std::string file = Write("free.urdf", Pendulum("1"));
  EXPECT_EQ(Ask("model add " + file + " --id free --base floating").exit, 0);
  const json shown = json::parse(Ask("model show free --json").out);
  EXPECT_EQ(shown["model"]["position_count"], 8);
  EXPECT_EQ(shown["model"]["velocity_count"], 7);
  const Finished torque = Ask("static free --q zero");
  EXPECT_EQ(torque.exit, 0) << torque.err;
  EXPECT_THAT(torque.out, HasSubstr(".fz"));
}

TEST_F(CliServer, AWholeFileInAndOut) {
  const std::string in = Write("trajectory.csv",
                               "time[s],joint1.q[deg],joint2.q[rad],joint1.v[rad/s],joint2.v[rad/"
                               "s]\n0,0,0,0,0\n0.5,90,-1,1,2\n");
  const std::string out = server_->data_folder() + "/torques.csv";
  const Finished finished = Ask("id two-link --states " + in + " --out " + out);
  EXPECT_EQ(finished.exit, 0) << finished.err;
  const std::string text = Read(out);
  EXPECT_EQ(text.substr(0, text.find('\n')), "time[s],joint1.tau[Nm],joint2.tau[Nm]");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\n0.5,"));
  // What was written can be read again, and the second row is what a single question gives.
  const std::string line = text.substr(text.rfind("\n0.5,") + 5);
  const Finished single = Ask("id two-link --q 1.5707963267948966,-1 --v 1,2 --csv");
  EXPECT_THAT(single.out, HasSubstr(line));
}

TEST_F(CliServer, ALargeBatchIsTheSameAsItsParts) {
  std::string text = "joint1.q,joint2.q\n";
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i % 7) + "," + std::to_string(i % 5) + "\n";
  const Finished finished = Ask("static two-link --states " + Write("large.csv", text) + " --csv");
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_EQ(std::count(finished.out.begin(), finished.out.end(), '\n'), 30001);
  const Finished first = Ask("static two-link --q '1,1' --csv");
  std::istringstream lines(finished.out), one(first.out);
  std::string line, want;
  for (int i = 0; i <= 2; ++i) std::getline(lines, line);
  std::getline(one, want);
  std::getline(one, want);
  EXPECT_EQ(line, want);
}

TEST_F(CliServer, TheServersRefusalsKeepTheirWordsAndCodes) {
  const Finished frame = Ask("fk ur5e --q zero --frame tooool0");
  EXPECT_EQ(frame.exit, 5);
  EXPECT_THAT(frame.err, HasSubstr("tooool0"));
  const Finished model = Ask("static ur5x --q zero");
  EXPECT_EQ(model.exit, 5);
  EXPECT_THAT(model.err, HasSubstr("ur5x"));
  const Finished inertia = Ask("static m6ib --q zero");
  EXPECT_EQ(inertia.exit, 5);
  EXPECT_THAT(inertia.err, HasSubstr("link"));
  EXPECT_THAT(Ask("fk deploy/robots/ur5e.yaml --q zero").err,
              HasSubstr("is a file: register it first"));
}

TEST_F(CliServer, HealthAndStatistics) {
  EXPECT_EQ(Ask("health --quiet").exit, 0);
  EXPECT_GT(std::stoi(json::parse(Ask("health --json").out)["model_count"].dump()), 10);
  Ask("static ur5e --q zero");
  const json statistics = json::parse(Ask("top --once --json").out);
  EXPECT_THAT(statistics.dump(), HasSubstr("ComputeStaticTorque"));
  EXPECT_THAT(Ask("top --once").out, HasSubstr("p99[us]"));
}

TEST_F(CliServer, WatchShowsTheSnapshot) {
  const Finished finished = Ask("model watch --until-synced");
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("present ur5e "));
  EXPECT_THAT(finished.out, HasSubstr(" synced"));
}

TEST_F(CliServer, BenchMeasures) {
  const json unary =
      json::parse(Ask("bench two-link --duration 200ms --concurrency 2 --batch 8 --json").out);
  EXPECT_GT(unary["calls"], 0);
  EXPECT_EQ(unary["errors"], 0);
  EXPECT_LE(unary["p50_us"], unary["p99_us"]);
  const Finished stream = Ask("bench two-link --duration 200ms --stream --rate 500 --json");
  EXPECT_EQ(stream.exit, 0) << stream.err;
  EXPECT_EQ(json::parse(stream.out)["errors"], 0);
}

TEST_F(CliServer, AProxyInTheEnvironmentDoesNotMatter) {
  const Environment proxies = {{"http_proxy", "http://127.0.0.1:9"},
                               {"https_proxy", "http://127.0.0.1:9"},
                               {"grpc_proxy", "http://127.0.0.1:9"}};
  EXPECT_EQ(server_->Ask({"health", "--quiet"}, proxies).exit, 0);
}

TEST_F(CliServer, TheShellCompletesVerbsOptionsAndModels) {
  const std::string script =
      "PATH=" TORQUED_BIN
      ":$PATH; source <(torquectl completion bash); "
      "try() { COMP_WORDS=(torquectl \"$@\"); COMP_CWORD=$#; COMPREPLY=(); _torquectl; "
      "echo \"${COMPREPLY[*]}\"; }; try sta; try model re; try static ur; try static ur5e "
      "--wrench-b";
  const Finished finished =
      RunProgram("/bin/bash", {"-c", script}, {{"TORQUED_SERVER", server_->address()}});
  EXPECT_EQ(finished.out, "static\nrevisions\nur5e\n--wrench-by-robot\n") << finished.err;
}

TEST_F(CliServer, TheExampleProgramAnswers) {
  const Finished finished =
      RunProgram(std::string(TORQUED_BIN) + "/examples/hold_still", {server_->address()});
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("-34.3038"));
  EXPECT_THAT(finished.out, HasSubstr("loaded [Nm]"));
}

TEST(CliWithoutServer, SaysSoAndEndsWithFour) {
  const Finished finished =
      Torquectl({"static", "ur5e", "--q", "zero", "--server", "127.0.0.1:1", "--timeout", "2s"});
  EXPECT_EQ(finished.exit, 4);
  EXPECT_THAT(finished.err, HasSubstr("no server answers at 127.0.0.1:1; start torqued"));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_EQ(Torquectl({"health", "--server", "127.0.0.1:1"}).exit, 4);
}

TEST(CliWithoutServer, AfterTheEndOfAServerToo) {
  TestServer server;
  EXPECT_EQ(server.Ask({"health", "--quiet"}).exit, 0);
  const int status = server.Stop(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(server.Ask({"health", "--quiet"}).exit, 4);
}

}  // namespace
}  // namespace torqued
