// One-axis profiles against closed forms, published failure cases, and an independent check of optimality.
#include "client/planning/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace torqued {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

AxisState At(double p, double v = 0, double a = 0) { return {p, v, a, 0}; }

// Continuity by dense sampling, limits, and the end: what any profile owes.
void ExpectSound(const Profile& profile, const AxisLimits& limits, double tolerance = 1e-9) {
  const AxisState peak = profile.Peaks();
  EXPECT_LE(peak.v, limits.velocity * (1 + tolerance));
  EXPECT_LE(peak.a, limits.acceleration * (1 + tolerance));
  const AxisState end = profile.End();
  const double scale = std::abs(profile.start().p) + std::abs(profile.goal().p) + peak.v * profile.duration();
  EXPECT_NEAR(end.p, profile.goal().p, 1e-11 * scale + 1e-14);
  EXPECT_NEAR(end.v, profile.goal().v, 1e-9 * (peak.v + 1e-12));
  const AxisState last = profile.At(profile.duration());
  EXPECT_EQ(last.p, profile.goal().p);
  EXPECT_EQ(last.v, profile.goal().v);
  AxisState before = profile.At(0);
  const double h = profile.duration() / 997;
  for (int k = 1; k <= 997 && h > 0; ++k) {
    const AxisState now = profile.At(k * h);
    ASSERT_TRUE(std::isfinite(now.p) && std::isfinite(now.v) && std::isfinite(now.a));
    EXPECT_NEAR(now.p - before.p, 0.5 * h * (before.v + now.v), h * h * peak.a + 1e-12 * scale);
    before = now;
  }
}

double SCurveTime(const AxisState& start, const AxisState& goal, const AxisLimits& limits) {
  const auto p = SCurveProfile(start, goal, limits);
  EXPECT_TRUE(p.ok()) << p.status();
  return p.ok() ? p->duration() : NAN;
}

TEST(Profile, TrapezoidClosedForm) {
  const auto p = TrapezoidProfile(At(0), At(1), {1, 2, kInfinity});
  ASSERT_TRUE(p.ok());
  EXPECT_NEAR(p->duration(), 1.5, 1e-12);
  ExpectSound(*p, {1, 2, kInfinity});
}

TEST(Profile, SCurveClosedForms) {
  const AxisLimits limits{1, 2, 10};
  EXPECT_NEAR(SCurveTime(At(0), At(1), limits), 1.7, 1e-12);
  EXPECT_NEAR(SCurveTime(At(0), At(0.5), limits), 1.219804, 5e-7);
  EXPECT_NEAR(SCurveTime(At(0), At(0.1), limits), 0.683990, 5e-7);
  EXPECT_NEAR(SCurveTime(At(0), At(0.1), limits), std::cbrt(32 * 0.1 / 10), 1e-12);
}

TEST(Profile, PolynomialPeaks) {
  const struct { PolynomialKind kind; double v, a; } cases[] = {{PolynomialKind::kCubic, 1.5, 6},
                                                                {PolynomialKind::kQuintic, 1.875, 5.773503},
                                                                {PolynomialKind::kSeptic, 2.1875, 7.513188}};
  for (const auto& c : cases) {
    const auto p = PolynomialProfile(c.kind, At(2), At(5), 4);
    ASSERT_TRUE(p.ok());
    EXPECT_NEAR(p->Peaks().v * 4 / 3, c.v, 1e-6);
    EXPECT_NEAR(p->Peaks().a * 16 / 3, c.a, 1e-4);  // by sampling
    const auto fastest = FastestPolynomial(c.kind, At(0), At(3), {kInfinity, 5, kInfinity});
    ASSERT_TRUE(fastest.ok());
    EXPECT_NEAR(fastest->duration(), std::sqrt(c.a * 3 / 5), 1e-6);
    const auto moving = FastestPolynomial(c.kind, At(0, 0.3), At(3, -0.2), {2, 5, kInfinity});
    ASSERT_TRUE(moving.ok()) << moving.status();
    EXPECT_NEAR(moving->At(0).v, 0.3, 1e-12);
    EXPECT_NEAR(moving->End().v, -0.2, 1e-9);
    ExpectSound(*moving, {2, 5, kInfinity}, 1e-6);
  }
}

TEST(Profile, DisplacementExactlyTouchesAcceleration) {
  const AxisLimits limits{0.1, 2.5, 2000};
  EXPECT_NEAR(SCurveTime(At(0.0049921875), At(0.005), limits), 0.005, 1e-9);
  for (double part : {1e-15, 1e-12, 1e-9, 1e-6})
    for (double sign : {-1.0, 1.0}) {
      const double d = (0.005 - 0.0049921875) * (1 + sign * part);
      EXPECT_NEAR(SCurveTime(At(0), At(d), limits), 0.005, 0.005 * part + 1e-12);
    }
}

