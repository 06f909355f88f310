// Proof that no set-point is lost, duplicated or late: raw set-points on the simulated card's virtual clock.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/card/scara.h"
#include "server/core/math/random.h"

namespace torqued::card_test {
namespace {

bool SameBits(const AxisArray& a, const AxisArray& b) { return std::memcmp(a.data(), b.data(), sizeof(a)) == 0; }

// A slow sine on every axis that starts and ends at rest, n set-points long.
std::vector<SetPoint> Sway(const Prepared& model, int n, std::uint32_t session) {
  std::vector<SetPoint> out(n);
  const double h = 0.001, amplitude[] = {0.3, 0.3, -0.05, 0.5};
  const double T = std::max(1, n - 1) * h;
  const int periods = std::max(1, static_cast<int>(T / 2));
  const double w = 2 * M_PI * periods / T;
  Workspace<double> ws(model);
  const Conditions conditions(model);
  for (int k = 0; k < n; ++k) {
    SetPoint& p = out[k];
    p.session = session;
    p.sequence = k + 1;
    p.flags = k + 1 == n ? kLastSetPoint : 0;
    // 1 - cos starts at rest but with acceleration; short ones stay put.
    AxisArray a{};
    for (int i = 0; i < 4 && n > 400; ++i) {
      p.q[i] = amplitude[i] * (1 - std::cos(w * k * h)) / 2;
      p.v[i] = amplitude[i] * w * std::sin(w * k * h) / 2;
      a[i] = amplitude[i] * w * w * std::cos(w * k * h) / 2;
    }
    if (k + 1 == n) p.v = {};
    InverseDynamics<double>(model, conditions, p.q.data(), p.v.data(), a.data(), ws, p.tau.data());
  }
  return out;
}

// Pushes all through a queue of the card's capacity while stepping; returns every feedback record.
std::vector<Feedback> RunAll(Rig& rig, const std::vector<SetPoint>& points) {
  Rig::Ok(rig.card->Begin(points[0].session));
  rig.Drain();
  std::vector<Feedback> record;
  std::size_t next = rig.card->Push(points.data(), static_cast<int>(points.size()), nullptr);
  Rig::Ok(rig.card->Start());
  for (std::size_t guard = 0; guard < 3 * points.size() + 100; ++guard) {
    next += rig.card->Push(points.data() + next, static_cast<int>(points.size() - next), nullptr);
    for (Feedback f; rig.card->Poll(&f);) record.push_back(f);
    if (rig.card->State() != CardState::kStreaming) break;
    rig.card->Step(1);
  }
  for (Feedback f; rig.card->Poll(&f);) record.push_back(f);
  EXPECT_EQ(next, points.size());
  return record;
}

// (a) and (b): executed 1..n in n consecutive cycles, bit-equal commands, contiguous cycle numbers.
void ExpectExecutedExactly(const std::vector<Feedback>& record, const std::vector<SetPoint>& points) {
  std::size_t done = 0;
  std::uint64_t last_cycle = 0;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const Feedback& f = record[i];
    if (i > 0) {
      ASSERT_EQ(f.cycle, record[i - 1].cycle + 1) << "lost feedback";
    }
    if (!(f.flags & kExecuted)) continue;
    ASSERT_LT(done, points.size());
    ASSERT_EQ(f.sequence, points[done].sequence);
    ASSERT_EQ(f.session, points[done].session);
    ASSERT_TRUE(SameBits(f.q_command, points[done].q)) << "set-point " << done + 1;
    if (done + 1 < points.size()) {
      ASSERT_TRUE(SameBits(f.v_command, points[done].v)) << "set-point " << done + 1;
    }
    if (done > 0) {
      ASSERT_EQ(f.cycle, last_cycle + 1) << "set-point " << done + 1 << " was late";
    }
    last_cycle = f.cycle;
    ++done;
  }
  EXPECT_EQ(done, points.size());
  ASSERT_FALSE(record.empty());
  EXPECT_EQ(record.back().state, CardState::kReady);
  EXPECT_TRUE(record.back().cause.ok()) << ToString(record.back().cause);
}

TEST(Stream, HundredThousandSetPointsExecuteOneToN) {
  Rig rig;
  rig.Enable();
  const auto points = Sway(rig.model, 100000, 1);
  const auto record = RunAll(rig, points);
  ExpectExecutedExactly(record, points);
  EXPECT_EQ(rig.card->Counters().executed, 100000u);
  EXPECT_EQ(rig.card->Counters().feedback_dropped, 0u);
}

TEST(Stream, AroundTheRingWrap) {
  CardConfig config = ScaraConfig();
  config.setpoint_capacity = 64;
  Rig rig(config);
  rig.Enable();
  std::uint32_t session = 0;
  for (int n : {1, 2, 3, 63, 64, 65, 127, 128, 129, 640 - 1, 640, 640 + 1, 6400 + 1}) {
    SCOPED_TRACE(n);
    const auto points = Sway(rig.model, n, ++session);
    ExpectExecutedExactly(RunAll(rig, points), points);
  }
}

TEST(Stream, PushTellsWhatItTook) {
  CardConfig config = ScaraConfig();
  config.setpoint_capacity = 64;
  Rig rig(config);
  rig.Enable();
  const auto points = Sway(rig.model, 1000, 7);
  CardStatus why;
  EXPECT_EQ(rig.card->Push(points.data(), 10, &why), 0);
  EXPECT_EQ(why.code, CardCode::kNoSession);
  Rig::Ok(rig.card->Begin(7));
  EXPECT_EQ(rig.card->Space(), 64);
  EXPECT_EQ(rig.card->Push(points.data(), 1000, &why), 64);
  EXPECT_EQ(why.code, CardCode::kQueueFull);
  EXPECT_EQ(rig.card->Space(), 0);
  EXPECT_EQ(rig.card->Push(points.data() + 64, 1, &why), 0);
}

// (d) Random push sizes and stalls below the lead: no held cycle. One stall above it: one Starved fault, a ramp inside its limit.
TEST(Stream, StallsBelowTheLeadHoldNothing) {
  CardConfig config = ScaraConfig();
  config.setpoint_capacity = 512;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random numbers(seed);
    Rig rig(config);
    rig.Enable();
    const auto points = Sway(rig.model, 3000, 1);
    Rig::Ok(rig.card->Begin(1));
    rig.Drain();
    std::size_t next = rig.card->Push(points.data(), 300, nullptr);
    Rig::Ok(rig.card->Start());
    std::vector<Feedback> record;
    while (rig.card->State() == CardState::kStreaming) {
      rig.card->KeepAlive();
      // Sleep for less than is queued, then push anything between nothing and everything.
      const int queued = 512 - rig.card->Space();
      if (next < points.size()) {
        rig.card->Step(std::min(numbers.Below(std::max(1, queued)), 49));  // the watchdog is 50 cycles
        next += rig.card->Push(points.data() + next, std::min<int>(1 + numbers.Below(120), static_cast<int>(points.size() - next)), nullptr);
      } else {
        rig.card->Step(1);
      }
      for (Feedback f; rig.card->Poll(&f);) record.push_back(f);
    }
    for (Feedback f; rig.card->Poll(&f);) record.push_back(f);
    ExpectExecutedExactly(record, points);
  }
}

