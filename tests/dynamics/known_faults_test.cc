// Faults that other dynamics libraries had: inertias in turned frames, links after the last joint, crooked axes, mimic joints,
// massless moving links, modified DH, Jacobian frames. Right values derived from body Jacobians and complex-step derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/builder.h"
#include "tests/oracle/match.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using oracle::Builder;
using oracle::Mass;
using oracle::Near;
using oracle::Rpy;
using oracle::Translation;

// A description may give the inertia in axes turned against the link's: R I R^T about the mass centre at X's origin.
MassProperties Turned(const Eigen::Isometry3d& X, const MassProperties& mp) {
  MassProperties out = mp;
  out.com = X.translation();
  out.inertia_about_com = X.linear() * mp.inertia_about_com * X.linear().transpose();
  return out;
}

// google-deepmind/mujoco #3559 and others.
TEST(KnownFaults, InertiaInTurnedFrame) {
  Builder b;
  b.Add(0, JointKind::kRevolute, Rpy(0, 0, 0), Vector3d::UnitX(), Turned(Rpy(0, 0, M_PI / 2), Mass(3, {0, 0, 0}, .4, .9, .7)));
  b.Add(0, JointKind::kRevolute, Translation(1, 0, 0), Vector3d::UnitY(),
        Turned(Translation(.05, -.02, .11) * Rpy(.3, -.5, .8), Mass(2, {0, 0, 0}, .30, .22, .26, .04, -.03, .05)));
  Evaluate e(b.Build());
  const Vector2d q(.4, -.7), v(.3, .5), a(2, 3);
  EXPECT_TRUE(Near(e.Mass(q), Vector2d(.9, .3107804213).asDiagonal().toDenseMatrix(), 1e-10));
  EXPECT_TRUE(Near(e.Gravity(q), Vector2d(0, .640040427), 1e-9));
  EXPECT_TRUE(Near(e.Inverse(q, v, a), Vector2d(1.8, 1.572381691), 1e-9));
}

// petercorke/robotics-toolbox-python #636.
TEST(KnownFaults, LinksAfterTheLastJointLoadIt) {
  Builder b;
  const int upper = b.Add(0, JointKind::kRevolute, Rpy(0, 0, 0), Vector3d::UnitY(), Mass(2, {.25, 0, 0}, .001, .04, .04));
  const int flange = b.Add(upper, JointKind::kFixed, Translation(.5, 0, 0) * Rpy(0, M_PI / 2, 0), Vector3d::UnitX(),
                           Mass(.7, {0, 0, 0}, .001, .001, .001));
  b.Add(flange, JointKind::kFixed, Translation(0, 0, .05), Vector3d::UnitX(), Mass(1.3, {0, 0, .12}, .002, .002, .001));
  for (bool lump : {true, false}) {
    Evaluate e(b.Build(), {.lump_fixed = lump});
    const auto one = [](double x) { return VectorXd::Constant(1, x); };
    EXPECT_NEAR(e.Gravity(one(0))[0], -16.88301, 1e-12);
    EXPECT_NEAR(e.Mass(one(.6))(0, 0), .92657, 1e-14);
    EXPECT_NEAR(e.Gravity(one(.6))[0], -13.934149440, 1e-9);
    EXPECT_NEAR(e.Inverse(one(.6), one(1), one(2))[0], -12.081009440, 1e-9);
  }
}

// petercorke/robotics-toolbox-python #441, compas-dev/compas #864.
TEST(KnownFaults, CrookedAxes) {
  Builder b;
  int l = b.Add(0, JointKind::kContinuous, Translation(0, 0, .4) * Rpy(.1, .2, .3), Vector3d(.6, 0, -.8), Mass(1.2, {.1, .2, .3}, .01, .012, .015));
  l = b.Add(l, JointKind::kRevolute, Translation(.3, 0, 0), -Vector3d::UnitY(), Mass(.9, {.15, 0, .05}, .004, .006, .005));
  l = b.Add(l, JointKind::kRevolute, Translation(.25, 0, 0) * Rpy(0, 0, .7), Vector3d::UnitX(), Mass(.5, {0, .1, 0}, .002, .001, .002));
  const int tcp = b.Add(l, JointKind::kFixed, Translation(0, 0, .1), Vector3d::UnitZ(), std::nullopt);
  Evaluate e(b.Build());
  const Vector3d q(.5, -.4, .9), v(.7, -1.2, .4), a(1, -1, .5);
  EXPECT_TRUE(Near(e.Gravity(q), Vector3d(-1.549076043, 2.236603056, -.012741804), 1e-9));
  EXPECT_TRUE(Near(e.Inverse(q, v, a), Vector3d(-1.296651833, 2.143638356, -.021899528), 1e-9));
  EXPECT_TRUE(Near(e.FrameMatrix(e.m.frames[tcp], q).topRightCorner(3, 1), Vector3d(.549553103, -.095462316, .160874545), 1e-9));
  MatrixXd J(6, 3);
  J << -.1344774333, .1271746205, -.0229152102, -.4016695269, -.1043908285, -.0165712908, -.1487009717, .2589813855,
      -.0959181185, .3870954876, -.1804967722, .7201284993, .2033432974, -.9397957101, .6341279872, -.8993378602,
      -.2901808721, -.2815965915;
  EXPECT_TRUE(Near(e.FrameJacobian(e.m.frames[tcp], Expression::kWorldAligned, q), J, 1e-10));
}