TEST(Profile, AlmostAtTheGoal) {
  std::vector<AxisState> start = {At(-0.04895883258572608, 1.425883388427091e-14, -2.370282711878416e-12),
                                  At(0.1992637939208025, -9.52e-20, 0), At(-0.2914660630142018, -9.66e-20, 3.47e-18)};
  std::vector<AxisState> goal = {At(-0.04895883258572691), At(0.1992637939208025), At(-0.2914660630142018)};
  const auto p = SynchronisedSCurves(start, goal, {{5, 10, 150}, {5, 10, 150}, {5, 10, 150}});
  ASSERT_TRUE(p.ok()) << p.status();
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_LE((*p)[k].duration(), 1e-3);
    for (int i = 0; i <= 100; ++i)
      EXPECT_NEAR((*p)[k].At((*p)[k].duration() * i / 100).p, goal[k].p, 1e-9);
  }
}

TEST(Profile, MachineUnitsAndIdleAxes) {
  const std::vector<double> q0 = {2.990056872367862, 2.51504516601562, 0, 0}, q1 = {2.990056872367862, 2.51504516601562, 0, 719};
  const std::vector<double> v = {225, 600, 12500, 546.454545454545}, a = {11250, 30000, 625000, 27272.72727272725},
                            j = {562500, 1500000, 31250000, 1363636.363636363};
  for (double length : {1.0, 1e-3})
    for (double time : {1.0, 10.0}) {
      std::vector<AxisState> start, goal;
      std::vector<AxisLimits> limits;
      for (int k = 0; k < 4; ++k) {
        start.push_back(At(q0[k] * length));
        goal.push_back(At(q1[k] * length));
        limits.push_back({v[k] * length / time, a[k] * length / (time * time), j[k] * length / (time * time * time)});
      }
      const auto p = SynchronisedSCurves(start, goal, limits);
      ASSERT_TRUE(p.ok()) << p.status();
      EXPECT_NEAR((*p)[3].duration() / time, 1.3557911168413475, 1e-9);
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i <= 10; ++i) EXPECT_EQ((*p)[k].At(0.1 * i * time).p, start[k].p);
    }
}

TEST(Profile, LongMoves) {
  for (double d : {1.0, 10.0, 1e3, 7598.0, 7599.0, 1e5, 1e6}) {
    const auto p = SynchronisedSCurves({At(0), At(0)}, {At(d), At(d)}, {{1, 1, 1}, {1, 1, 1}});
    ASSERT_TRUE(p.ok());
    const double want = d >= 2 ? d + 2 : std::cbrt(32 * d);
    EXPECT_NEAR((*p)[0].duration(), want, 1e-6);
    EXPECT_NEAR((*p)[1].duration(), want, 1e-6);
    EXPECT_EQ((*p)[0].At(1e9).p, d);
  }
}

TEST(Profile, StartsAtSpeedWhoseRampEndsAtTheLimit) {
  EXPECT_NEAR(SCurveTime(At(0.02853333333333339, 0.6800000000000006, 7.999999999999993), At(0), {1, 10, 100}), 0.58, 1e-6);
}

TEST(Profile, ZeroMoveIsOnePoint) {
  const auto s = SCurveProfile(At(-1.5), At(-1.5), {1, 1, 4});
  const auto t = TrapezoidProfile(At(-1.5), At(-1.5), {1, 1, 4});
  for (const auto& p : {s, t}) {
    ASSERT_TRUE(p.ok());
    EXPECT_EQ(p->duration(), 0);
    EXPECT_EQ(p->At(0).p, -1.5);
    EXPECT_EQ(p->At(0).v, 0);
    EXPECT_EQ(p->At(0).a, 0);
  }
  const double limit = 0.1745329251994329;
  EXPECT_NEAR(SCurveTime(At(0), At(1), {limit, limit, 4}), 6.773211, 1e-6);
  EXPECT_NEAR(TrapezoidProfile(At(0), At(1), {limit, limit, 4})->duration(), 6.729578, 1e-6);
}

TEST(Profile, StopFromMotion) {
  const double v0[] = {1, 0.5, -0.25}, end[] = {0.1, 0.025, -0.00625};
  for (int k = 0; k < 3; ++k) {
    const auto hard = StopProfile(At(0, v0[k]), {kInfinity, 5, kInfinity});
    ASSERT_TRUE(hard.ok());
    EXPECT_NEAR(hard->goal().p, end[k], 1e-12);
    const auto soft = StopProfile(At(0, v0[k]), {kInfinity, 5, 100});
    ASSERT_TRUE(soft.ok());
    if (k == 0) {
      EXPECT_NEAR(hard->duration(), 0.2, 1e-12);
      EXPECT_NEAR(soft->duration(), 0.25, 1e-12);
    }
    double speed = std::abs(v0[k]);
    for (int i = 0; i <= 200; ++i) {  // never reverses, never faster
      const AxisState s = soft->At(soft->duration() * i / 200);
      EXPECT_GE(s.v * v0[k], -1e-15);
      EXPECT_LE(std::abs(s.v), speed + 1e-12);
      speed = std::abs(s.v);
    }
  }
}

