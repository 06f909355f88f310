// Derivatives on dual numbers against closed forms and fourth-order differences, for all joint kinds and terms.
#include "server/core/dynamics/derivatives.h"

#include <gtest/gtest.h>

#include <functional>

#include "server/core/dynamics/crba.h"
#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Dual, FollowsTheChainRule) {
  const Dual<2> x = Dual<2>::Variable(0.7, 0), y = Dual<2>::Variable(-1.3, 1);
  const Dual<2> f = sin(x * y) / (2.0 + cos(x)) + sqrt(x) * exp(-y) - tanh(x / y) + 3.0 / x - (1.0 - y) * x;
  const auto g = [](double a, double b) {
    return std::sin(a * b) / (2 + std::cos(a)) + std::sqrt(a) * std::exp(-b) - std::tanh(a / b) + 3 / a - (1 - b) * a;
  };
  const double h = 1e-5;
  EXPECT_DOUBLE_EQ(f.value, g(.7, -1.3));
  EXPECT_NEAR(f.d[0], (g(.7 + h, -1.3) - g(.7 - h, -1.3)) / (2 * h), 1e-8);
  EXPECT_NEAR(f.d[1], (g(.7, -1.3 + h) - g(.7, -1.3 - h)) / (2 * h), 1e-8);
  Dual<2> s = x, c;
  SinCos(s, s, c);  // input and output may be one
  EXPECT_DOUBLE_EQ(s.value, std::sin(.7));
  EXPECT_DOUBLE_EQ(s.d[0], std::cos(.7));
  EXPECT_DOUBLE_EQ(c.d[0], -std::sin(.7));
  EXPECT_EQ(Sign(y).value, -1);
  EXPECT_EQ(Sign(y).d[1], 0);
  EXPECT_EQ(sqrt(Dual<2>(0.0)).d[0], 0) << "no infinity at the tip of the root";
}

// Fourth-order central difference of f along tangent direction k.
MatrixXd Difference(int n, double h, const std::function<VectorXd(int, double)>& f) {
  MatrixXd out(f(0, 0).size(), n);
  for (int k = 0; k < n; ++k) out.col(k) = (8 * (f(k, h) - f(k, -h)) - (f(k, 2 * h) - f(k, -2 * h))) / (12 * h);
  return out;
}

struct Case {
  explicit Case(const Model& model, std::uint64_t seed)
      : m(Prepare(model)), c(m), ws(m), w(m) {
    Random random(seed);
    q = testing::RandomPositions(m, random);
    v = testing::RandomRates(m.nv, random);
    a = testing::RandomRates(m.nv, random, 5);
  }
  VectorXd Moved(int k, double h) const {
    VectorXd out = q;
    const VectorXd delta = VectorXd::Unit(m.nv, k);
    AddTangent(m, delta.data(), h, out.data());
    return out;
  }
  VectorXd Torque(const VectorXd& at_q, const VectorXd& at_v) {
    VectorXd tau(m.nv);
    InverseDynamics(m, c, at_q.data(), at_v.data(), a.data(), ws, tau.data());
    return tau;
  }
  VectorXd Acceleration(const VectorXd& at_q, const VectorXd& at_v, const VectorXd& tau) {
    VectorXd qdd(m.nv);
    EXPECT_TRUE(ForwardDynamics(m, c, at_q.data(), at_v.data(), tau.data(), ws, qdd.data()).ok());
    return qdd;
  }

  Prepared m;
  Conditions c;
  Workspace<double> ws;
  DerivativesWorkspace w;
  VectorXd q, v, a;
};

double Relative(const MatrixXd& got, const MatrixXd& want) {
  return (got - want).cwiseAbs().maxCoeff() / std::max(1.0, want.cwiseAbs().maxCoeff());
}

TEST(Derivatives, InverseDynamicsAgreesWithDifferencesOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case x(testing::RandomTree(seed, 3 + static_cast<int>(seed) % 7, seed % 2 == 0, seed % 3 != 0), seed);
    const int n = x.m.nv;
    MatrixXd dq(n, n), dv(n, n);
    InverseDynamicsDerivatives(x.m, x.c, x.q.data(), x.v.data(), x.a.data(), x.w, dq.data(), dv.data());
    EXPECT_LT(Relative(dq, Difference(n, 1e-3, [&](int k, double h) { return x.Torque(x.Moved(k, h), x.v); })), 1e-8)
        << "seed " << seed;
    // Friction with a smoothing velocity bends within hundredths: a small step.
    EXPECT_LT(Relative(dv, Difference(n, 1e-4, [&](int k, double h) {
                         return x.Torque(x.q, x.v + h * VectorXd::Unit(n, k));
                       })), 1e-7) << "seed " << seed;
  }
}

