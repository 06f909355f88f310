#include "client/planning/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace torqued {
namespace {

// q = t^5 is a quintic: interpolation from two samples must reproduce it.
Trajectory FifthPower() {
  Trajectory t;
  t.joint_names = {"j"};
  t.time_s = {1, 3};
  t.q.resize(1, 2), t.v.resize(1, 2), t.a.resize(1, 2), t.tau.resize(1, 2);
  t.q << 1, 243;
  t.v << 5, 405;
  t.a << 20, 540;
  t.tau << 1, 2;
  return t;
}

TEST(Trajectory, QuinticIsReproduced) {
  TrajectorySample s;
  SampleAt(FifthPower(), 2, s);
  EXPECT_NEAR(s.q(0), 32, 1e-12);
  EXPECT_NEAR(s.v(0), 80, 1e-12);
  EXPECT_NEAR(s.a(0), 160, 1e-11);
  EXPECT_NEAR(s.tau(0), 1.5, 1e-15);
}

TEST(Trajectory, EndsAreExact) {
  TrajectorySample s;
  SampleAt(FifthPower(), 9, s);
  EXPECT_EQ(s.q(0), 243);
  SampleAt(FifthPower(), -9, s);
  EXPECT_EQ(s.q(0), 1);
}

TEST(Trajectory, BadShapesAreNamed) {
  Trajectory t = FifthPower();
  EXPECT_TRUE(CheckShape(t).ok());
  t.time_s = {1, 1};
  EXPECT_THAT(std::string(CheckShape(t).message()), ::testing::HasSubstr("time_s[1]"));
  t = FifthPower();
  t.v.resize(1, 1);
  EXPECT_THAT(std::string(CheckShape(t).message()), ::testing::HasSubstr("trajectory v: 1 x 1, want 1 joints x 2"));
  t = FifthPower();
  t.a(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(std::string(CheckShape(t).message()), ::testing::HasSubstr("a[joint 0, sample 1]"));
}

}  // namespace
}  // namespace torqued