// Is there any way to arrive sooner? Jerk held at -J, 0 or J on up to five intervals, all combinations of sign, switching times
// by random search: none may beat the profile. Independent of how the profile is found.
TEST(Profile, NothingRandomIsFaster) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 40; ++k) {
    const AxisState start = At(0, 2 * uniform(rng) - 1, 2 * uniform(rng) - 1);
    AxisLimits limits{1.2, 1.1, 0.8 + 3 * uniform(rng)};
    for (int trial = 0; trial < 2000; ++trial) {
      // Draw a legal motion backwards: where it ends with a = 0 is a goal that can be reached in its time.
      AxisState s = start;
      double T = 0;
      bool legal = true;
      const auto run = [&](double t, double j) {
        for (int i = 0; i < 8; ++i) {
          const double h = t / 8;
          s.p += h * (s.v + h * (s.a / 2 + h * j / 6));
          s.v += h * (s.a + h * j / 2);
          s.a += h * j;
          legal = legal && std::abs(s.v) <= limits.velocity && std::abs(s.a) <= limits.acceleration;
        }
        T += t;
      };
      const int parts = 1 + static_cast<int>(4 * uniform(rng));
      for (int i = 0; i < parts; ++i) run(0.8 * uniform(rng), limits.jerk * (static_cast<int>(3 * uniform(rng)) - 1));
      run(std::abs(s.a) / limits.jerk, s.a > 0 ? -limits.jerk : limits.jerk);
      if (!legal) continue;
      const auto p = SCurveProfile(start, At(s.p, s.v), limits);
      ASSERT_TRUE(p.ok()) << p.status();
      ASSERT_LE(p->duration(), T * (1 + 1e-9) + 1e-7) << k << " " << trial << ": from " << start.v << " " << start.a << " to " << s.p << " " << s.v << ", jerk " << limits.jerk;
    }
  }
}

TEST(Profile, AnyStateToAnyState) {
  std::mt19937_64 rng(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 20000; ++k) {
    const double scale = std::pow(10, 4 * uniform(rng));
    AxisLimits limits{std::pow(10, uniform(rng)), std::pow(10, uniform(rng)), std::pow(10, 2 * uniform(rng))};
    const AxisState start = At(0, 1.5 * limits.velocity * uniform(rng), 1.5 * limits.acceleration * uniform(rng));
    const AxisState goal = At(scale * uniform(rng), limits.velocity * uniform(rng));
    const auto p = SCurveProfile(start, goal, limits);
    ASSERT_TRUE(p.ok());
    const AxisState end = p->End();
    const double size = std::abs(goal.p) + p->Peaks().v * p->duration();
    ASSERT_NEAR(end.p, goal.p, 1e-10 * size) << k;
    ASSERT_NEAR(end.v, goal.v, 1e-9 * (limits.velocity + p->Peaks().v)) << k;
    ASSERT_NEAR(end.a, 0, 1e-8 * (limits.acceleration + std::abs(start.a))) << k;
    const bool inside = std::abs(start.v) + start.a * start.a / (2 * limits.jerk) <= limits.velocity &&
                        std::abs(start.a) <= limits.acceleration;
    if (inside) {
      ASSERT_LE(p->Peaks().v, limits.velocity * (1 + 1e-9)) << k;
      ASSERT_LE(p->Peaks().a, limits.acceleration * (1 + 1e-9)) << k;
    }
    // Continuous: a little further takes a little longer (to rest; a moving goal can be missed by a hair and cost a loop).
    const auto rest = SCurveProfile(start, At(goal.p), limits), near = SCurveProfile(start, At(goal.p * (1 + 1e-9)), limits);
    ASSERT_NEAR(rest->duration(), near->duration(), 1e-2 * rest->duration() * std::pow(1e-9, 1.0 / 3)) << k;
    // As late as asked, or refused.
    const double later = p->duration() * (1.5 + uniform(rng) * 0.4);
    const auto late = SCurveWithDuration(start, goal, limits, later);
    if (late.ok()) {
      ASSERT_NEAR(late->duration(), later, 1e-9 * later);
      ASSERT_NEAR(late->End().p, goal.p, 1e-8 * size) << k;
    }
    // From rest to rest any later time is possible.
    const auto calm = SCurveProfile(At(0), At(goal.p), limits);
    const auto calm_later = SCurveWithDuration(At(0), At(goal.p), limits, 1.7 * calm->duration());
    ASSERT_TRUE(calm_later.ok()) << k;
    ASSERT_NEAR(calm_later->End().p, goal.p, 1e-10 * std::abs(goal.p));
  }
}

TEST(Profile, BadInputIsNamed) {
  EXPECT_THAT(std::string(SCurveProfile(At(0), At(1), {0, 1, 1}).status().message()), ::testing::HasSubstr("velocity limit: 0"));
  EXPECT_THAT(std::string(SCurveProfile(At(0), At(1, 2), {1, 1, 1}).status().message()), ::testing::HasSubstr("goal velocity: 2"));
  EXPECT_FALSE(SCurveProfile(At(NAN), At(1), {1, 1, 1}).ok());
  EXPECT_FALSE(SCurveProfile(At(0), At(1), {1, 1, NAN}).ok());
  EXPECT_FALSE(TrapezoidProfile(At(0), At(1), {1, kInfinity, 1}).ok());
}

}  // namespace
}  // namespace torqued
