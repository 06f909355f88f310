// Does core agree with Lagrange, on every shipped robot and on 1000 random trees of all joint kinds? The robot or seed is the test's name.
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "tests/dynamics/any_robot.h"

namespace torqued {
namespace {

class LagrangeTest : public AnyRobot {};

TEST_P(LagrangeTest, MassMatrixIsLagrangesAndPositiveDefinite) {
  const Eigen::MatrixXd M = eval.Mass(s.q);
  EXPECT_TRUE(Near(M, twin.MassMatrix(), kTight));
  EXPECT_TRUE(Near(M, M.transpose(), 1e-15));
  if (built.mass_everywhere) EXPECT_TRUE(model.nv == 0 || M.llt().info() == Eigen::Success);
}

TEST_P(LagrangeTest, InverseDynamicsIsLagranges) {
  const Eigen::VectorXd want = twin.MassMatrix() * s.a + twin.Coriolis() + twin.Gravity();
  EXPECT_TRUE(Near(eval.Inverse(s.q, s.v, s.a), want, kTight));
  EXPECT_TRUE(Near(eval.Gravity(s.q), twin.Gravity(), kTight));
  EXPECT_TRUE(Near(eval.Coriolis(s.q, s.v), twin.Coriolis(), kTight));
  EXPECT_TRUE(Near(eval.Bias(s.q, s.v), twin.Coriolis() + twin.Gravity(), kTight));
}

TEST_P(LagrangeTest, ForwardDynamicsUndoesInverseDynamics) {
  if (!built.mass_everywhere) GTEST_SKIP() << "weightless or unknown links: M has no inverse";
  eval.conditions.terms.friction = eval.conditions.terms.springs = true;
  const Eigen::VectorXd tau = eval.Inverse(s.q, s.v, s.a);
  const double condition = model.nv > 0 ? eval.Mass(s.q).norm() * eval.Mass(s.q).inverse().norm() : 1;
  const double tolerance = 1e-15 * condition + kTight;
  SolveStatus status;
  EXPECT_TRUE(Near(eval.Forward(s.q, s.v, tau, &status), s.a, tolerance));
  EXPECT_TRUE(status.ok());
  Eigen::VectorXd qdd(model.nv);
  ForwardDynamicsByMassMatrix(eval.m, eval.conditions, s.q.data(), s.v.data(), tau.data(), eval.ws, qdd.data());
  EXPECT_TRUE(Near(qdd, s.a, tolerance));
  if (eval.m.coupled || !eval.m.simple_rotors) return;
  qdd.setConstant(NAN);
  status = ForwardDynamicsByArticulatedBodies(eval.m, eval.conditions, s.q.data(), s.v.data(), tau.data(), eval.ws,
                                              qdd.data());
  EXPECT_TRUE(Near(qdd, s.a, tolerance));
  EXPECT_TRUE(status.ok());
}

TEST_P(LagrangeTest, PosesAndJacobiansOfEveryLink) {
  for (size_t l = 0; l < model.links.size(); ++l) {
    SCOPED_TRACE(model.links[l].name);
    const BodyFrame& f = eval.m.frames[l];
    const Eigen::Matrix4d T = twin.LinkPose(static_cast<int>(l));
    EXPECT_TRUE(Near(eval.FrameMatrix(f, s.q), T, kTight));
    const Eigen::Matrix3d R = T.topLeftCorner<3, 3>();
    const Eigen::Vector3d p = T.topRightCorner<3, 1>();
    const Eigen::MatrixXd J = twin.PointJacobian(static_cast<int>(l), Eigen::Vector3d::Zero());
    const Eigen::VectorXd dot = twin.PointJacobianDotV(static_cast<int>(l), Eigen::Vector3d::Zero());
    const Eigen::VectorXd V = J * s.v;
    const Eigen::Vector3d v = V.head<3>(), w = V.tail<3>(), a = dot.head<3>(), wd = dot.tail<3>();
    EXPECT_TRUE(Near(eval.FrameJacobian(f, Expression::kWorldAligned, s.q), J, kTight));
    EXPECT_TRUE(Near(eval.FrameJacobianDotV(f, Expression::kWorldAligned, s.q, s.v), dot, kTight));

    Eigen::MatrixXd body(6, model.nv), spatial(6, model.nv);
    body << R.transpose() * J.topRows<3>(), R.transpose() * J.bottomRows<3>();
    spatial = J;
    for (int k = 0; k < model.nv; ++k)
      spatial.col(k).head<3>() += p.cross(Eigen::Vector3d(J.col(k).tail<3>()));
    EXPECT_TRUE(Near(eval.FrameJacobian(f, Expression::kBody, s.q), body, kTight));
    EXPECT_TRUE(Near(eval.FrameJacobian(f, Expression::kSpatial, s.q), spatial, kTight));
    Eigen::VectorXd want(6);
    want << R.transpose() * (a - w.cross(v)), R.transpose() * wd;
    EXPECT_TRUE(Near(eval.FrameJacobianDotV(f, Expression::kBody, s.q, s.v), want, kTight));
    want << a - wd.cross(p) - w.cross(v), wd;
    EXPECT_TRUE(Near(eval.FrameJacobianDotV(f, Expression::kSpatial, s.q, s.v), want, kTight));

    const Eigen::VectorXd F = Eigen::VectorXd::LinSpaced(6, -2, 3);
    EXPECT_TRUE(Near(eval.Wrench(f, WrenchAxes::kOfWorld, F, s.q), J.transpose() * F, kTight));
    EXPECT_TRUE(Near(eval.Wrench(f, WrenchAxes::kOfFrame, F, s.q), body.transpose() * F, kTight));
  }
}

TEST_P(LagrangeTest, MotionOfEveryLink) {
  ForwardMotion(eval.m, s.q.data(), s.v.data(), s.a.data(), eval.ws);
  for (size_t l = 0; l < model.links.size(); ++l) {
    SCOPED_TRACE(model.links[l].name);
    const Eigen::Vector3d p(0.3, -0.2, 0.1);
    const Eigen::MatrixXd J = twin.PointJacobian(static_cast<int>(l), p);
    const Eigen::VectorXd V = J * s.v, A = J * s.a + twin.PointJacobianDotV(static_cast<int>(l), p);
    const FrameMotion<double> x =
        AtPoint(MotionInFrameAxes(eval.m.frames[l], eval.ws), FromEigen<double>(p));
    const Eigen::Matrix3d R = twin.LinkPose(static_cast<int>(l)).topLeftCorner<3, 3>();
    EXPECT_TRUE(Near(R * ToEigen(x.v), V.head<3>(), kTight));
    EXPECT_TRUE(Near(R * ToEigen(x.w), V.tail<3>(), kTight));
    EXPECT_TRUE(Near(R * ToEigen(x.a), A.head<3>(), kTight));
    EXPECT_TRUE(Near(R * ToEigen(x.wd), A.tail<3>(), kTight));
  }
}

TEST_P(LagrangeTest, CoriolisMatrix) {
  const Eigen::MatrixXd C = eval.CoriolisC(s.q, s.v);
  EXPECT_TRUE(Near(C * s.v, twin.Coriolis(), kTight));
  const Eigen::MatrixXd rate = twin.MassMatrixRate();
  EXPECT_TRUE(Near(C + C.transpose(), rate, kTight));
}

// Where every joint has one degree of freedom, C is made of Christoffel symbols: C_ij = sum_k D_ijk v_k.
TEST_P(LagrangeTest, CoriolisCoefficients) {
  if (model.nv > 14) return;
  const int n = model.nv;
  Eigen::VectorXd D(n * n * n);
  CoriolisCoefficients(eval.m, eval.conditions, s.q.data(), eval.ws, D.data());
  const std::vector<double> want = twin.Coefficients();
  EXPECT_TRUE(Near(D, Eigen::Map<const Eigen::VectorXd>(want.data(), D.size()), kTight));
  for (int i = 0; i < n; ++i) {
    Eigen::VectorXd D_i(n * n);
    CoriolisCoefficients(eval.m, eval.conditions, i, s.q.data(), eval.ws, D_i.data());
    EXPECT_TRUE(Near(D_i, D.segment(i * n * n, n * n), 1e-15));
  }
  for (const Coordinate& c : model.coordinates)
    if (c.kind == JointKind::kSpherical || c.kind == JointKind::kFloating) return;
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) C(i, j) += want[(i * n + j) * n + k] * s.v[k];
  EXPECT_TRUE(Near(eval.CoriolisC(s.q, s.v), C, kTight));
}

TEST_P(LagrangeTest, EnergyAndPower) {
  eval.conditions.terms = Terms{};
  const Energy<double> E = MechanicalEnergy(eval.m, eval.conditions, s.q.data(), s.v.data(), eval.ws);
  const auto scaled = [](double x) { return Eigen::VectorXd::Constant(1, x); };
  EXPECT_TRUE(Near(scaled(E.kinetic), scaled(twin.KineticEnergy()), kTight));
  EXPECT_TRUE(Near(scaled(E.potential), scaled(twin.PotentialEnergy()), kTight));
  const PowerBalance<double> P = Power(eval.m, eval.conditions, s.q.data(), s.v.data(), s.a.data(), eval.ws);
  const double size = 1 + std::abs(P.input) + std::abs(P.kinetic_rate) + std::abs(P.potential_rate) + std::abs(P.spring_rate);
  EXPECT_NEAR(P.residual, 0, kTight * size);
  EXPECT_NEAR(P.kinetic_rate, s.v.dot(twin.MassMatrix() * s.a) + 0.5 * s.v.dot(twin.MassMatrixRate() * s.v), kTight * size);
  EXPECT_NEAR(P.potential_rate, twin.Gravity().dot(s.v), kTight * size);
}

INSTANTIATE_TEST_SUITE_P(Random, LagrangeTest, ::testing::ValuesIn(RandomTrees()), SubjectName);
INSTANTIATE_TEST_SUITE_P(Shipped, LagrangeTest, ::testing::ValuesIn(ShippedRobots()), SubjectName);

}  // namespace
}  // namespace torqued