TEST(Derivatives, ForwardDynamicsAgreesWithDifferencesOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Case x(testing::RandomTree(100 + seed, 3 + static_cast<int>(seed) % 5, seed % 2 == 0, seed % 3 != 0), seed);
    const int n = x.m.nv;
    const VectorXd tau = x.Torque(x.q, x.v);
    MatrixXd dq(n, n), dv(n, n), Minv(n, n), M(n, n);
    VectorXd qdd(n);
    ASSERT_TRUE(ForwardDynamicsDerivatives(x.m, x.c, x.q.data(), x.v.data(), tau.data(), x.w, qdd.data(), dq.data(),
                                           dv.data(), Minv.data()).ok());
    EXPECT_LT(Relative(qdd, x.a), 1e-9);
    EXPECT_LT(Relative(dq, Difference(n, 1e-3, [&](int k, double h) { return x.Acceleration(x.Moved(k, h), x.v, tau); })), 1e-7)
        << "seed " << seed;
    EXPECT_LT(Relative(dv, Difference(n, 1e-4, [&](int k, double h) {
                         return x.Acceleration(x.q, x.v + h * VectorXd::Unit(n, k), tau);
                       })), 1e-6) << "seed " << seed;
    MassMatrix(x.m, x.c, x.q.data(), x.ws, M.data());
    EXPECT_LT((M * Minv - MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Pendulum of mass m at l about z, angle from the horizontal: tau = m l^2 a + m g l cos q + b v.
TEST(Derivatives, PendulumByHand) {
  Model model = testing::PlanarArm({2.0}, 3.0, 0.0, 0.5);
  model.coordinates[0].friction.viscous = 0.7;
  Case x(model, 1);
  x.q << 0.4;
  x.v << 1.5;
  x.a << 2.0;
  double dq, dv, Minv, qdd;
  InverseDynamicsDerivatives(x.m, x.c, x.q.data(), x.v.data(), x.a.data(), x.w, &dq, &dv);
  EXPECT_NEAR(dq, -3 * 9.81 * std::sin(.4), 1e-12);
  EXPECT_NEAR(dv, .7, 1e-15);
  const double tau = 5;
  ASSERT_TRUE(ForwardDynamicsDerivatives(x.m, x.c, x.q.data(), x.v.data(), &tau, x.w, &qdd, &dq, &dv, &Minv).ok());
  EXPECT_NEAR(qdd, (5 - 3 * 9.81 * std::cos(.4) - .7 * 1.5) / 3, 1e-12);
  EXPECT_NEAR(dq, 9.81 * std::sin(.4), 1e-12);
  EXPECT_NEAR(dv, -.7 / 3, 1e-13);
  EXPECT_NEAR(Minv, 1.0 / 3, 1e-14);
}

// A free body: tau_f = m (a + w x v) - m R^T g. Turning it by e_k changes R^T g by (R^T g) x e_k.
TEST(Derivatives, FreeBodyByHand) {
  Model model = testing::Base("body");
  testing::AddJoint(model, JointKind::kFloating, 0, testing::At(0, 0, 0), Eigen::Vector3d::UnitZ(),
                    testing::Body3(2, {0, 0, 0}, .1, .2, .3));
  Case x(model, 5);
  MatrixXd dq(6, 6), dv(6, 6);
  InverseDynamicsDerivatives(x.m, x.c, x.q.data(), x.v.data(), x.a.data(), x.w, dq.data(), dv.data());
  const Eigen::Matrix3d R = Eigen::Quaterniond(x.q[6], x.q[3], x.q[4], x.q[5]).toRotationMatrix();
  const Eigen::Vector3d g = R.transpose() * Eigen::Vector3d(0, 0, -9.81), w = x.v.tail<3>(), u = x.v.head<3>();
  MatrixXd want_q = MatrixXd::Zero(6, 6), want_v = MatrixXd::Zero(6, 6);
  const Eigen::Matrix3d I = Eigen::Vector3d(.1, .2, .3).asDiagonal();
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
    want_q.block<3, 1>(0, 3 + k) = -2 * g.cross(e);
    want_v.block<3, 1>(0, k) = 2 * w.cross(e);
    want_v.block<3, 1>(0, 3 + k) = 2 * e.cross(u);
    want_v.block<3, 1>(3, 3 + k) = e.cross(I * w) + w.cross(I * e);
  }
  EXPECT_LT((dq - want_q).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((dv - want_v).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace torqued
