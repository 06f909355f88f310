// Do the textbook's small arms come out? Closed forms: planar 2R, RP, vertical PP with motors, 2R driven from the base.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/builder.h"
#include "tests/oracle/match.h"

namespace torqued {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using oracle::Builder;
using oracle::Mass;
using oracle::Near;
using oracle::Translation;

constexpr double kDeg = M_PI / 180;
constexpr double kGravity = 9.81;

MassProperties Bar(double mass, double centre, double inertia) {
  return Mass(mass, {centre, 0, 0}, inertia, inertia, inertia);
}

// Axes +z, links along x, gravity along -y.
Model Planar2R(double l1, double l2, const MassProperties& first, const MassProperties& second) {
  Builder b;
  const int upper = b.Add(0, JointKind::kRevolute, Translation(0, 0, 0), Vector3d::UnitZ(), first);
  const int lower = b.Add(upper, JointKind::kRevolute, Translation(l1, 0, 0), Vector3d::UnitZ(), second);
  b.Add(lower, JointKind::kFixed, Translation(l2, 0, 0), Vector3d::UnitZ(), std::nullopt, "hand");
  b.model().gravity = {0, -kGravity, 0};
  return b.Build();
}
Model WeightlessRP() {  // the slide runs along the turned x axis
  Builder b;
  const int turn = b.Add(0, JointKind::kRevolute, Translation(0, 0, 0), Vector3d::UnitZ(), Bar(0, 0, 0));
  b.Add(turn, JointKind::kPrismatic, Translation(0, 0, 0), Vector3d::UnitX(), Bar(0, 0, 0), "hand");
  return b.Build();
}
VectorXd Force(double x, double y) {
  VectorXd F = VectorXd::Zero(6);
  F[0] = x, F[1] = y;
  return F;
}

TEST(TwoLink, HandVelocity) {
  Evaluate e(Planar2R(0.5, 0.5, Bar(0, 0, 0), Bar(0, 0, 0)));
  const struct { Vector2d v, theta_deg, rate; double det; } rows[] = {
      {{-1, 0}, {30, -60}, {2.0, -4.0}, -0.2165063509},
      {{0, 1}, {30, 120}, {1.1547005384, -2.3094010768}, 0.2165063509},
      {{1, 1}, {30, -30}, {-4.0, 9.4641016151}, -0.125}};
  for (const auto& r : rows) {
    const Eigen::MatrixXd J = e.FrameJacobian(e.m.frames[3], Expression::kWorldAligned, r.theta_deg * kDeg);
    EXPECT_TRUE(Near(J.topRows<2>() * r.rate, r.v, 1e-9));
    EXPECT_NEAR(J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0), r.det, 1e-10);
  }
}

TEST(TwoLink, StaticTorque) {
  Evaluate e(Planar2R(0.5, 0.5, Bar(0, 0, 0), Bar(0, 0, 0)));
  const struct { Vector2d on_hand, theta_deg, tau; } rows[] = {
      {{-10, 0}, {30, -60}, {0, 2.5}},
      {{0, -10}, {30, 120}, {0, -4.3301270189}},
      {{10, 10}, {30, -30}, {-6.8301270189, -5.0}}};
  for (const auto& r : rows)
    EXPECT_TRUE(Near(e.Wrench(e.m.frames[3], WrenchAxes::kOfWorld, Force(-r.on_hand[0], -r.on_hand[1]), r.theta_deg * kDeg),
                     r.tau, 1e-9));
}

