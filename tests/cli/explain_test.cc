// A log is made with each mistake; Explain must name exactly that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/explain_robot.h"

namespace torqued::cli {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;


TEST(Explain, EqualTorquesAgree) {
  Robot robot = Puma();
  const Verdict verdict = robot.Solve(robot.Torques(robot.q, robot.v, robot.a));
  EXPECT_TRUE(verdict.agrees);
  EXPECT_THAT(verdict.best.changes, IsEmpty());
}

TEST(Explain, GravitysSignValueAndAxis) {
  for (const auto& [gravity, words] :
       {std::pair<Vec3<double>, std::string>{{0, 0, 9.81}, "gravity has the opposite sign"},
        {{0, 0, 0}, "without gravity"},
        {{0, 0, -9.8}, "gravity is 9.8 m/s^2"},
        {{0, 0, -9.80665}, "gravity is 9.80665 m/s^2"},
        {{0, -9.81, 0}, "gravity points along -y"}}) {
    Robot other = Puma(), robot = Puma();
    other.gravity = gravity;
    const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
    EXPECT_TRUE(verdict.explained);
    EXPECT_THAT(verdict.best.changes, ElementsAre(words));
    EXPECT_THAT(verdict.equals, IsEmpty());
  }
}

TEST(Explain, AGravityThatNobodyListedIsFitted) {
  Robot other = Puma(), robot = Puma();
  other.gravity = {1, -2, -9};
  const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  EXPECT_TRUE(verdict.explained);
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("gravity is 1.0000 -2.0000 -9.0000 m/s^2 (fitted)"));
}

TEST(Explain, JointOrder) {
  Robot robot = Puma();
  const std::vector<int> reversed = {5, 4, 3, 2, 1, 0};
  // Another program took our columns for its joints in reverse order.
  const LogRows q = Permuted(robot.q, reversed), v = Permuted(robot.v, reversed),
                a = Permuted(robot.a, reversed);
  Verdict verdict = robot.Solve(Permuted(robot.Torques(q, v, a), reversed));
  EXPECT_THAT(verdict.best.changes, ElementsAre("joints in another order: reverse order"));
  verdict = robot.Solve(Permuted(robot.Torques(robot.q, robot.v, robot.a), reversed));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("only the torques in another order: reverse order"));
  const std::vector<int> exchanged = {0, 4, 2, 3, 1, 5};
  verdict =
      robot.Solve(Permuted(robot.Torques(Permuted(robot.q, exchanged), Permuted(robot.v, exchanged),
                                         Permuted(robot.a, exchanged)),
                           exchanged));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("joints in another order: joint2 and joint5 exchanged"));
}

TEST(Explain, AlphabeticalOrderIsFoundByName) {
  // The SCARA's names sort as d3, theta1, theta2, theta4: not the model's order.
  Robot robot = Scara();
  const std::vector<int> from = {2, 0, 1, 3};
  LogRows q = robot.q, v = robot.v, a = robot.a;
  for (size_t i = 0; i < 4; ++i) {
    q.col(from[i]) = robot.q.col(static_cast<Eigen::Index>(i));
    v.col(from[i]) = robot.v.col(static_cast<Eigen::Index>(i));
    a.col(from[i]) = robot.a.col(static_cast<Eigen::Index>(i));
  }
  const Verdict verdict = robot.Solve(Permuted(robot.Torques(q, v, a), from));
  EXPECT_THAT(verdict.best.changes, ElementsAre("joints in another order: alphabetical order"));
}

TEST(Explain, Degrees) {
  Robot robot = Scara();
  LogRows q = robot.q, v = robot.v, a = robot.a;
  for (const int column : {0, 1, 3})
    for (LogRows* rows : {&q, &v, &a}) rows->col(column) *= kDegree;
  const Verdict verdict = robot.Solve(robot.Torques(q, v, a));
  EXPECT_THAT(verdict.best.changes,
              ElementsAre("positions, velocities and accelerations are in degrees"));
}

TEST(Explain, FrictionRotorAndSign) {
  Robot robot = Puma();
  Terms terms;
  terms.friction = false;
  EXPECT_THAT(robot.Solve(robot.Torques(robot.q, robot.v, robot.a, terms)).best.changes,
              ElementsAre("without friction"));
  terms = {};
  terms.rotor = false;
  EXPECT_THAT(robot.Solve(robot.Torques(robot.q, robot.v, robot.a, terms)).best.changes,
              ElementsAre("without rotor inertia"));
  EXPECT_THAT(robot.Solve(-robot.Torques(robot.q, robot.v, robot.a)).best.changes,
              ElementsAre("all torques have the opposite sign"));
}