// google-deepmind/mujoco #3527, stack-of-tasks/pinocchio #1290: a mimic joint is no degree of freedom.
TEST(KnownFaults, MimicJointIsReduced) {
  Builder b;
  const int la = b.Add(0, JointKind::kRevolute, Rpy(0, 0, 0), Vector3d::UnitY(), Mass(1, {.2, 0, 0}, .001, .02, .02));
  const int lb = b.AddCoupled(la, JointKind::kRevolute, Translation(.4, 0, 0), Vector3d::UnitY(), Mass(.5, {.15, 0, 0}, .001, .01, .01), {{0, -2}}, .1);
  b.Add(lb, JointKind::kFixed, Translation(.3, 0, 0), Vector3d::UnitX(), std::nullopt, "tip");
  Evaluate e(b.Build());
  ASSERT_EQ(e.m.nv, 1);
  const VectorXd q = VectorXd::Constant(1, .3), v = VectorXd::Constant(1, .7), a = VectorXd::Constant(1, 1.5);
  EXPECT_NEAR(e.Mass(q)(0, 0), .10859504628657764, 1e-15);
  EXPECT_NEAR(e.Gravity(q)[0], -3.0276563986821854, 1e-14);
  EXPECT_NEAR(e.Coriolis(q, v)[0], .014095110834963558, 1e-15);
  EXPECT_NEAR(e.Inverse(q, v, a)[0], -2.8506687184173556, 1e-14);
  EXPECT_NEAR(e.Forward(q, v, e.Inverse(q, v, a))[0], 1.5, 1e-13);
  EXPECT_TRUE(Near(e.FrameMatrix(e.m.frames[3], q).topRightCorner(3, 1), Vector3d(.676154569, 0, -.058607283), 1e-9));
  VectorXd J(6);
  J << -.1778088819, 0, -.0881146223, 0, -1, 0;
  EXPECT_TRUE(Near(e.FrameJacobian(e.m.frames[3], Expression::kWorldAligned, q), J, 1e-10));
}

Model MasslessTip() {
  Builder b;
  const int l1 = b.Add(0, JointKind::kRevolute, Rpy(0, 0, 0), Vector3d::UnitY(), Mass(2, {.25, 0, 0}, .002, .05, .05));
  b.Add(l1, JointKind::kRevolute, Translation(.5, 0, 0), Vector3d::UnitX(), std::nullopt, "ee");
  return b.Build();
}

// petercorke/robotics-toolbox-python #286, bulletphysics/bullet3 #3170.
TEST(KnownFaults, MasslessMovingLinkIsNamedNotNaN) {
  const Vector2d q(.3, .2), v(1, 2), tau(1, .01);
  Evaluate e(MasslessTip());
  EXPECT_TRUE(Near(e.Inverse(q, v, Vector2d(1, 1)), Vector2d(-4.510925479, 0), 1e-9));
  SolveStatus status;
  EXPECT_TRUE(e.Forward(q, v, tau, &status).allFinite());
  EXPECT_EQ(status.singular, 1);
  Vector2d qdd;
  status = ForwardDynamicsByArticulatedBodies(e.m, e.conditions, q.data(), v.data(), tau.data(), e.ws, qdd.data());
  EXPECT_TRUE(qdd.allFinite());
  EXPECT_EQ(status.singular, 1);

  Model geared = MasslessTip();
  geared.rotors = {{"motor", .001, -1, Vector3d::UnitZ(), {{1, 1.0}}}};
  Evaluate g(geared);
  EXPECT_TRUE(Near(g.Forward(q, v, tau, &status), Vector2d(32.491002738, 10), 1e-9));
  EXPECT_TRUE(status.ok());
  status = ForwardDynamicsByArticulatedBodies(g.m, g.conditions, q.data(), v.data(), tau.data(), g.ws, qdd.data());
  EXPECT_TRUE(Near(qdd, Vector2d(32.491002738, 10), 1e-9));
}