TEST(ThreeLink, HoldsALoadAtTheHand) {
  Builder b;
  int link = b.Add(0, JointKind::kRevolute, Translation(0, 0, 0), Vector3d::UnitZ(), Bar(0, 0, 0));
  link = b.Add(link, JointKind::kRevolute, Translation(0.8, 0, 0), Vector3d::UnitZ(), Bar(0, 0, 0));
  link = b.Add(link, JointKind::kRevolute, Translation(0.8, 0, 0), Vector3d::UnitZ(), Bar(0, 0, 0));
  b.Add(link, JointKind::kFixed, Translation(0.4, 0, 0), Vector3d::UnitZ(), std::nullopt, "hand");
  b.model().gravity = {0, -kGravity, 0};
  Evaluate e(b.Build());
  const Vector3d q = Vector3d(60, -60, -90) * kDeg, want(117.72, 78.48, 0);
  EXPECT_TRUE(Near(e.Wrench(e.m.frames[4], WrenchAxes::kOfWorld, Force(0, 10 * kGravity), q), want, 1e-13));
  // The same load as a payload of 10 kg.
  std::vector<BodyInertia> inertias;
  ResetInertias(e.m, inertias);
  AddPayload({e.m.frames[4], Mass(10, {0, 0, 0}, 0, 0, 0)}, inertias);
  e.conditions.inertias = inertias.data();
  EXPECT_TRUE(Near(e.Gravity(q), want, 1e-13));
}

TEST(TurnAndSlide, VelocityAndStatics) {
  Evaluate e(WeightlessRP());
  const struct { double theta_deg, d; Vector2d rate, v, on_hand, tau; } rows[] = {
      {0, 0.50, {1, 1}, {1, 0.5}, {-40, 0}, {0, 40}},
      {30, 0.80, {1.5, 1.5}, {0.6990381057, 1.7892304845}, {-40, 25}, {-33.3205080757, 22.1410161514}},
      {60, 1.00, {1.5, 1.5}, {-0.5490381057, 2.0490381057}, {-40, 40}, {-54.6410161514, -14.6410161514}},
      {90, 0.70, {1, 1}, {-0.7, 1}, {40, 0}, {28, 0}}};
  for (const auto& r : rows) {
    const Vector2d q(r.theta_deg * kDeg, r.d);
    EXPECT_TRUE(Near(e.FrameJacobian(e.m.frames[2], Expression::kWorldAligned, q).topRows<2>() * r.rate, r.v, 1e-9));
    EXPECT_TRUE(Near(e.Wrench(e.m.frames[2], WrenchAxes::kOfWorld, Force(-r.on_hand[0], -r.on_hand[1]), q), r.tau, 1e-9));
  }
}

TEST(TwoLink, PointMassesFromStraightDown) {
  const double m1 = 2, m2 = 3, p1 = 0.4, p2 = 0.3, l1 = 0.7;
  Model model = Planar2R(l1, 0.5, Bar(m1, p1, 0), Bar(m2, p2, 0));
  model.X_WR = oracle::Rpy(0, 0, -M_PI / 2);  // theta1 = 0 hangs down
  Evaluate e(model);
  const Vector2d q(0.4, -1.1);
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]);
  const double D12 = m2 * p2 * p2 + m2 * l1 * p2 * c2;
  Matrix2d D;
  D << m1 * p1 * p1 + m2 * p2 * p2 + m2 * l1 * l1 + 2 * m2 * l1 * p2 * c2, D12, D12, m2 * p2 * p2;
  EXPECT_TRUE(Near(e.Mass(q), D, 1e-14));
  EXPECT_TRUE(Near(e.Gravity(q),
                   Vector2d((m1 * p1 + m2 * l1) * kGravity * s1 + m2 * p2 * kGravity * s12, m2 * p2 * kGravity * s12),
                   1e-14));
  VectorXd coefficients(8), want(8);
  CoriolisCoefficients(e.m, e.conditions, q.data(), e.ws, coefficients.data());
  const double h = -m2 * l1 * p2 * s2;  // D_112 + D_121 is the whole factor of the textbook
  want << 0, h, h, h, -h, 0, 0, 0;
  EXPECT_TRUE(Near(coefficients, want, 1e-14));
}