TEST(Explain, WrenchSign) {
  Robot robot = Puma();
  const LogRows plain = robot.Torques(robot.q, robot.v, robot.a);
  robot.wrench = LogRows::Constant(1, 6, 3.0);
  robot.wrench(0, 1) = -7;
  const LogRows wrench = robot.wrench.row(0).replicate(plain.rows(), 1);
  EXPECT_THAT(robot.Solve(plain - wrench).best.changes,
              ElementsAre("the wrench has the opposite sign"));
  EXPECT_THAT(robot.Solve(plain).best.changes, ElementsAre("without the wrench"));
}

TEST(Explain, InertiaAboutTheOrigin) {
  Robot robot = Puma(), other = Puma();
  other.ChangeInertias([](MassProperties& m) {
    const Eigen::Vector3d c = m.com;
    m.inertia_about_com -=
        m.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  });
  Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_THAT(verdict.best.changes[0], HasSubstr("were taken as about the link frame's origin"));
  Robot twice = Puma();
  twice.ChangeInertias([](MassProperties& m) {
    const Eigen::Vector3d c = m.com;
    m.inertia_about_com +=
        m.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  });
  verdict = robot.Solve(twice.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_THAT(verdict.best.changes[0], HasSubstr("parallel-axis term twice"));
}

TEST(Explain, InertiaComponents) {
  Robot robot = Puma(), other = Puma();
  other.ChangeInertias(ReadInAnotherOrder);
  const Verdict verdict = robot.Solve(other.Torques(robot.q, robot.v, robot.a));
  ASSERT_EQ(verdict.best.changes.size(), 1u);
  EXPECT_EQ(verdict.best.changes[0],
            "inertias written as xx xy xz yy yz zz were read as xx yy zz xy xz yz");
}

TEST(Explain, TwoAtOnce) {
  Robot robot = Puma();
  Terms no_friction, no_rotor;
  no_friction.friction = false;
  no_rotor.rotor = false;
  {
    Robot other = Puma();
    other.gravity = {0, 0, 9.81};
    EXPECT_THAT(robot.Solve(other.Torques(robot.q, robot.v, robot.a, no_friction)).best.changes,
                UnorderedElementsAre("gravity has the opposite sign", "without friction"));
  }
  {
    const std::vector<int> reversed = {5, 4, 3, 2, 1, 0};
    const LogRows q = Permuted(robot.q, reversed), v = Permuted(robot.v, reversed),
                  a = Permuted(robot.a, reversed);
    EXPECT_THAT(
        robot.Solve(Permuted(robot.Torques(q, v, a, no_rotor), reversed)).best.changes,
        UnorderedElementsAre("joints in another order: reverse order", "without rotor inertia"));
  }
  {
    Robot other = Puma();
    other.gravity = {0, 0, -9.8};
    EXPECT_THAT(robot.Solve(other.Torques(kDegree * robot.q, kDegree * robot.v, kDegree * robot.a))
                    .best.changes,
                UnorderedElementsAre("positions, velocities and accelerations are in degrees",
                                     "gravity is 9.8 m/s^2"));
  }
  {
    Robot other = Puma();
    other.ChangeInertias(ReadInAnotherOrder);
    EXPECT_THAT(
        robot.Solve(other.Torques(robot.q, robot.v, robot.a, no_rotor)).best.changes,
        UnorderedElementsAre("inertias written as xx xy xz yy yz zz were read as xx yy zz xy xz yz",
                             "without rotor inertia"));
  }
}

TEST(Explain, NoiseDoesNotMislead) {
  Robot robot = Puma(), other = Puma();
  other.gravity = {0, 0, 9.81};
  Terms terms;
  terms.friction = false;
  LogRows tau = other.Torques(robot.q, robot.v, robot.a, terms);
  std::mt19937_64 random(5);
  std::normal_distribution<> noise(0,
                                   0.01 * tau.norm() / std::sqrt(static_cast<double>(tau.size())));
  for (Eigen::Index i = 0; i < tau.size(); ++i) tau.data()[i] += noise(random);
  const Verdict verdict = robot.Solve(tau);
  EXPECT_TRUE(verdict.explained);
  EXPECT_NEAR(verdict.best.residual, 0.01, 0.003);
  EXPECT_THAT(verdict.best.changes,
              UnorderedElementsAre("gravity has the opposite sign", "without friction"));
}

TEST(Explain, WhatIsNoUsualMistakeIsNotExplained) {
  Robot robot = Puma();
  LogRows tau = robot.Torques(robot.q, robot.v, robot.a);
  std::mt19937_64 random(6);
  std::normal_distribution<> noise(0, tau.norm());
  for (Eigen::Index i = 0; i < tau.size(); ++i) tau.data()[i] = noise(random);
  const Verdict verdict = robot.Solve(tau);
  EXPECT_FALSE(verdict.agrees);
  EXPECT_FALSE(verdict.explained);
}

}  // namespace
}  // namespace torqued::cli