// A point mass exactly on a crooked axis: M_22 is rounding, not zero, and must be found all the same. A light but honest
// link, a milligram on a millimetre, far out on a heavy arm, must not.
TEST(KnownFaults, SingularityIsJudgedByScale) {
  for (double offset : {0.0, 1e-3}) {
    Builder b;
    const Vector3d axis = Vector3d(1, 2, 3).normalized();
    const int l1 = b.Add(0, JointKind::kRevolute, Rpy(.3, .2, .1), Vector3d(.48, .64, .6), Mass(200, {.7, 0, 0}, 5, 8, 8));
    b.Add(l1, JointKind::kRevolute, Translation(1.5, .3, .2) * Rpy(.5, .4, .3), axis, Mass(offset > 0 ? 1e-6 : 3, .7 * axis + offset * axis.unitOrthogonal(), 0, 0, 0));
    Evaluate e(b.Build());
    SolveStatus status;
    EXPECT_TRUE(e.Forward(Vector2d(.3, .4), Vector2d(1, 2), Vector2d(1, 1), &status).allFinite());
    EXPECT_EQ(status.singular, offset > 0 ? -1 : 1);
    Vector2d qdd;
    const Vector2d q(.3, .4), v(1, 2), tau(1, 1);
    status = ForwardDynamicsByArticulatedBodies(e.m, e.conditions, q.data(), v.data(), tau.data(), e.ws, qdd.data());
    EXPECT_EQ(status.singular, offset > 0 ? -1 : 1);
  }
}

// petercorke/robotics-toolbox-python #266, #404, #470.
TEST(KnownFaults, ModifiedDhWithProductsOfInertia) {
  Evaluate e(oracle::ModifiedDh({
      {0, .30, 0, 0, false, Mass(3, {.02, -.03, .05}, .03, .04, .02, .002, .003, -.001)},
      {0, .05, .1, -M_PI / 2, false, Mass(2, {.10, .04, -.02}, .01, .03, .025, -.002, .0015, .001)},
      {.4, 0, .2, M_PI / 2, true, Mass(1.5, {.01, .02, .12}, .012, .011, .004, .0005, .0003, -.0007)},
  }));
  const Vector3d q(.3, -.8, .25), v(.7, -.5, .2), a(1, 2, -.6);
  Eigen::Matrix<double, 3, 4> T;
  T << .4979673916, -.5313848334, -.6853164493, .0425463946, .5616636388, .7997454791, -.2119932202, .0654987222,
      .6607287141, -.2793516198, .6967067093, .6176478955;
  EXPECT_TRUE(Near(e.FrameMatrix(e.m.frames[3], q).topRows<3>(), T, 1e-10));
  Matrix3d M;
  M << .1432957956212244, -.045749119694909045, .07781384253804895, -.045749119694909045, .3259167047102169,
      -.30213336464078394, .07781384253804896, -.302133364640784, 1.5;
  EXPECT_TRUE(Near(e.Mass(q), M, 1e-15));
  EXPECT_TRUE(Near(e.Gravity(q), Vector3d(0, -.08922725676881993, 10.25203922804354), 1e-15));
  EXPECT_TRUE(Near(e.Coriolis(q, v), Vector3d(.014085028997689741, -.11520966271867189, -.15197862107000779), 1e-15));
  EXPECT_TRUE(Near(e.Inverse(q, v, a), Vector3d(.019194279706266693, .5829273890225033, 8.673607720230013), 1e-15));
}

// stack-of-tasks/pinocchio #1525, #1974: three expressions, three matrices.
TEST(KnownFaults, JacobianExpressions) {
  Builder b;
  const int first = b.Add(0, JointKind::kRevolute, Rpy(0, 0, 0), Vector3d::UnitZ(), std::nullopt);
  const int second = b.Add(first, JointKind::kRevolute, Translation(1, 0, 0), Vector3d::UnitZ(), std::nullopt);
  b.Add(second, JointKind::kFixed, Translation(.7, 0, 0), Vector3d::UnitZ(), std::nullopt, "tip");
  Evaluate e(b.Build());
  const BodyFrame& tip = e.m.frames[3];
  const Vector2d q(M_PI / 6, M_PI / 3), v(.5, -.8);
  MatrixXd aligned = MatrixXd::Zero(6, 2), spatial = aligned, body = aligned;
  for (MatrixXd* J : {&aligned, &spatial, &body}) J->row(5).setOnes();
  const double c = std::sqrt(3) / 2;
  aligned.topRows<2>() << -1.2, -.7, c, 0;
  spatial.topRows<2>() << 0, .5, 0, -c;
  body.topRows<2>() << c, 0, 1.2, .7;
  EXPECT_TRUE(Near(e.FrameJacobian(tip, Expression::kWorldAligned, q), aligned, 1e-15));
  EXPECT_TRUE(Near(e.FrameJacobian(tip, Expression::kSpatial, q), spatial, 1e-15));
  EXPECT_TRUE(Near(e.FrameJacobian(tip, Expression::kBody, q), body, 1e-15));
  VectorXd F(6);
  F << 3, -5, 0, 0, 0, 2;
  EXPECT_TRUE(Near(e.Wrench(tip, WrenchAxes::kOfWorld, F, q), Vector2d(-5.930127018922193, -.1), 1e-14));
  EXPECT_TRUE(Near(e.FrameJacobianDotV(tip, Expression::kWorldAligned, q, v).head<2>(), Vector2d(-.21650635094610965, -.188), 1e-14));
}

}  // namespace
}  // namespace torqued