TEST(Stream, AStallAboveTheLeadIsOneStarvedFaultAndARamp) {
  const CardConfig config = ScaraConfig();
  for (int fed : {300, 700, 1111}) {
    SCOPED_TRACE(fed);
    Rig rig(config);
    rig.Enable();
    const auto points = Sway(rig.model, 3000, 1);
    Rig::Ok(rig.card->Begin(1));
    rig.Drain();
    int next = rig.card->Push(points.data(), std::min(fed, 1024), nullptr);
    Rig::Ok(rig.card->Start());
    std::vector<Feedback> record;
    for (int k = 0; k < 2000; ++k) {
      if (next < fed) next += rig.card->Push(points.data() + next, fed - next, nullptr);
      rig.card->KeepAlive();
      rig.card->Step(1);
      for (Feedback f; rig.card->Poll(&f);) record.push_back(f);
    }
    const Feedback& end = record.back();
    EXPECT_EQ(end.state, CardState::kFaulted);
    EXPECT_EQ(end.cause.code, CardCode::kStarved);
    EXPECT_EQ(end.cause.value, fed);
    EXPECT_EQ(rig.card->Counters().faults, 1u);
    EXPECT_EQ(rig.card->Counters().executed, static_cast<std::uint64_t>(fed));
    int held = 0;
    for (std::size_t i = 1; i < record.size(); ++i) {
      const Feedback &a = record[i - 1], &b = record[i];
      if (b.state != CardState::kStreaming && b.state != CardState::kStopping) continue;
      for (int j = 0; j < 4; ++j) {
        EXPECT_LE(std::abs(b.v_command[j] - a.v_command[j]), config.axes[j].acceleration * config.cycle_s * 1.0001) << "axis " << j;
        if (b.state == CardState::kStopping) {
          EXPECT_LE(std::abs(b.v_command[j]), std::abs(a.v_command[j])) << "a stop never speeds up";
          EXPECT_NEAR(b.q_command[j] - a.q_command[j], 0.5 * config.cycle_s * (a.v_command[j] + b.v_command[j]), 1e-12) << "from the last command";
        }
      }
      if (b.state == CardState::kStreaming && !(b.flags & kExecuted)) ++held;
    }
    EXPECT_EQ(held, config.hold_cycles);
  }
}

// (h) Two runs on the virtual clock agree in every bit, noise of the plant included; another seed does not.
TEST(Stream, VirtualClockRepeatsBitForBit) {
  const auto run = [](std::uint64_t seed) {
    CardConfig config = ScaraConfig();
    config.sim.seed = seed;
    Rig rig(config);
    rig.Enable();
    return RunAll(rig, Sway(rig.model, 5000, 3));
  };
  const auto a = run(5), b = run(5), other = run(6);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(SameBits(a[i].q, b[i].q) && SameBits(a[i].tau, b[i].tau) && SameBits(a[i].tau_command, b[i].tau_command)) << i;
    ASSERT_EQ(a[i].time_ns, b[i].time_ns);
  }
  bool differs = false;
  for (std::size_t i = 0; i < std::min(a.size(), other.size()); ++i) differs = differs || !SameBits(a[i].q, other[i].q);
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace torqued::card_test
