// A LinuxCNC session of its own and a card on it, for the tests of the driver. Skips, with the reason, where that is impossible.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "client/card/path_source.h"
#include "client/card/realtime.h"
#include "client/card/report.h"
#include "client/card/ring_card.h"
#include "client/card/run.h"
#include "client/card/sim_card.h"
#include "tests/card/sway.h"

namespace torqued::card_test {

inline constexpr char kLinuxCncConfig[] = R"(
name: lcnc
cycle_s: 0.001
watchdog_s: 0.4
path_stop_s: 5
setpoint_capacity: 2048
feedback_capacity: 8192
axes:
  - {name: a, counts_per_rad: 100000, lower_rad: -6, upper_rad: 6, velocity_rad_per_s: 4, acceleration_rad_per_s2: 40, torque_nm: 100,
     stop_deceleration_rad_per_s2: 8, kp_nm_per_rad: 2000, kd_nm_s_per_rad: 60,
     following_error: {floor_rad: 0.05, at_full_speed_rad: 0.1, window_s: 0.02}}
  - {name: b, unit: m, counts_per_m: 1000000, lower_m: -6, upper_m: 6, velocity_m_per_s: 2, acceleration_m_per_s2: 20, torque_n: 200,
     stop_deceleration_m_per_s2: 4, kp_n_per_m: 8000, kd_n_s_per_m: 200,
     following_error: {floor_m: 0.05, at_full_speed_m: 0.1, window_s: 0.02}}
sim: {plant: [{inertia: 0.5, viscous: 1, coulomb: 0.5}, {inertia: 4, viscous: 5, coulomb: 2}]}
)";

struct LinuxCnc : testing::Test {
  std::string name = "lcnc-" + std::to_string(getpid());
  std::string work = testing::TempDir() + name;
  pid_t session = -1;
  int input = -1, errors = -1;
  std::string yaml = kLinuxCncConfig;
  CardConfig config;
  std::unique_ptr<MotionCard> card;
  BridgeOptions options;
  std::uint64_t executed_before = 0;  // set-points of the card when the last run began

  void SetUp() override {
    config = *ReadCardConfig(yaml, nullptr);
    options.lead = 900;
    options.card_silence_s = 3;
    std::ofstream(testing::TempDir() + name + ".yaml") << yaml;
    int in[2], err[2];
    ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
    session = fork();
    if (session == 0) {
      dup2(in[0], 0);
      dup2(err[1], 2);
      dup2(err[1], 1);
      const std::string file = testing::TempDir() + name + ".yaml";
      execl(SESSION, SESSION, name.c_str(), file.c_str(), DRIVER, COMPONENT, HELPER, work.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(err[1]);
    input = in[1];
    errors = err[0];
    int status = 0;
    bool ended = false;
    const bool there = Until([&] {
      auto w = SharedSegment::Watch(name);
      if (w.ok() && (*w)->CardAlive() && (*w)->view().header->cycle.load() > 10) return true;
      ended = waitpid(session, &status, WNOHANG) == session;
      return ended;
    });
    if (ended) {
      session = -1;
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      if (code == 77) GTEST_SKIP() << "LinuxCNC session: " << Said();
      FAIL() << "LinuxCNC session ended with " << code << ": " << Said();
    }
    ASSERT_TRUE(there) << "no card after 30 s";
    Attach();
  }

  void TearDown() override {
    card.reset();
    if (input >= 0) close(input);
    if (session > 0) waitpid(session, nullptr, 0);
    if (errors >= 0) close(errors);
    unlink((testing::TempDir() + name + ".yaml").c_str());
    std::system(("rm -rf '" + work + "'").c_str());
  }

  std::string Said() {
    std::string out(4000, 0);
    const ssize_t n = read(errors, out.data(), out.size());
    out.resize(n > 0 ? n : 0);
    return out;
  }

  void Attach() {
    absl::StatusOr<std::unique_ptr<MotionCard>> c = absl::UnavailableError("");
    ASSERT_TRUE(Until([&] { return (c = AttachCard(name)).ok(); })) << c.status();
    card = *std::move(c);
    ASSERT_TRUE(card->Open().ok());
    if (card->State() == CardState::kFaulted) {
      ASSERT_TRUE(card->ResetFault().ok());
    }
  }

  // A command for the session's halcmd.
  void Hal(const std::string& command) const { ASSERT_EQ(write(input, (command + "\n").data(), command.size() + 1), static_cast<ssize_t>(command.size() + 1)); }

  pid_t Helper() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline");
      std::string line;
      std::getline(file, line);
      if (line.find(work + "/torqued-linuxcnc") == 0 && line.find(name) != std::string::npos) return std::atoi(entry.path().filename().c_str());
    }
    return -1;
  }

