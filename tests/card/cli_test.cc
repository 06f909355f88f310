// torquectl card ...: a person at the machine. Real programs on the wall clock; leads and watchdogs are generous for busy hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/card/recorder.h"
#include "client/card/watch.h"
#include "tests/card/sway.h"
#include "tests/cli/process.h"

namespace torqued {
namespace {

using card_test::Until;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr char kTo[] = "1,-0.6,0.02,1";
constexpr char kFrom[] = "0,0,0.18,0";

Finished Card(const std::string& command) {
  std::vector<std::string> words = SplitCommand("--local --robots deploy/robots card " + command);
  return Torquectl(words);
}

// A program of the build in the background.
class Program {
 public:
  Program(const std::string& name, const std::vector<std::string>& arguments, const std::string& server = "") {
    pid_ = fork();
    if (pid_ == 0) {
      const std::string path = std::string(TORQUED_BIN) + "/" + name;
      std::vector<char*> argv = {const_cast<char*>(path.c_str())};
      for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      setenv("TORQUED_SERVER", server.c_str(), 1);
      if (server.empty()) unsetenv("TORQUED_SERVER");
      execv(path.c_str(), argv.data());
      _exit(127);
    }
  }
  ~Program() {
    if (pid_ > 0) Signal(SIGKILL), Wait();
  }
  Program(const Program&) = delete;
  void Signal(int signal) const { kill(pid_, signal); }
  int Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

struct CardCli : testing::Test {
  std::string name = "cli-" + std::to_string(getpid());
  std::string folder = testing::TempDir() + name;
  std::unique_ptr<Program> card;

  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override {
    if (card) card->Signal(SIGTERM), card->Wait();
    std::filesystem::remove_all(folder);
  }
  std::string File(const std::string& file) const { return folder + "/" + file; }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void Serve() {
    card = std::make_unique<Program>("torquectl", SplitCommand("--local --robots deploy/robots card serve scara --with-parent --at " + std::string(kFrom) + " --name " + name));
    ASSERT_EQ(Card("watch " + name + " --wait --timeout 30s --until offline").exit, 0);
  }
  // A long, slow motion on the served card; returns once it moves.
  std::unique_ptr<Program> Move(const std::string& more) {
    auto run = std::make_unique<Program>(
        "torquectl", SplitCommand("--local --robots deploy/robots card run scara --speed 0.02 --lead 400 --json --name " + name + " --to " + kTo + " " + more));
    auto watch = CardWatch::Open(name);
    EXPECT_TRUE(watch.ok() && Until([&] { return (*watch)->Counters().executed > 100; })) << "the motion goes on";
    return run;
  }
};

TEST_F(CardCli, VirtualRunsRepeatBitForBitAndFeedForwardShowsInTheReport) {
  const std::string run = std::string("run scara --virtual --speed 0.4 --from ") + kFrom + " --to " + kTo;
  const Finished first = Card(run + " --record " + File("a.bin"));
  ASSERT_EQ(first.exit, 0) << first.err << first.out;
  EXPECT_THAT(first.out, HasSubstr("outcome      done"));
  ASSERT_EQ(Card(run + " --record " + File("b.bin")).exit, 0);
  EXPECT_EQ(Read(File("a.bin")), Read(File("b.bin")));
  ASSERT_EQ(Card(run + " --torque-source none --record " + File("pd.bin")).exit, 0);
  const auto with = json::parse(Card("report " + File("a.bin") + " --json").out), without = json::parse(Card("report " + File("pd.bin") + " --json").out);
  for (int j = 0; j < 4; ++j)
    EXPECT_GT(without["joints"][j]["peak_following_error"].get<double>(), 5 * with["joints"][j]["peak_following_error"].get<double>()) << j;
  const Finished report = Card("report " + File("a.bin") + " --compare " + File("pd.bin") + " --plot " + File("both.svg") + " --trajectory " + File("again.json"));
  EXPECT_EQ(report.exit, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("ratio"));
  EXPECT_THAT(Read(File("both.svg")), HasSubstr("</svg>"));
  const Finished again = Card("run scara --virtual --torque-source trajectory --trajectory " + File("again.json"));
  EXPECT_EQ(again.exit, 0) << "what was executed can be run again: " << again.err << again.out;
}

TEST_F(CardCli, SaysWhatIsWrongWithItsExitCode) {
  const struct {
    const char *command, *says;
    int exit;
  } cases[] = {
      {"run scara --virtual", "--trajectory or --to", 5},
      {"run scara --to 0,0 --virtual", "2 values, want 4", 5},
      {"run nothing-like-it --to 0 --virtual", "nothing-like-it", 5},
      {"run scara --to 9,0,0.1,0 --virtual", "position-limit: joint theta1", 2},
      {"run scara --to 0.1,0,0,0 --override 2 --virtual", "--override", 5},
      {"run scara --to 0.1,0,0,0 --torque-source stream --virtual", "no --local", 5},
      {"run quadruped --to 0 --virtual", "quadruped", 5},
      {"run scara --name no-such-card --to 0,0,0,0", "no-such-card", 5},
      {"run scara --config no-such-file --to 0,0,0,0", "no-such-file", 5},
      {"run scara --driver linuxcnc --to 0,0,0,0", "--name", 5},
      {"stop no-such-card", "no-such-card", 5},
      {"reset no-such-card", "no-such-card", 5},
      {"jog scara --axis elbow --speed 1 --virtual", "theta2", 5},
      {"check", "--config", 5},
      {"report no-such-file.json", "no-such-file.json", 5},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.command);
    const Finished done = Card(c.command);
    EXPECT_EQ(done.exit, c.exit) << done.err << done.out;
    EXPECT_THAT(done.err, HasSubstr(c.says));
  }
  // A trajectory that the card would not take: three times too fast.
  ASSERT_EQ(Card(std::string("run scara --virtual --from ") + kFrom + " --to " + kTo + " --record " + File("r.bin")).exit, 0);
  ASSERT_EQ(Card("report " + File("r.bin") + " --trajectory " + File("t.json")).exit, 0);
  json t = json::parse(Read(File("t.json")));
  for (auto& p : t["points"]) {
    const double s = (p["time_from_start"]["sec"].get<double>() + 1e-9 * p["time_from_start"]["nanosec"].get<double>()) / 3;
    p = {{"positions", p["positions"]}, {"time_from_start", s}};
  }
  std::ofstream(File("fast.json")) << t;
  const Finished fast = Card("run scara --virtual --trajectory " + File("fast.json"));
  EXPECT_EQ(fast.exit, 2) << fast.err << fast.out;
  EXPECT_THAT(fast.err, HasSubstr("would refuse set-point"));
}

TEST_F(CardCli, AConfigurationIsCheckedAndWritten) {
  ASSERT_EQ(Card("check scara --out " + File("card.yaml")).exit, 0);
  EXPECT_EQ(Card("check scara --config " + File("card.yaml") + " --strict").exit, 0);
  std::string text = Read(File("card.yaml"));
  text.replace(text.find("sign: 1"), 7, "sign: 7");
  std::ofstream(File("bad.yaml")) << text;
  const Finished bad = Card("check --config " + File("bad.yaml"));
  EXPECT_EQ(bad.exit, 2);
  EXPECT_THAT(bad.out, HasSubstr("bad-sign"));
  const Finished other = Card("check ur5e --config " + File("card.yaml"));
  EXPECT_EQ(other.exit, 5) << "four axes for six joints";
}

TEST_F(CardCli, EveryVerbWorksOnACardOfItsOwn) {
  Serve();
  const auto listed = json::parse(Card("list --json").out);
  EXPECT_THAT(listed.dump(), HasSubstr(name));
  const Finished run = Card("run scara --lead 900 --name " + name + " --to 0.2,-0.2,0.1,0.3");
  EXPECT_EQ(run.exit, 0) << run.err << run.out;
  EXPECT_EQ(Card("run scara --lead 900 --name " + name + " --trajectory /dev/null").exit, 5);
  const Finished jog = Card("jog scara --name " + name + " --axis d3 --speed 0.02 --for 300ms --json");
  ASSERT_EQ(jog.exit, 0) << jog.err;
  const json moved = json::parse(jog.out)["axes"][2];
  EXPECT_GT(moved["to"].get<double>(), moved["from"].get<double>());
  EXPECT_EQ(Card("home scara --name " + name).exit, 0);
  EXPECT_EQ(Card("enable scara --for 100ms --name " + name).exit, 0);
  EXPECT_THAT(Card("watch " + name + " --once --json").out, HasSubstr("\"state\": \"disabled\""));
  EXPECT_THAT(Card("stop " + name + " --kind off").out, HasSubstr("disabled"));
  EXPECT_EQ(Card("reset " + name).exit, 0);
}

TEST_F(CardCli, CtrlCStopsOnThePath) {
  Serve();
  auto run = Move("--record " + File("run.bin"));
  run->Signal(SIGINT);
  EXPECT_EQ(run->Wait(), 2);
  const auto recording = ReadRecording(File("run.bin"));
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->outcome, "stopped-on-path");
  // On the straight joint line of all four axes, to the width of what an S-curve of each may differ: the ratio stays monotone.
  double before = 0;
  for (const CycleRecord& c : recording->cycles) EXPECT_GE(c.path_s, before), before = c.path_s;
  EXPECT_EQ(recording->cycles.back().pace, 0);
  EXPECT_THAT(Card("watch " + name + " --once --json").out, HasSubstr("\"state\": \"disabled\"")) << "power goes off at the end";
}

TEST_F(CardCli, StopFromAnotherProcess) {
  Serve();
  auto run = Move("--record " + File("run.bin"));
  const Finished stop = Card("stop " + name);
  EXPECT_EQ(stop.exit, 0) << stop.out;
  EXPECT_EQ(run->Wait(), 2);
  EXPECT_EQ(ReadRecording(File("run.bin"))->outcome, "stopped-on-path");
}

TEST_F(CardCli, PaceAndPauseThroughTheControlPipe) {
  Serve();
  const std::string pipe = File("pace");
  auto run = Move("--override 0.5 --control " + pipe + " --record " + File("run.bin"));
  const auto executed = [&] {
    auto watch = CardWatch::Open(name);
    Feedback f;
    return watch.ok() && (*watch)->Newest(&f) ? f : Feedback{};
  };
  const auto standing = [&] {
    const Feedback f = executed();
    return f.state == CardState::kStreaming && std::abs(f.v_command[0]) == 0;
  };
  std::ofstream(pipe) << "pause\n";
  EXPECT_TRUE(Until(standing)) << "pause";
  std::ofstream(pipe) << "0.25\nresume\n";
  EXPECT_TRUE(Until([&] { return !standing(); })) << "resume";
  std::ofstream(pipe) << "stop\n";
  EXPECT_EQ(run->Wait(), 2);
  EXPECT_FALSE(std::filesystem::exists(pipe)) << "removed by who made it";
  const auto recording = ReadRecording(File("run.bin"));
  ASSERT_TRUE(recording.ok());
  double fastest = 0;
  for (const CycleRecord& c : recording->cycles) fastest = std::max(fastest, c.pace);
  EXPECT_LE(recording->cycles[recording->cycles.size() / 2].pace, 0.5 + 1e-9);
  EXPECT_EQ(recording->outcome, "stopped-on-path");
}

// What a person sees and types: the live table, keys for the pace.
TEST_F(CardCli, KeysAndALiveTableOnATerminal) {
  Serve();
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const std::string path = std::string(TORQUED_BIN) + "/torquectl";
    execl(path.c_str(), path.c_str(), "--local", "--robots", "deploy/robots", "card", "run", "scara", "--speed", "0.02", "--lead", "400", "--name", name.c_str(), "--to",
          kTo, nullptr);
    _exit(127);
  }
  std::string seen;
  const auto shows = [&](const std::string& text) {
    seen.clear();
    return Until([&] {
      pollfd ready{terminal, POLLIN, 0};
      char buffer[4096];
      ssize_t n;
      while (poll(&ready, 1, 0) > 0 && (n = read(terminal, buffer, sizeof buffer)) > 0) seen.append(buffer, static_cast<size_t>(n));
      return seen.find(text) != std::string::npos;
    });
  };
  const auto press = [&](const char* key) { EXPECT_EQ(write(terminal, key, 1), 1); };
  EXPECT_TRUE(shows("keys:")) << seen;
  EXPECT_TRUE(shows("s left")) << seen;
  EXPECT_NE(seen.find("theta4"), std::string::npos);
  press("5");
  EXPECT_TRUE(shows("wanted 0.50")) << seen;
  press("+");
  EXPECT_TRUE(shows("wanted 0.60")) << seen;
  press(" ");
  EXPECT_TRUE(shows("paused")) << seen;
  EXPECT_TRUE(shows("standing")) << seen;
  press("s");
  EXPECT_TRUE(shows("stopped-on-path")) << seen;
  int status = 0;
  ASSERT_TRUE(Until([&] { pollfd ready{terminal, POLLIN, 0};
    char buffer[4096];
    if (poll(&ready, 1, 0) > 0 && read(terminal, buffer, sizeof buffer) < 0) ready.revents = 0;  // drained, so that it can end
    return waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  close(terminal);
}

TEST_F(CardCli, AStreamOfTorquesFromTheServerAndTheServerIsKilled) {
  TestServer server;
  const auto ask = [&](const std::string& command) { return server.Ask(SplitCommand("card " + command)); };
  const Finished calm = ask(std::string("run scara --torque-source stream --cycle-us 4000 --lead 100 --patience 1000 --speed 0.3 --json --from ") + kFrom + " --to " + kTo);
  ASSERT_EQ(calm.exit, 0) << calm.err << calm.out;
  EXPECT_GT(json::parse(calm.out)["torque_stream"]["in_time"].get<int>(), 0) << calm.out;

  card = std::make_unique<Program>("torquectl", SplitCommand("--local --robots deploy/robots card serve scara --with-parent --at " + std::string(kFrom) + " --name " + name));
  ASSERT_EQ(Card("watch " + name + " --wait --timeout 30s --until offline").exit, 0);
  Program run("torquectl", SplitCommand("card run scara --torque-source stream --patience 400 --speed 0.02 --lead 400 --json --name " + name + " --to " + kTo +
                                        " --record " + File("run.bin")), server.address());
  auto watch = CardWatch::Open(name);
  ASSERT_TRUE(watch.ok() && Until([&] { return (*watch)->Counters().executed > 300; }));
  server.Stop(SIGKILL);
  EXPECT_EQ(run.Wait(), 2);
  const auto recording = ReadRecording(File("run.bin"));
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->outcome, "failed");
  EXPECT_EQ(recording->cause.code, CardCode::kTorqueSourceLate) << ToString(recording->cause);
  EXPECT_EQ(recording->cycles.back().pace, 0) << "it came to rest on the path";
}

TEST_F(CardCli, ACardThatNobodyNeedsEndsByItself) {
  ASSERT_EQ(Card("check scara --out " + File("card.yaml")).exit, 0);
  std::ofstream(File("card.yaml"), std::ios::app) << "  plant: [{inertia: 1}, {inertia: 1}, {inertia: 1}, {inertia: 1}]\n";
  for (const char* program : {"torquectl", "torqued-simcard"}) {
    SCOPED_TRACE(program);
    const bool cli = std::string(program) == "torquectl";
    const std::string common = "--name " + name + " --config " + File("card.yaml");
    Program idle(program, SplitCommand((cli ? "--local --robots deploy/robots card serve scara --idle 300ms " : "--idle 0.3 ") + common));
    EXPECT_EQ(idle.Wait(), 0);
    // Started by a process that dies.
    const pid_t parent = fork();
    if (parent == 0) {
      Program child(program, SplitCommand((cli ? "--local --robots deploy/robots card serve scara --with-parent " : "--with-parent ") + common));
      Until([&] { return CardWatch::Open(name).ok(); });
      kill(getpid(), SIGKILL);
    }
    ASSERT_TRUE(Until([&] { return CardWatch::Open(name).ok(); }));
    waitpid(parent, nullptr, 0);
    EXPECT_TRUE(Until([&] { return !CardWatch::Open(name).ok(); }));
  }
}

}  // namespace
}  // namespace torqued