TEST(TwoLink, ClosedFormWithInertias) {
  const double m = 50, l = 1, lc = 0.5, I = 10;
  Evaluate e(Planar2R(l, l, Bar(m, lc, I), Bar(m, lc, I)));
  const Vector2d q(0.3, 0.8), v(-0.7, 1.3), a(2, -1);
  const double c2 = std::cos(q[1]), h = -m * l * lc * std::sin(q[1]);
  const double d12 = m * (lc * lc + l * lc * c2) + I;
  Matrix2d D, C;
  D << m * lc * lc + m * (l * l + lc * lc + 2 * l * lc * c2) + 2 * I, d12, d12, m * lc * lc + I;
  C << h * v[1], h * v[1] + h * v[0], -h * v[0], 0;
  const double g2 = m * lc * kGravity * std::cos(q[0] + q[1]);
  const Vector2d g((m * lc + m * l) * kGravity * std::cos(q[0]) + g2, g2);
  EXPECT_TRUE(Near(e.Mass(q), D, 1e-14));
  EXPECT_TRUE(Near(e.CoriolisC(q, v), C, 1e-14));
  EXPECT_TRUE(Near(e.Inverse(q, v, a), D * a + C * v + g, 1e-14));
  EXPECT_TRUE(Near(e.Forward(q, v, D * a + C * v + g), a, 1e-13));
}

TEST(Cartesian, MotorsCountByTheSquareOfTheirRatio) {
  const double m_l1 = 8, m_l2 = 5, m_m2 = 1.5, I_m = 2e-4, per_metre = 300;
  Builder b;
  const int lift = b.Add(0, JointKind::kPrismatic, Translation(0, 0, 0), Vector3d::UnitZ(), Mass(m_l1 + m_m2, {0, 0, 0}, 0, 0, 0));
  b.Add(lift, JointKind::kPrismatic, Translation(0, 0, 0.2), Vector3d::UnitX(), Mass(m_l2, {0.1, 0, 0}, 0.1, 0.1, 0.1));
  b.model().rotors = {{"motor1", I_m, -1, Vector3d::UnitZ(), {{0, per_metre}}}, {"motor2", I_m, lift, Vector3d::UnitZ(), {{1, per_metre}}}};
  Evaluate e(b.Build());
  const Vector2d q(0.3, 0.4);
  Matrix2d D = Matrix2d::Zero();
  D(0, 0) = m_l1 + m_l2 + m_m2 + I_m * per_metre * per_metre;
  D(1, 1) = m_l2 + I_m * per_metre * per_metre;
  EXPECT_TRUE(Near(e.Mass(q), D, 1e-14));
  EXPECT_TRUE(Near(e.Gravity(q), Vector2d((m_l1 + m_l2 + m_m2) * kGravity, 0), 1e-14));
  EXPECT_TRUE(Near(e.Coriolis(q, Vector2d(1, 2)), Vector2d::Zero(), 0));
}

// Both motors on the base: p1 = q1, p2 = q1 + q2 are absolute angles, and the Coriolis force between the links is gone.
TEST(RemoteDrivenTwoLink, AbsoluteAngles) {
  const double m1 = 4, m2 = 3, l1 = 0.6, lc1 = 0.25, lc2 = 0.2, I1 = 0.3, I2 = 0.1;
  Model model = Planar2R(l1, 0.5, Bar(m1, lc1, I1), Bar(m2, lc2, I2));
  model.joints[1].coupling = {{1, 1.0}, {0, -1.0}};
  Evaluate e(model);
  ASSERT_TRUE(e.m.coupled);
  const Vector2d p(0.4, 1.5), v(0.9, -1.4), a(1, 2);
  const double d12 = m2 * l1 * lc2 * std::cos(p[1] - p[0]), h = m2 * l1 * lc2 * std::sin(p[1] - p[0]);
  Matrix2d D, C;
  D << m1 * lc1 * lc1 + m2 * l1 * l1 + I1, d12, d12, m2 * lc2 * lc2 + I2;
  C << 0, -h * v[1], h * v[0], 0;
  const Vector2d g((m1 * lc1 + m2 * l1) * kGravity * std::cos(p[0]), m2 * lc2 * kGravity * std::cos(p[1]));
  EXPECT_TRUE(Near(e.Mass(p), D, 1e-14));
  EXPECT_TRUE(Near(e.CoriolisC(p, v), C, 1e-14));
  EXPECT_TRUE(Near(e.Inverse(p, v, a), D * a + C * v + g, 1e-14));
  EXPECT_TRUE(Near(e.Forward(p, v, D * a + C * v + g), a, 1e-13));
}

