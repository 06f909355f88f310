// Torque by its terms, simplified models, checks, and standing on feet.
#include <gtest/gtest.h>

#include "server/core/dynamics/check.h"
#include "server/core/dynamics/simplify.h"
#include "server/core/dynamics/support.h"
#include "server/core/dynamics/torque_breakdown.h"
#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::VectorXd;

VectorXd Vec(std::initializer_list<double> x) {
  return Eigen::Map<const VectorXd>(x.begin(), static_cast<int>(x.size()));
}

// Puma 560 at qn, v = a = 1: joint 1 needs 32.495 Nm, mostly friction.
TEST(TorqueBreakdown, PumasFirstJoint) {
  const Prepared m = Prepare(testing::Puma560());
  TorqueBreakdown breakdown(m);
  const VectorXd q = Vec({0, .785398, 3.141593, 0, .785398, 0}), one = VectorXd::Ones(6);
  breakdown.Evaluate(Conditions(m), q.data(), one.data(), one.data());
  const JointBreakdown j = breakdown.Joint(0);
  EXPECT_NEAR(j.torque, 32.495, 5e-4);
  EXPECT_NEAR(j.own_inertia, 3.659, 5e-4);
  EXPECT_NEAR(j.own_rotor, .784, 5e-4);
  EXPECT_NEAR(j.coupling, -.306, 5e-4);
  EXPECT_NEAR(j.centripetal, -.663, 5e-4);
  EXPECT_NEAR(j.coriolis, -.728, 5e-4);
  EXPECT_NEAR(j.gravity, 0, 1e-12);
  EXPECT_NEAR(j.friction, 30.533, 5e-4);
  EXPECT_EQ(j.terms.front().kind, TermKind::kFriction) << "sorted, largest first";
  for (size_t k = 1; k < j.terms.size(); ++k) EXPECT_GE(std::abs(j.terms[k - 1].torque), std::abs(j.terms[k].torque));
  for (const TorqueTerm& t : j.terms)
    if (t.kind == TermKind::kCoriolis && t.j == 0 && t.k == 1) {
      EXPECT_NEAR(t.coefficient, -.628022, 1e-6);
    }
}

TEST(TorqueBreakdown, AddsUpToTheTorqueForAnyRobotAndTerms) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Prepared m = Prepare(testing::RandomTree(seed, 2 + static_cast<int>(seed) % 7, seed % 2 == 0, true));
    Random random(seed);
    const VectorXd q = testing::RandomPositions(m, random), v = testing::RandomRates(m.nv, random),
                   a = testing::RandomRates(m.nv, random);
    Conditions c(m);
    c.terms.inertia = seed % 5 != 0;
    c.terms.velocity = seed % 7 != 0;
    c.terms.rotor = seed % 3 != 0;
    c.terms.gravity = seed % 4 != 0;
    Workspace<double> ws(m);
    VectorXd tau(m.nv);
    InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, tau.data());
    TorqueBreakdown breakdown(m);
    breakdown.Evaluate(c, q.data(), v.data(), a.data());
    for (int i = 0; i < m.nv; ++i) {
      const JointBreakdown j = breakdown.Joint(i);
      double sum = 0;
      for (const TorqueTerm& t : j.terms) sum += std::abs(t.torque);
      EXPECT_NEAR(j.torque, tau[i], 1e-12 * std::max(sum, 1.0)) << "seed " << seed << " entry " << i;
      EXPECT_NEAR(j.torque, j.own_inertia + j.coupling + j.centripetal + j.coriolis + j.gravity + j.friction + j.springs,
                  1e-12 * std::max(sum, 1.0));
    }
  }
}

TEST(Simplify, ErrorIsExactlyTheDroppedTerm) {
  const Prepared m = Prepare(testing::PlanarArm({1, 1}));
  const Conditions c(m);
  const VectorXd q = Vec({.3, .7}), v = Vec({.5, -.4}), a = Vec({1, 2});
  Workspace<double> ws(m);
  VectorXd g(2), cv(2), simple(2), full(2), want(2);
  GravityTorque(m, c, q.data(), ws, g.data());
  CoriolisTorque<double>(m, c, q.data(), v.data(), ws, cv.data());
  InverseDynamics(m, c, q.data(), v.data(), a.data(), ws, want.data());
  // Featherstone planar(2): published torque.
  EXPECT_NEAR(want[0], 20.648283078, 1e-9);
  EXPECT_NEAR(want[1], 4.113131115, 1e-9);
  Simplification s;
  s.gravity = true;
  SimplifiedModel no_gravity(m, s);
  no_gravity.Torques(c, q.data(), v.data(), a.data(), simple.data(), full.data());
  EXPECT_LT((full - want).norm(), 1e-12);
  EXPECT_LT((simple - full + g).norm(), 1e-12);
  s = {};
  s.velocity = true;
  SimplifiedModel slow(m, s);
  const auto errors = slow.ErrorOver(c, 1, q.data(), v.data(), a.data());
  EXPECT_NEAR(errors[0].worst, -cv[0], 1e-12);
  EXPECT_NEAR(errors[1].rms, std::abs(cv[1]), 1e-12);
}

