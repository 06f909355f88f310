// Simulation: conserved quantities, order of the integrators, dry friction that sticks, stops that bounce and hold.
#include "server/core/dynamics/simulate.h"

#include <gtest/gtest.h>

#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::VectorXd;
using Kind = SimulationEvent::Kind;

VectorXd Vec(std::initializer_list<double> x) {
  return Eigen::Map<const VectorXd>(x.begin(), static_cast<int>(x.size()));
}
void NoTorque(double, const VectorXd&, const VectorXd&, VectorXd& tau) { tau.setZero(); }
DriveTorque Constant(double x) {
  return [x](double, const VectorXd&, const VectorXd&, VectorXd& tau) { tau.setConstant(x); };
}

// A mass of 2 kg on a vertical or horizontal slide.
Model Slide(bool vertical) {
  Model m = testing::Base("slide");
  testing::AddJoint(m, JointKind::kPrismatic, 0, testing::At(0, 0, 0),
                    vertical ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitX(), testing::Body3(2, {0, 0, 0}, .1, .1, .1));
  return m;
}

TEST(Simulate, EnergyStaysWithTheRobot) {
  const Prepared m = Prepare(testing::PlanarArm({1, .7, .5}));
  for (const auto& [method, bound] : {std::pair{Integrator::kRungeKutta4, 1e-6}, {Integrator::kDormandPrince, 1e-5},
                                      {Integrator::kSemiImplicitEuler, 2}}) {
    SimulateOptions o;
    o.integrator = method;
    Simulator s(m, Conditions(m), o);
    s.Reset(0, Vec({.3, -.4, .2}), Vec({.5, 0, -1}));
    std::vector<SimulationEvent> events;
    ASSERT_EQ(s.Advance(3, NoTorque, events), SimulationStatus::kRunning);
    EXPECT_LT(std::abs(s.drift()), bound);
    EXPECT_TRUE(events.empty());
    EXPECT_DOUBLE_EQ(s.time(), 3);
  }
}

TEST(Simulate, WorkAndHeatCloseTheAccount) {
  Model model = testing::PlanarArm({1, .7});
  model.coordinates[0].friction.viscous = .8;
  model.coordinates[1].friction.viscous = .5;
  const Prepared m = Prepare(model);
  Simulator s(m, Conditions(m), {});
  s.Reset(0, Vec({.3, -.4}), Vec({.5, 0}));
  std::vector<SimulationEvent> events;
  s.Advance(2, [](double t, const VectorXd& q, const VectorXd& v, VectorXd& tau) {
    tau << 5 * std::sin(3 * t) - q[0], -v[1] + std::cos(t);
  }, events);
  EXPECT_GT(s.heat(), .1);
  EXPECT_LT(std::abs(s.drift()), 1e-8);
}

// Pendulum of small length against the period of the elliptic integral: T = 4 K(sin(A/2)) sqrt(l / g).
TEST(Simulate, PendulumPeriod) {
  const Prepared m = Prepare(testing::PlanarArm({2}, 1, 0, .5));  // point mass at 1 m
  const double A = 2.0, k = std::sin(A / 2);
  double a = 1, b = std::sqrt(1 - k * k);
  while (std::abs(a - b) > 1e-15) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b), a = mean;
  }
  const double period = 2 * M_PI / a / std::sqrt(9.81);
  SimulateOptions o;
  o.integrator = Integrator::kDormandPrince;
  o.tolerance = 1e-11;
  o.step = .05;
  Simulator s(m, Conditions(m), o);
  s.Reset(0, Vec({-M_PI / 2 + A}), Vec({0}));
  std::vector<SimulationEvent> events;
  s.Advance(period, NoTorque, events);
  EXPECT_NEAR(s.q()[0], -M_PI / 2 + A, 1e-8);
  EXPECT_NEAR(s.v()[0], 0, 1e-7);
}