// A weightless arm that pushes: what each joint carries, and that the hand's load arrives at the base unchanged.
TEST(LinkForcesTest, WeightlessArmCarriesTheHandForce) {
  Evaluate e(Planar2R(0.5, 0.4, Bar(0, 0, 0), Bar(0, 0, 0)), {.lump_fixed = false});
  const Vector2d q(0, M_PI / 2);  // upper link along x, lower along y; the hand at (0.5, 0.4)
  const ExternalWrench<double> on_hand{e.m.frames[3], WrenchAxes::kOfWorld, {{10, 20, 0}, {0, 0, 0}}};
  ForcePair<double> F[4];
  LinkForces<double>(e.m, e.conditions, q.data(), nullptr, nullptr, &on_hand, 1, e.ws, F);
  EXPECT_TRUE(Near(ToEigen(F[1].f), Vector3d(-10, -20, 0), 1e-14));
  EXPECT_TRUE(Near(ToEigen(F[1].n), Vector3d(0, 0, -(0.5 * 20 - 0.4 * 10)), 1e-14));
  EXPECT_TRUE(Near(ToEigen(F[2].f), Vector3d(-20, 10, 0), 1e-14));  // in the lower link's axes, turned by 90 degrees
  EXPECT_TRUE(Near(ToEigen(F[2].n), Vector3d(0, 0, 0.4 * 10), 1e-14));
  EXPECT_TRUE(Near(ToEigen(F[3].f), Vector3d(-20, 10, 0), 1e-14));
  EXPECT_TRUE(Near(ToEigen(F[3].n), Vector3d::Zero(), 1e-14));
}

// A point that slides outward at u on a table turning at w: acceleration -w^2 r + 2 w u, and the table sees it straight.
TEST(PointMotionTest, CoriolisAccelerationOnATurntable) {
  Builder b;
  b.Add(0, JointKind::kRevolute, Translation(1, 2, 0), Vector3d::UnitZ(), Bar(0, 0, 0));
  Evaluate e(b.Build());
  const double q = 0, w = 3, u = 0.5, r = 0.4;
  ForwardMotion<double>(e.m, &q, &w, nullptr, e.ws);
  const Pose<double> X = FramePose(e.m.frames[1], e.ws);
  const FrameMotion<double> table = MotionInWorldAxes(e.m.frames[1], e.ws);
  const PointMotion<double> seen{{r, 0, 0}, {u, 0, 0}, {0, 0, 0}};
  const PointMotion<double> world = CarryToWorld(X, table, seen);
  EXPECT_TRUE(Near(ToEigen(world.p), Vector3d(1 + r, 2, 0), 1e-15));
  EXPECT_TRUE(Near(ToEigen(world.v), Vector3d(u, w * r, 0), 1e-15));
  EXPECT_TRUE(Near(ToEigen(world.a), Vector3d(-w * w * r, 2 * w * u, 0), 1e-15));
  const PointMotion<double> back = SeenFrom(X, table, world);
  EXPECT_TRUE(Near(ToEigen(back.p), ToEigen(seen.p), 1e-15));
  EXPECT_TRUE(Near(ToEigen(back.v), ToEigen(seen.v), 1e-15));
  EXPECT_TRUE(Near(ToEigen(back.a), ToEigen(seen.a), 1e-14));
}

}  // namespace
}  // namespace torqued
