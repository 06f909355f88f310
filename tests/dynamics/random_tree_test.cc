// Does core agree with Lagrange on robots nobody would draw? 200 random trees of all joint kinds, every seed printed.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/lagrange.h"
#include "tests/oracle/match.h"
#include "tests/oracle/random_tree.h"

namespace torqued {
namespace {

using oracle::Near;

constexpr int kTrees = 200;
constexpr double kTight = 1e-12;  // relative to the largest entry; trees of up to 40 joints reach 1e-13

class RandomTreeTest : public ::testing::TestWithParam<int> {
 protected:
  RandomTreeTest()
      : model(oracle::RandomTree(GetParam(), oracle::VariedOptions(GetParam(), 40))),
        eval(model),
        random(GetParam() + 1000),
        s(oracle::RandomState(model, random)),
        twin(model, s.q, s.v) {
    eval.conditions.terms.friction = eval.conditions.terms.springs = false;
  }

  Model model;
  Evaluate eval;
  std::mt19937_64 random;
  oracle::State s;
  oracle::Lagrange twin;
};

TEST_P(RandomTreeTest, MassMatrixIsLagrangesAndPositiveDefinite) {
  const Eigen::MatrixXd M = eval.Mass(s.q);
  EXPECT_TRUE(Near(M, twin.MassMatrix(), kTight));
  EXPECT_TRUE(Near(M, M.transpose(), 1e-15));
  EXPECT_TRUE(model.nv == 0 || M.llt().info() == Eigen::Success);
}

TEST_P(RandomTreeTest, InverseDynamicsIsLagranges) {
  const Eigen::VectorXd want = twin.MassMatrix() * s.a + twin.Coriolis() + twin.Gravity();
  EXPECT_TRUE(Near(eval.Inverse(s.q, s.v, s.a), want, kTight));
  EXPECT_TRUE(Near(eval.Gravity(s.q), twin.Gravity(), kTight));
  EXPECT_TRUE(Near(eval.Coriolis(s.q, s.v), twin.Coriolis(), kTight));
  EXPECT_TRUE(Near(eval.Bias(s.q, s.v), twin.Coriolis() + twin.Gravity(), kTight));
}

TEST_P(RandomTreeTest, ForwardDynamicsUndoesInverseDynamics) {
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

TEST_P(RandomTreeTest, PosesAndJacobiansOfEveryLink) {
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

TEST_P(RandomTreeTest, MotionOfEveryLink) {
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

INSTANTIATE_TEST_SUITE_P(Seed, RandomTreeTest, ::testing::Range(0, kTrees));

}  // namespace
}  // namespace torqued