// A body tumbling free of gravity keeps its angular momentum in the world; quaternions keep unit length.
TEST(Simulate, TumblingBodyKeepsItsMomentum) {
  Model model = testing::Base("body");
  model.gravity.setZero();
  testing::AddJoint(model, JointKind::kFloating, 0, testing::At(0, 0, 0), Eigen::Vector3d::UnitZ(),
                    testing::Body3(2, {.1, -.2, .05}, .1, .2, .25));
  const Prepared m = Prepare(model);
  Simulator s(m, Conditions(m), {});
  VectorXd q(7);
  SetNeutral(m, q.data());
  s.Reset(0, q, Vec({.3, -.2, .1, 3, 1, -2}));
  const auto momentum = [&] {
    Workspace<double> ws(m);
    VectorXd p(6);
    // M v is the momentum in body axes about the body's origin.
    std::vector<double> M(36);
    MassMatrix(m, Conditions(m), s.q().data(), ws, M.data());
    p = Eigen::Map<Eigen::MatrixXd>(M.data(), 6, 6) * s.v();
    const Eigen::Matrix3d R = Eigen::Quaterniond(s.q()[6], s.q()[3], s.q()[4], s.q()[5]).toRotationMatrix();
    VectorXd out(6);
    out.head<3>() = R * p.head<3>();
    out.tail<3>() = R * p.tail<3>() + s.q().head<3>().cross(Eigen::Vector3d(R * p.head<3>()));
    return out;
  };
  const VectorXd before = momentum();
  std::vector<SimulationEvent> events;
  s.Advance(3, NoTorque, events);
  EXPECT_LT((momentum() - before).norm(), 1e-9);
  EXPECT_NEAR(s.q().segment<4>(3).norm(), 1, 1e-14);
}

TEST(Simulate, IntegratorsHaveTheirOrderOnTheManifold) {
  const Model model = testing::RandomTree(6, 4, true, false);
  const Prepared m = Prepare(model);
  Random random(3);
  const VectorXd q = testing::RandomPositions(m, random, 1), v = testing::RandomRates(m.nv, random, 1);
  const auto end = [&](Integrator method, double step) {
    SimulateOptions o;
    o.integrator = method;
    o.step = step;
    Simulator s(m, Conditions(m), o);
    s.Reset(0, q, v);
    std::vector<SimulationEvent> events;
    EXPECT_EQ(s.Advance(.32, NoTorque, events), SimulationStatus::kRunning);
    VectorXd out(m.nq + m.nv);
    out << s.q(), s.v();
    return out;
  };
  const VectorXd exact = end(Integrator::kRungeKutta4, .32 / 2048);
  const auto order = [&](Integrator method, double step) {
    return std::log2((end(method, step) - exact).norm() / (end(method, step / 2) - exact).norm());
  };
  EXPECT_NEAR(order(Integrator::kRungeKutta4, .01), 4, .35);
  EXPECT_NEAR(order(Integrator::kSemiImplicitEuler, .002), 1, .15);
}

TEST(Simulate, DryFrictionHoldsExactlyAndBreaksAway) {
  Model model = Slide(false);
  model.coordinates[0].friction.coulomb_positive = 3;
  model.coordinates[0].friction.coulomb_negative = 5;
  model.coordinates[0].friction.breakaway = 6;
  model.coordinates[0].friction.stribeck_velocity = .01;
  const Prepared m = Prepare(model);
  for (const Integrator method : {Integrator::kRungeKutta4, Integrator::kSemiImplicitEuler, Integrator::kDormandPrince}) {
    SimulateOptions o;
    o.integrator = method;
    Simulator s(m, Conditions(m), o);
    s.Reset(0, Vec({.2}), Vec({0}));
    std::vector<SimulationEvent> events;
    s.Advance(1, Constant(5.9), events);
    EXPECT_EQ(s.q()[0], .2) << "below breakaway: not a bit of creep";
    EXPECT_EQ(s.v()[0], 0);
    EXPECT_TRUE(events.empty());
    // A ramp of 2 N/s starting at 5 breaks away at 6 N.
    s.Reset(0, Vec({0}), Vec({0}));
    s.Advance(1, [](double t, const VectorXd&, const VectorXd&, VectorXd& tau) { tau[0] = 5 + 2 * t; }, events);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, Kind::kSlip);
    EXPECT_NEAR(events[0].time, .5, 2 * o.step);
    EXPECT_GT(s.v()[0], .1);
  }
}

