// Whole moves: reference durations, and cases that broke other planners.
#include "client/planning/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/planning/hard_inputs.h"
#include "tests/planning/robots.h"

namespace torqued {
namespace {

using ::testing::HasSubstr;
using test::ArmLink;
using test::Dry;
using test::Local;
using test::Pendulum;
using test::Portal;
using test::Shift;
using test::TwoLink;
using test::Vector;

constexpr double kPi = 3.14159265358979323846;

HandOptions PositionOnly(int intervals = 500) {
  HandOptions o;
  o.follow.task = TaskRows::PositionOnly();
  o.timing.intervals = intervals;
  return o;
}

// Joints of a planar 2R arm with l = 1 at (x, y), elbow negative (q2 < 0).
Eigen::VectorXd ElbowNegative(double x, double y) {
  const double c = (x * x + y * y - 2) / 2, q2 = -std::acos(c);
  return Vector({std::atan2(y, x) - std::atan2(std::sin(q2), 1 + c), q2});
}

// Four axes: two turns, z, turn.
std::shared_ptr<Model> Scara() {
  std::vector<ArmLink> links(4);
  const double mass[] = {4, 3, 1, 0.3}, torque[] = {60, 30, 60, 5}, v[] = {7, 9, 1.2, 20}, a[] = {60, 90, 20, 300};
  for (int k = 0; k < 4; ++k) {
    links[k].mass.mass = mass[k];
    links[k].mass.com = {k < 2 ? 0.12 : 0, 0, 0};
    links[k].mass.inertia_about_com = Eigen::Vector3d(0.01, 0.02, 0.02).asDiagonal();
    links[k].limits.effort = torque[k];
    links[k].limits.velocity = v[k];
    links[k].limits.acceleration = a[k];
    links[k].limits.jerk = 20 * a[k];
    links[k].friction = Dry(0.02 * torque[k], 0.01);
  }
  links[0].X_PJ = Shift(0, 0, 0.3);
  links[1].X_PJ = Shift(0.25, 0, 0);
  links[2].X_PJ = Shift(0.2, 0, 0);
  links[2].kind = JointKind::kPrismatic;
  links[2].limits.lower = -0.2;
  links[2].limits.upper = 0.1;
  return test::Arm(links, Shift(0, 0, -0.1));
}

TEST(Plan, TwoLinkHandLine) {
  const struct { double t1, t2, gravity, duration; } cases[] = {{35, 12, 9.81, 0.5949607899}, {10, 5, 0, 0.9606651175}};
  for (const auto& c : cases) {
    auto source = Local(TwoLink(c.t1, c.t2, {}, c.gravity));
    const auto plan = PlanLine(*source, ElbowNegative(1.2, -0.6), Shift(0.3, 1.2, 0), PositionOnly());
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_NEAR(plan->timed->duration_s(), c.duration, 2e-3 * c.duration);
    EXPECT_LE(plan->report.worst_torque_ratio, 1.001);
    EXPECT_LE(plan->report.path_residual, 1e-5);
    // Every sample on the line, by the arm's own geometry.
    for (int k = 0; k < plan->trajectory.sample_count(); ++k) {
      const auto q = plan->trajectory.q.col(k);
      const double x = std::cos(q(0)) + std::cos(q(0) + q(1)), y = std::sin(q(0)) + std::sin(q(0) + q(1));
      EXPECT_NEAR((x - 1.2) * 1.8 - (y + 0.6) * -0.9, 0, 3e-5);
      EXPECT_LT(q(1), 0);
    }
  }
}

TEST(Plan, FrictionInsideTheLimitWhateverTheParameter) {
  const double fc[] = {0, 0.5, 0.5, 0.5}, fv[] = {0, 0, 0.4, 4}, duration[] = {0.7358280221, 0.7401995770, 0.7488226982, 0.8575099614};
  for (int k = 0; k < 4; ++k) {
    auto source = Local(TwoLink(35, 12, Dry(fc[k], fv[k])));
    PtpOptions options;
    options.timing.intervals = 500;
    const auto plan = PlanPtp(*source, Vector({-kPi / 2, 0}), Vector({kPi / 4, -kPi / 3}), options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_NEAR(plan->timed->duration_s(), duration[k], 2e-3 * duration[k]) << k;
    EXPECT_LE(plan->report.worst_torque_ratio, 1.001);
    EXPECT_LE(plan->timed->lower_bound_s, plan->timed->duration_s());
    EXPECT_GT(plan->timed->lower_bound_s, 0.95 * plan->timed->duration_s() * (k == 3 ? 0.85 : 1));
  }
}

TEST(Plan, PassesWhereItCannotHold) {
  auto strong = Local(Pendulum(12)), weak = Local(Pendulum(9)), none = Local(Pendulum(6));
  const auto from = Vector({-kPi / 2}), to = Vector({kPi / 2});
  EXPECT_TRUE(PlanPtp(*strong, from, to)->timed->not_holdable.empty());
  const auto plan = PlanPtp(*weak, from, to);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->timed->not_holdable.size(), 1u);
  // Held until cos q = 9 / 9.81, q = -0.4095.
  EXPECT_NEAR(plan->timed->not_holdable[0].s_from, kPi / 2 - std::acos(9 / 9.81), 0.01);
  EXPECT_THAT(plan->report.warnings, ::testing::Contains(HasSubstr("cannot hold")));
  const auto failed = PlanPtp(*none, from, to);
  const auto why = InfeasibilityOf(failed.status());
  ASSERT_TRUE(why.has_value()) << failed.status();
  EXPECT_EQ(why->joint, "j1");
  EXPECT_EQ(why->limit, 6);
  EXPECT_NEAR(why->needed, 7.1084, 0.003 * 7.1084);  // closed form in time_optimal_test
  EXPECT_NEAR(why->smallest_factor, why->needed / 6, 1e-6);
  EXPECT_LT(why->share, 0.8);
}

TEST(Plan, NothingToDo) {
  auto scara = Local(Scara());
  const auto q = Vector({0, -kPi / 2, 0, kPi / 2});
  for (PtpKind kind : {PtpKind::kTimeOptimal, PtpKind::kSCurve, PtpKind::kTrapezoid, PtpKind::kCubic, PtpKind::kQuintic, PtpKind::kSeptic}) {
    PtpOptions options;
    options.kind = kind;
    const auto plan = PlanPtp(*scara, q, q, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->trajectory.sample_count(), 1);
    EXPECT_EQ(plan->trajectory.q, q);
    EXPECT_EQ(plan->trajectory.v.norm() + plan->trajectory.a.norm(), 0);
  }
  auto portal = Local(Portal(0.1745329251994329, 0.1745329251994329));
  const auto line = PlanLine(*portal, Vector({0.3, 0.2, 0.1}), Shift(0.3, 0.2, 0.1), PositionOnly());
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->trajectory.sample_count(), 1);
  const auto path = PlanPath(*portal, Eigen::MatrixXd::Zero(3, 3));
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(path->report.duration_s, 0);
  EXPECT_THAT(path->report.warnings, ::testing::Contains(HasSubstr("merged")));
  PtpOptions trapezoid;
  trapezoid.kind = PtpKind::kTrapezoid;
  const auto one = PlanPtp(*portal, Vector({0, 0, 0}), Vector({0, 0, 1}), trapezoid);
  ASSERT_TRUE(one.ok());
  EXPECT_NEAR(one->report.duration_s, 6.729578, 1e-3 + 1e-6);  // rounded up to whole cycles
  EXPECT_EQ(one->trajectory.q.topRows(2).norm(), 0);
}

TEST(Plan, ArcStaysOnItsCircle) {
  auto portal = Local(Portal(10, 20));
  const auto plan = PlanArc(*portal, Vector({1, 0, 0}), Eigen::Vector3d(std::cos(2.0), std::sin(2.0), 0), Shift(0, -1, 0), PositionOnly());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_NEAR(plan->timed->path->length(), 1.5 * kPi, 1e-9);
  for (int k = 0; k < plan->trajectory.sample_count(); ++k) EXPECT_NEAR(plan->trajectory.q.col(k).norm(), 1, 1e-5);
  EXPECT_FALSE(PlanArc(*portal, Vector({1, 0, 0}), Eigen::Vector3d(2, 0, 0), Shift(3, 0, 0), PositionOnly()).ok());
}

TEST(Plan, SlerpTakesTheShortWayEvenly) {
  Eigen::Isometry3d from = Shift(0, 0, 0), to = Shift(0, 0, 1);
  from.linear() = Eigen::AngleAxisd(3.0, Eigen::Vector3d::UnitX()).toRotationMatrix();
  to.linear() = Eigen::AngleAxisd(-3.0, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const auto hand = HandLine(from, to);
  ASSERT_TRUE(hand.ok());
  ASSERT_EQ(hand->turns.size(), 1u);
  EXPECT_NEAR(hand->turns[0].angle, 2 * kPi - 6, 1e-12);
  EXPECT_NEAR((hand->PoseAt(1).linear() - to.linear()).norm(), 0, 1e-12);
  EXPECT_NEAR((hand->PoseAt(0.5).linear() - Eigen::AngleAxisd(kPi, Eigen::Vector3d::UnitX()).toRotationMatrix()).norm(), 0, 1e-12);
}

TEST(Plan, SingularLinesSlowDownOrAreRefused) {
  auto source = Local(TwoLink(35, 12));
  // Through the base: equal links fold and open on the other side, which is another branch.
  const auto through = PlanLine(*source, ElbowNegative(0.6, 0), Shift(-0.6, 0, 0), PositionOnly());
  ASSERT_TRUE(through.ok()) << through.status();
  EXPECT_NE(through->branch_start, through->branch_end);
  EXPECT_THAT(through->report.warnings, ::testing::Contains(HasSubstr("branch changes")));
  // To the very edge of reach: the elbow would need infinite speed.
  const auto edge = PlanLine(*source, ElbowNegative(1, 0), Shift(2, 0, 0), PositionOnly());
  ASSERT_FALSE(edge.ok());
  EXPECT_THAT(std::string(edge.status().message()), HasSubstr("point-to-point"));
  EXPECT_THAT(std::string(edge.status().message()), HasSubstr("joint j2 would have to jump"));
  // Beyond reach.
  EXPECT_THAT(std::string(PlanLine(*source, ElbowNegative(1, 0), Shift(2.5, 0, 0), PositionOnly()).status().message()), HasSubstr("out of reach"));
  // Past the base at a finger's width: slow there, but done.
  const auto past = PlanLine(*source, ElbowNegative(0.6, 0.02), Shift(-0.6, 0.02, 0), PositionOnly());
  ASSERT_TRUE(past.ok()) << past.status();
  EXPECT_THAT(past->report.warnings, ::testing::Contains(HasSubstr("near a singularity")));
  EXPECT_LE(past->report.worst_torque_ratio, 1.001);
}

TEST(Plan, GateLiftsTravelsAndSetsDown) {
  auto source = Local(Scara());
  const auto from = Vector({0.4, 0.6, -0.1, 0}), to = Vector({-0.7, -0.5, -0.05, 1});
  GateOptions options;
  options.lift = 0.06;
  options.clear = 0.02;
  const auto plan = PlanGate(*source, from, to, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Trajectory& t = plan->trajectory;
  EXPECT_EQ(plan->report.violations.size(), 0u);
  EXPECT_NEAR((t.q.rightCols(1) - to).norm(), 0, 1e-12);
  EXPECT_NEAR(t.q.row(2).maxCoeff(), 0.01, 1e-9);
  for (int k = 0; k < t.sample_count(); ++k) {
    if (t.q(2, k) < -0.1 + 0.02 - 1e-6 && k < t.sample_count() / 2) {  // straight up first
      EXPECT_NEAR(t.q(0, k), 0.4, 1e-9);
    }
    if (t.q(2, k) < -0.05 + 0.02 - 1e-6 && k > t.sample_count() / 2) {  // straight down last
      EXPECT_NEAR(t.q(1, k), -0.5, 1e-9);
    }
  }
  const double direct = PlanPtp(*source, from, to)->timed->duration_s();
  EXPECT_GT(plan->timed->duration_s(), direct);
}

TEST(Plan, ScaraHandLineNamesItsBranch) {
  auto source = Local(Scara());
  const auto from = Vector({0.4, 0.9, -0.1, 0});
  Eigen::Isometry3d goal = source->Frames(Vector({-0.5, 1.2, -0.05, 0.4}), false)->X_WF[0];
  HandOptions options;
  options.timing.tool_speed = 0.3;
  const auto plan = PlanLine(*source, from, goal, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->branch_start, plan->branch_end);
  EXPECT_NE(plan->branch_start, "");
  const FrameAnswer hand = source->Frames(plan->trajectory.q, false).value();
  const Eigen::Vector3d a = hand.X_WF.front().translation(), d = (goal.translation() - a).normalized();
  for (const auto& X : hand.X_WF) EXPECT_NEAR((X.translation() - a).cross(d).norm(), 0, 2e-5);
  const auto ptp = PlanPtpToPose(*source, from, goal);
  ASSERT_TRUE(ptp.ok()) << ptp.status();
  EXPECT_LT(ptp->report.duration_s, plan->report.duration_s);
  EXPECT_THAT(std::string(PlanPtpToPose(*source, from, goal, "sideways").status().message()), HasSubstr("not among"));
}

}  // namespace
}  // namespace torqued