TEST(Simplify, SmallTermsHereAreNotSmallEverywhere) {
  const Prepared m = Prepare(testing::Puma560());
  const Conditions c(m);
  const VectorXd q = Vec({0, .785398, 3.141593, 0, .785398, 0}), slow = VectorXd::Constant(6, .05), one = VectorXd::Ones(6);
  TorqueBreakdown b(m);
  b.Evaluate(c, q.data(), slow.data(), slow.data());
  Simplification s;
  s.terms = TermsBelow(b, .01);
  EXPECT_GT(s.terms.size(), 100u);
  SimplifiedModel model(m, s);
  VectorXd simple(6), full(6);
  model.Torques(c, q.data(), slow.data(), slow.data(), simple.data(), full.data());
  // No term above 1 percent went: the error is bounded by their number, and is small.
  EXPECT_LT(std::abs(simple[1] - full[1]), .05 * std::abs(full[1]));
  StateBox box;
  box.q_lower.assign(6, -1), box.q_upper.assign(6, 1);
  box.v_lower.assign(6, -2), box.v_upper.assign(6, 2);
  box.a_lower.assign(6, -2), box.a_upper.assign(6, 2);
  const auto errors = model.ErrorOver(c, box, 300, 42);
  EXPECT_GT(std::abs(errors[1].worst), 5 * std::abs(simple[1] - full[1]));
  // The worst state can be had again from seed and index.
  model.State(box, 42, errors[1].worst_state);
  const std::vector<double> wq = model.q(), wv = model.v(), wa = model.a();
  model.Torques(c, wq.data(), wv.data(), wa.data(), simple.data(), full.data());
  EXPECT_DOUBLE_EQ(simple[1] - full[1], errors[1].worst);
  EXPECT_EQ(model.ErrorOver(c, box, 300, 42)[1].worst, errors[1].worst);
}

TEST(Check, ResidualsAreRoundingForEveryRobot) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Prepared m = Prepare(testing::RandomTree(seed, 2 + static_cast<int>(seed) % 8, seed % 2 == 0, true));
    Random random(seed);
    const VectorXd q = testing::RandomPositions(m, random), v = testing::RandomRates(m.nv, random),
                   a = testing::RandomRates(m.nv, random);
    Checker checker(m);
    const CheckReport r = checker.Run(Conditions(m), q.data(), v.data(), a.data());
    EXPECT_LT(r.lagrange.relative, 1e-12) << "seed " << seed;
    EXPECT_LT(r.skew.relative, 1e-12) << "seed " << seed;
    EXPECT_LT(r.power.relative, 1e-12) << "seed " << seed;
  }
}

TEST(Check, NoticesWhatIsNotARobot) {
  // A spherical joint whose quaternion is not of unit length stretches what hangs on it.
  Model model = testing::Base("stretched");
  int link = testing::AddJoint(model, JointKind::kRevolute, 0, testing::At(0, 0, .1), Eigen::Vector3d::UnitX(),
                               testing::Body3(1, {.1, 0, 0}, .1, .2, .2));
  link = testing::AddJoint(model, JointKind::kSpherical, link, testing::At(.2, 0, 0), Eigen::Vector3d::UnitZ(),
                           testing::Body3(1, {0, .1, 0}, .1, .2, .25));
  testing::AddJoint(model, JointKind::kRevolute, link, testing::At(0, 0, .3), Eigen::Vector3d::UnitY(),
                    testing::Body3(1, {.1, 0, .2}, .1, .2, .2));
  const Prepared m = Prepare(model);
  Random random(1);
  VectorXd q = testing::RandomPositions(m, random);
  const VectorXd v = testing::RandomRates(m.nv, random), a = testing::RandomRates(m.nv, random);
  Checker checker(m);
  const CheckReport good = checker.Run(Conditions(m), q.data(), v.data(), a.data());
  EXPECT_LT(std::max({good.lagrange.relative, good.skew.relative, good.power.relative}), 1e-13);
  q.segment<4>(1) *= 1.01;
  const CheckReport bad = checker.Run(Conditions(m), q.data(), v.data(), a.data());
  EXPECT_GT(bad.lagrange.relative, 1e-6);
}