// m = 2, v0 = 3, Coulomb 5: stops after m v0 / 5 = 1.2 s and m v0^2 / 2 / 5 = 1.8 m, all energy as heat, and stays.
TEST(Simulate, SlidingBlockStopsWhereItShould) {
  Model model = Slide(false);
  model.coordinates[0].friction.coulomb_positive = 5;
  const Prepared m = Prepare(model);
  for (const Integrator method : {Integrator::kRungeKutta4, Integrator::kDormandPrince}) {
    SimulateOptions o;
    o.integrator = method;
    o.step = .01;
    Simulator s(m, Conditions(m), o);
    s.Reset(0, Vec({0}), Vec({3}));
    std::vector<SimulationEvent> events;
    s.Advance(5, NoTorque, events);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, Kind::kStick);
    EXPECT_NEAR(events[0].time, 1.2, 1e-9);
    EXPECT_NEAR(s.q()[0], 1.8, 1e-9);
    EXPECT_EQ(s.v()[0], 0);
    EXPECT_NEAR(s.heat(), 9, 1e-9);
    EXPECT_LT(std::abs(s.drift()), 1e-9);
  }
}

TEST(Simulate, BouncingOnAStopLosesWhatRestitutionSays) {
  const Prepared m = Prepare(Slide(true));
  SimulateOptions o;
  o.lower = Vec({0});
  o.upper = Vec({HUGE_VAL});
  o.restitution = .5;
  Simulator s(m, Conditions(m), o);
  s.Reset(0, Vec({1}), Vec({0}));
  std::vector<SimulationEvent> events;
  const double fall = std::sqrt(2 / 9.81);
  s.Advance(1.5 * fall, NoTorque, events);  // down, and with half the speed up to a quarter of the height
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(s.q()[0], .25, 1e-6);
  EXPECT_NEAR(s.heat(), 2 * 9.81 * .75, 1e-5);
  s.Advance(.6 * fall, NoTorque, events);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Kind::kReachLower);
  EXPECT_NEAR(events[0].time, fall, 1e-6);
  EXPECT_NEAR(events[0].speed, std::sqrt(2 * 9.81), 1e-6);
  EXPECT_NEAR(events[1].time, 2 * fall, 1e-6);
  EXPECT_NEAR(events[1].speed, std::sqrt(2 * 9.81) / 2, 1e-6);
  s.Advance(5, NoTorque, events);
  EXPECT_EQ(s.v()[0], 0) << "at rest on its stop";
  EXPECT_EQ(s.q()[0], 0);
  EXPECT_LT(std::abs(s.drift()), 1e-6);
  // Pushed off again.
  events.clear();
  s.Advance(.5, Constant(25), events);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].kind, Kind::kLeaveStop);
  EXPECT_NEAR(s.q()[0], .5 * (25 / 2. - 9.81) * .25, 1e-6);
}

TEST(Simulate, AStopInAnArmTakesOnlyItsOwnImpulse) {
  const Prepared m = Prepare(testing::PlanarArm({1, 1}));
  SimulateOptions o;
  o.lower = Vec({-HUGE_VAL, -.5});
  o.upper = Vec({HUGE_VAL, .5});
  Conditions c(m);
  c.gravity = Vec3<double>::Zero();
  Simulator s(m, c, o);
  s.Reset(0, Vec({0, 0}), Vec({0, 2}));
  Workspace<double> ws(m);
  const auto momentum = [&] {  // the first joint's generalised momentum: the stop acts between the links only
    std::vector<double> M(4);
    MassMatrix(m, c, s.q().data(), ws, M.data());
    return M[0] * s.v()[0] + M[1] * s.v()[1];
  };
  const double before = momentum();
  std::vector<SimulationEvent> events;
  s.Advance(1, NoTorque, events);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Kind::kReachUpper);
  EXPECT_EQ(events[1].kind, Kind::kLeaveStop) << "the turning arm throws its forearm outward";
  EXPECT_NEAR(momentum(), before, 1e-8);
  EXPECT_GT(s.heat(), 0);
  EXPECT_LT(std::abs(s.drift()), 1e-8);
}