  // A long motion; `strike` happens once it is well under way. False: the host starved the card, the test cannot tell anything.
  bool Strike(const std::function<void(Bridge&)>& strike, Recording* run, int legs = 20) {
    const auto table = PathTable::Make(Sway(Held(), legs), config, nullptr);
    PathSource source(*table, config);
    Recorder recorder(1 << 14);
    Bridge bridge(card.get(), config, options, &recorder);
    Enable();
    const CardStatus started = bridge.Start(&source);
    EXPECT_TRUE(started.ok()) << ToString(started);
    if (!started.ok()) return false;
    RunOptions how;
    how.report_period_s = 0.01;
    bool struck = false;
    how.progress = [&](const RunProgress& p) {
      if (p.executed > 1000 && !struck) struck = true, strike(bridge);
    };
    *run = RunMotion(card.get(), config, &bridge, &recorder, how);
    return struck;
  }

  void ExpectACleanMotion() {
    std::vector<SetPoint> planned;
    const Recording r = Run(2, &planned);
    ASSERT_EQ(r.outcome, "done") << ToString(r.cause);
    EXPECT_EQ(card->Counters().executed - executed_before, planned.size()) << "its own set-points and nothing stale";
  }

  void Enable() {
    const CardStatus enabled = card->Enable({});
    EXPECT_TRUE(enabled.ok()) << ToString(enabled);
  }

  AxisArray Held() {
    Feedback f, newest;
    while (card->Poll(&f)) {
    }
    EXPECT_TRUE(Until([&] { return card->KeepAlive(), card->Poll(&newest); }));
    return newest.q_command;
  }

  // A host without real time may keep LinuxCNC's thread waiting longer than the bridge's patience. The bridge then rightly
  // says that the card is lost; the card's own clock tells whose fault it was.
  bool HostStarvedTheCard(const CardStatus& cause) {
    if (cause.code != CardCode::kCardLost || card->Info().real_time) return false;
    const std::uint64_t cycles = card->Counters().cycles;
    EXPECT_TRUE(Until([&] { return card->Counters().cycles > cycles + 1; })) << "the card never came back: " << ToString(cause);
    return 1e-9 * static_cast<double>(card->Counters().worst_lateness_ns) > 0.9 * cause.limit;
  }

  // Repeated, at most five times, where the host starved the card.
  Recording Run(int legs, std::vector<SetPoint>* planned) {
    for (int left = 4;; --left) {
      planned->clear();
      Recording r = RunOnce(legs, planned);
      if (left == 0 || !HostStarvedTheCard(r.cause)) return r;
      std::printf("the host kept the card waiting, once more: %s\n", ToString(r.cause).c_str());
    }
  }

  Recording RunOnce(int legs, std::vector<SetPoint>* planned) {
    executed_before = card->Counters().executed;
    const auto table = PathTable::Make(Sway(Held(), legs), config, nullptr);
    EXPECT_TRUE(table.ok()) << table.status();
    EXPECT_TRUE(NominalSetPoints(*table, config, 1, planned).ok());
    PathSource source(*table, config);
    Recorder recorder(1 << 14);
    Bridge bridge(card.get(), config, options, &recorder);
    Enable();  // after all that takes time: from here on the watchdog runs
    const CardStatus started = bridge.Start(&source);
    EXPECT_TRUE(started.ok()) << ToString(started);
    Recording r;
    if (started.ok()) r = RunMotion(card.get(), config, &bridge, &recorder, {});
    card->Disable();
    return r;
  }
};

}  // namespace torqued::card_test