// A box of 12 kg on four legs of hip roll, hip pitch and knee; links of 0.3 m.
Model Quadruped() {
  Model m = testing::Base("quadruped");
  const int trunk = testing::AddJoint(m, JointKind::kFloating, 0, testing::At(0, 0, 0), Eigen::Vector3d::UnitZ(),
                                      testing::Body3(12, {0, 0, 0}, .1, .4, .45));
  for (const double x : {.3, -.3})
    for (const double y : {.15, -.15}) {
      int link = testing::AddJoint(m, JointKind::kRevolute, trunk, testing::At(x, y, 0), Eigen::Vector3d::UnitX(),
                                   testing::Body3(.5, {0, 0, 0}, .001, .001, .001));
      link = testing::AddJoint(m, JointKind::kRevolute, link, testing::At(0, 0, 0), Eigen::Vector3d::UnitY(),
                               testing::Body3(.8, {0, 0, -.1}, .01, .01, .001));
      link = testing::AddJoint(m, JointKind::kRevolute, link, testing::At(0, 0, -.3), Eigen::Vector3d::UnitY(),
                               testing::Body3(.2, {0, 0, -.15}, .003, .003, .0001));
      m.frames.push_back({"foot" + std::to_string(m.frames.size()), link, testing::At(0, 0, -.3)});
    }
  return m;
}

struct Stand {
  Stand() : model(Quadruped()), m(Prepare(model)), c(m), ws(m), q(m.nq) {
    SetNeutral(m, q.data());
    q[2] = .6;
    for (size_t f = model.links.size(); f < m.frames.size(); ++f) feet.push_back({m.frames[f]});
  }
  Model model;
  Prepared m;
  Conditions c;
  Workspace<double> ws;
  VectorXd q;
  std::vector<Foot> feet;
};

TEST(Support, SymmetricStandSharesTheWeight) {
  Stand s;
  const Support out = AnalyseSupport(s.m, s.c, s.q.data(), s.feet, {}, s.ws);
  EXPECT_TRUE(out.stands);
  EXPECT_NEAR(out.weight, 18 * 9.81, 1e-9);
  for (const Eigen::Vector3d& f : out.force) EXPECT_LT((f - Eigen::Vector3d(0, 0, 18 * 9.81 / 4)).norm(), .02 * out.weight);
  EXPECT_LT(out.torque.head<6>().norm(), 1e-3 * out.weight);
  EXPECT_NEAR(out.tipping_margin, .15, 1e-9) << "half the track";
  // Height of the mass centre over the feet: trunk and hips at .6, thighs at .5, shanks at .15.
  const double height = (14 * .6 + 3.2 * .5 + .8 * .15) / 18;
  EXPECT_NEAR(out.tipping_angle, std::atan2(.15, height), 1e-9);
}

TEST(Support, LiftedFootAndShiftedTrunk) {
  Stand s;
  s.feet.pop_back();  // rear right in the air
  const Support three = AnalyseSupport(s.m, s.c, s.q.data(), s.feet, {}, s.ws);
  EXPECT_TRUE(three.stands) << "mass centre on the diagonal";
  EXPECT_NEAR(three.tipping_margin, 0, 1e-9);
  // Gravity tilted beyond the tipping angle (robot fixed to its slope): it cannot stand whatever the feet do.
  Stand t;
  for (const double angle : {.2, .4}) {
    t.c.gravity = {0, 9.81 * std::sin(angle), -9.81 * std::cos(angle)};
    const Support out = AnalyseSupport(t.m, t.c, t.q.data(), t.feet, {}, t.ws);
    EXPECT_EQ(out.stands, angle < .27) << angle << " residual " << out.residual;
    EXPECT_EQ(out.tipping_margin > 0, angle < .27);
  }
}

TEST(Support, SlipperyGroundDoesNotHoldOnASlope) {
  Stand s;
  s.c.gravity = {9.81 * std::sin(.2), 0, -9.81 * std::cos(.2)};
  for (Foot& f : s.feet) f.friction = .1;
  EXPECT_FALSE(AnalyseSupport(s.m, s.c, s.q.data(), s.feet, {}, s.ws).stands);
  for (Foot& f : s.feet) f.friction = .3;
  const Support out = AnalyseSupport(s.m, s.c, s.q.data(), s.feet, {}, s.ws);
  EXPECT_TRUE(out.stands);
  for (const double margin : out.slip_margin) EXPECT_GE(margin, -1e-9) << "inside the round cone, since the pyramid is";
}

TEST(NonNegativeLeastSquares, SatisfiesItsOptimalityConditions) {
  Random random(8);
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::MatrixXd A(8, 12);
    VectorXd b(8);
    for (int i = 0; i < A.size(); ++i) A.data()[i] = random.Normal();
    for (int i = 0; i < 8; ++i) b[i] = random.Normal();
    if (trial % 2) A = A.leftCols(5).eval();
    const NonNegativeSolution s = NonNegativeLeastSquares(A, b);
    ASSERT_TRUE(s.converged);
    EXPECT_GE(s.x.minCoeff(), 0);
    const VectorXd gradient = A.transpose() * (A * s.x - b);
    for (int j = 0; j < A.cols(); ++j) {
      EXPECT_GE(gradient[j], -1e-9);
      EXPECT_NEAR(gradient[j] * s.x[j], 0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace torqued