TEST(Simulate, CoupledStickingComesToRestEverywhere) {
  Model model = testing::PlanarArm({1, .7, .5});
  for (Coordinate& c : model.coordinates) c.friction.coulomb_positive = c.friction.coulomb_negative = 30;
  const Prepared m = Prepare(model);
  Simulator s(m, Conditions(m), {});
  s.Reset(0, Vec({.5, .3, -.2}), Vec({3, -2, 4}));
  std::vector<SimulationEvent> events;
  ASSERT_EQ(s.Advance(4, NoTorque, events), SimulationStatus::kRunning);
  EXPECT_EQ(s.v().norm(), 0) << "strong friction wins";
  EXPECT_LT(std::abs(s.drift()), 1e-6);
  EXPECT_LT(events.size(), 40u) << "no chatter";
}

TEST(Simulate, SaysWhenItCannotGoOn) {
  const Prepared massless = Prepare(testing::PlanarArm({1, 1}, 0, 0));
  Simulator none(massless, Conditions(massless), {});
  none.Reset(0, Vec({0, 1}), Vec({0, 0}));
  std::vector<SimulationEvent> events;
  EXPECT_EQ(none.Advance(1, NoTorque, events), SimulationStatus::kSingularInertia);
  EXPECT_GE(none.singular_entry(), 0);

  const Prepared m = Prepare(Slide(false));
  for (const Integrator method : {Integrator::kRungeKutta4, Integrator::kDormandPrince}) {
    SimulateOptions o;
    o.integrator = method;
    Simulator s(m, Conditions(m), o);
    s.Reset(0, Vec({0}), Vec({1}));
    EXPECT_EQ(s.Advance(1, [](double t, const VectorXd&, const VectorXd&, VectorXd& tau) { tau[0] = t < .5 ? 0 : NAN; }, events),
              SimulationStatus::kDiverged);
    EXPECT_TRUE(s.q().allFinite());
    EXPECT_NEAR(s.time(), .5, 2e-3);
  }
}

TEST(Simulate, ATorqueBeyondNumbersIsNotCalledASingularInertia) {
  const Prepared m = Prepare(testing::PlanarArm({1, .7}));
  for (const double huge : {1e200, 1e308}) {
    Simulator s(m, Conditions(m), {});
    s.Reset(0, Vec({0, 0}), Vec({0, 0}));
    std::vector<SimulationEvent> events;
    const auto push = [huge](double, const VectorXd&, const VectorXd&, VectorXd& tau) { tau.setConstant(huge); };
    EXPECT_EQ(s.Advance(1, push, events), SimulationStatus::kDiverged) << huge;
  }
}

TEST(Simulate, StopsBeforeTheNextStepWhenAsked) {
  const Prepared m = Prepare(testing::PlanarArm({1, .7}));
  Simulator s(m, Conditions(m), {});
  s.Reset(0, Vec({.5, .3}), Vec({0, 0}));
  std::vector<SimulationEvent> events;
  int asked = 0;
  EXPECT_EQ(s.Advance(1e6, NoTorque, events, [&] { return ++asked <= 5; }), SimulationStatus::kStopped);
  EXPECT_EQ(s.steps(), 5);
  EXPECT_NEAR(s.time(), 5e-3, 1e-12);
  EXPECT_EQ(s.Advance(1e-3, NoTorque, events), SimulationStatus::kRunning) << "it can go on";
}

}  // namespace
}  // namespace torqued
