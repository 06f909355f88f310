// What the hand can do and feel: velocities, singularities, inverse statics, operational space.
#include <gtest/gtest.h>

#include "server/core/dynamics/inverse_statics.h"
#include "server/core/dynamics/operational_space.h"
#include "server/core/dynamics/singularity.h"
#include "server/core/dynamics/velocity_analysis.h"
#include "tests/analysis/robots.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDeg = M_PI / 180;

VectorXd Vec(std::initializer_list<double> x) {
  return Eigen::Map<const VectorXd>(x.begin(), static_cast<int>(x.size()));
}

struct Arm {
  explicit Arm(const Model& model) : m(Prepare(model)), c(m), ws(m) {}
  const BodyFrame& Tool() const { return m.frames[m.tool_frame]; }
  MatrixXd J(const VectorXd& q, Expression e = Expression::kWorldAligned) {
    MatrixXd out(6, m.nv);
    Jacobian(m, Tool(), e, q.data(), ws, out.data());
    return out;
  }
  Singularity At(const VectorXd& q, const TaskRows& rows) {
    SingularityOptions o;
    o.rows = rows;
    return AnalyseSingularity(m, Tool(), q.data(), o, ws);
  }
  MatrixXd Minv(const VectorXd& q) {
    DerivativesWorkspace w(m);
    MatrixXd out(m.nv, m.nv);
    const VectorXd zero = VectorXd::Zero(m.nv);
    EXPECT_TRUE(ForwardDynamicsDerivatives(m, c, q.data(), nullptr, zero.data(), w, nullptr, nullptr, nullptr, out.data()).ok());
    return out;
  }
  Prepared m;
  Conditions c;
  Workspace<double> ws;
};

TEST(Svd, FactorsAndCompletesBases) {
  Random random(4);
  for (const auto& [rows, cols] : {std::pair{6, 6}, {6, 9}, {6, 2}, {3, 1}, {1, 4}, {20, 7}}) {
    MatrixXd A(rows, cols);
    for (int i = 0; i < A.size(); ++i) A.data()[i] = random.Normal();
    if (cols > 1) A.col(cols - 1) = 2 * A.col(0);  // rank deficient
    const Svd svd = ComputeSvd(A);
    MatrixXd S = MatrixXd::Zero(rows, cols);
    S.diagonal() = svd.s;
    EXPECT_LT((svd.U * S * svd.V.transpose() - A).norm(), 1e-14 * A.norm());
    EXPECT_LT((svd.U.transpose() * svd.U - MatrixXd::Identity(rows, rows)).norm(), 1e-13);
    EXPECT_LT((svd.V.transpose() * svd.V - MatrixXd::Identity(cols, cols)).norm(), 1e-13);
    for (int k = 1; k < svd.s.size(); ++k) EXPECT_LE(svd.s[k], svd.s[k - 1]);
  }
  const Svd zero = ComputeSvd(MatrixXd::Zero(3, 2));
  EXPECT_EQ(zero.s, VectorXd::Zero(2));
  EXPECT_LT((zero.U.transpose() * zero.U - MatrixXd::Identity(3, 3)).norm(), 1e-14);
  // A 2x2 whose small singular value sits far below eps of the large one is still accurate.
  MatrixXd graded(2, 2);
  graded << 1, 0, 0, 1e-25;
  EXPECT_DOUBLE_EQ(ComputeSvd(graded).s[1], 1e-25);
}

// Textbook table: 2R, l = 0.5.
TEST(VelocityAnalysis, PlanarTextbookRates) {
  Arm arm(testing::PlanarArm({.5, .5}));
  const struct { VectorXd V, q, want; double det; } rows[] = {
      {Vec({-1, 0}), Vec({30, -60}), Vec({2, -4}), -.2165063509},
      {Vec({0, 1}), Vec({30, 120}), Vec({1.1547005384, -2.3094010768}), .2165063509},
      {Vec({1, 1}), Vec({30, -30}), Vec({-4, 9.4641016151}), -.125}};
  for (const auto& row : rows) {
    const MatrixXd J = arm.J(row.q * kDeg);
    const InverseVelocity out = SolveInverseVelocity(J, {0, 1}, row.V);
    EXPECT_LT((out.v - row.want).norm(), 1e-9);
    EXPECT_FALSE(out.damped);
    EXPECT_LT(out.residual.norm(), 1e-14);
    EXPECT_NEAR(SelectRows(J, {0, 1}).determinant(), row.det, 1e-10);
    EXPECT_NEAR(arm.At(row.q * kDeg, {0, 1}).yoshikawa, std::abs(row.det), 1e-10);
  }
}

TEST(VelocityAnalysis, DampingBoundsRatesAndSaysWhatItCosts) {
  Arm arm(testing::PlanarArm({.5, .5}));
  double last_cost = 0;
  for (const double bend : {.1, .02, .005, .001}) {
    const MatrixXd J = arm.J(Vec({0, bend}));
    const VectorXd wanted = Vec({.1, 0});  // along the arm: nearly lost
    const InverseVelocity out = SolveInverseVelocity(J, {0, 1}, wanted);
    EXPECT_NEAR((out.residual - (wanted - SelectRows(J, {0, 1}) * out.v)).norm(), 0, 1e-15);
    EXPECT_NEAR(out.residual.norm(), out.damping_cost, 1e-12) << "square and regular: nothing is unreachable";
    EXPECT_EQ(out.unreachable, 0);
    EXPECT_LE(out.v.norm(), out.undamped_norm + 1e-12);
    EXPECT_GE(out.damping_cost, last_cost);
    last_cost = out.damping_cost;
  }
  EXPECT_GT(last_cost, .05);
  const InverseVelocity stretched = SolveInverseVelocity(arm.J(Vec({0, 0})), {0, 1}, Vec({.1, .2}));
  EXPECT_NEAR(stretched.unreachable, .1, 1e-12);
  EXPECT_TRUE(std::isinf(stretched.undamped_norm));
  EXPECT_NEAR(stretched.residual[1], 0, 1e-12) << "what is not lost is given exactly";
}

TEST(Singularity, PlanarArmStretchedAndFoldedIsTheBoundary) {
  Arm arm(testing::PlanarArm({.5, .4}));
  EXPECT_FALSE(arm.At(Vec({.3, .7}), {0, 1}).singular);
  for (const double elbow : {0.0, M_PI}) {
    const Singularity s = arm.At(Vec({.3, elbow}), {0, 1});
    EXPECT_TRUE(s.singular);
    EXPECT_EQ(s.rank, 1);
    EXPECT_EQ(s.kind, SingularityKind::kBoundary);
    ASSERT_EQ(s.lost.cols(), 1);
    EXPECT_NEAR(std::abs(s.lost.col(0).dot(Eigen::Vector2d(std::cos(.3), std::sin(.3)))), 1, 1e-12) << "along the arm";
    ASSERT_EQ(s.idle.cols(), 1);
    EXPECT_LT((SelectRows(arm.J(Vec({.3, elbow})), {0, 1}) * s.idle).norm(), 1e-12);
  }
  // In all six rows the arm's plane is no singularity, and leaving it is told apart.
  const Singularity translation = arm.At(Vec({.3, 0}), TranslationRows());
  EXPECT_EQ(translation.general_rank, 2);
  EXPECT_EQ(translation.never.cols(), 1);
  EXPECT_NEAR(std::abs(translation.never(2, 0)), 1, 1e-12);
  EXPECT_EQ(translation.lost.cols(), 1);
  EXPECT_EQ(translation.kind, SingularityKind::kBoundary);
}

TEST(Singularity, KindsOfASixAxisArm) {
  Arm puma(testing::Puma560());
  const Singularity wrist = puma.At(Vec({.1, .8, -2.4, .3, 0, .2}), AllRows());
  EXPECT_EQ(wrist.rank, 5);
  EXPECT_EQ(wrist.kind, SingularityKind::kInterior);
  EXPECT_NEAR(std::abs(wrist.idle.col(0).dot(Vec({0, 0, 0, 1, 0, -1}))), std::sqrt(2.0), 1e-9);

  // Elbow: forearm in line with the upper arm, wrist bent.
  const double elbow = -std::atan2(.4318, .0203);
  const Singularity stretched = puma.At(Vec({.1, .8, elbow, .3, .7, .2}), AllRows());
  EXPECT_EQ(stretched.rank, 5) << stretched.singular_values.transpose();
  EXPECT_EQ(stretched.kind, SingularityKind::kBoundary);

  // Both at once: still the boundary. (With joint four turned the elbow's motion gives the turn that the wrist lost, rank 5,
  // and the remaining null motion moves nothing at second order: said, not guessed.)
  const Singularity both = puma.At(Vec({.1, .8, elbow, 0, 0, .2}), AllRows());
  EXPECT_EQ(puma.At(Vec({.1, .8, elbow, .3, 0, .2}), AllRows()).kind, SingularityKind::kUndetermined);
  EXPECT_EQ(both.rank, 4);
  EXPECT_EQ(both.kind, SingularityKind::kBoundary);
  EXPECT_EQ(both.lost.cols(), 2);

  // Wrist centre over the base axis (no shoulder offset): interior.
  Arm abb(testing::Irb2400());
  const double reach = std::hypot(.135, .755), lean = std::atan2(.755, .135), q2 = -.3;
  const double q3 = std::asin((-.1 - .705 * std::sin(q2)) / reach) - lean - q2;
  const Singularity shoulder = abb.At(Vec({.5, q2, q3, .2, .6, .1}), AllRows());
  EXPECT_EQ(shoulder.rank, 5) << shoulder.singular_values.transpose();
  EXPECT_EQ(shoulder.kind, SingularityKind::kInterior);

  // A gimbal of three axes, two in line: rotations only.
  Arm gimbal(testing::Chain("wrist", {{{0, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}}, testing::At(0, 0, .1)));
  EXPECT_EQ(gimbal.At(Vec({.4, 0, .1}), RotationRows()).kind, SingularityKind::kInterior);
  EXPECT_FALSE(gimbal.At(Vec({.4, .5, .1}), RotationRows()).singular);
}

// Published: Puma 560 at qm.
TEST(Singularity, ManipulabilityOfThePumaAsPublished) {
  Arm puma(testing::Puma560());
  const VectorXd q = Vec({0, M_PI / 4, -M_PI, 1, M_PI / 4, 0});
  EXPECT_NEAR(puma.At(q, AllRows()).yoshikawa, .0786172, 5e-8);
  EXPECT_NEAR(Yoshikawa(SelectRows(puma.J(q), TranslationRows())), .1111815, 5e-8);
  EXPECT_NEAR(Yoshikawa(SelectRows(puma.J(q), RotationRows())), 2.5936, 5e-5);
  EXPECT_NEAR(Asada(puma.J(q), puma.Minv(q), TranslationRows()), .2733, 5e-5);
}

TEST(Singularity, RowsThatSuitAnArm) {
  const auto rows = [](const Model& model) {
    Arm arm(model);
    return SuggestRows(arm.m, arm.Tool(), arm.ws);
  };
  EXPECT_EQ(rows(testing::Puma560()), AllRows());
  EXPECT_EQ(rows(testing::Scara()), (TaskRows{0, 1, 2, 5}));
  EXPECT_EQ(rows(testing::PlanarArm({.5, .5, .2})), PlanarRows());
  EXPECT_EQ(rows(testing::PlanarArm({.5, .5})), (TaskRows{0, 1}));
  // A SCARA's own singularity: the stretched arm, with its four rows.
  Arm scara(testing::Scara());
  const Singularity s = scara.At(Vec({.3, 0, .1, .2}), {0, 1, 2, 5});
  EXPECT_EQ(s.kind, SingularityKind::kBoundary);
  // Planar 2R has no inverse of a 6 x 6 M_x: the two rows alone, as a closed form. Point mass 1 at each link's middle.
  Arm planar(testing::PlanarArm({1, 1}, 1, 0));
  const VectorXd q = Vec({0, M_PI / 2});
  const Eigen::Matrix2d J{{-1, -1}, {1, 0}}, M{{1.5, .25}, {.25, .25}};
  const Eigen::Matrix2d M_x = (J * M.inverse() * J.transpose()).inverse();
  const double mean = M_x.trace() / 2, spread = std::sqrt(mean * mean - M_x.determinant());
  EXPECT_NEAR(Asada(planar.J(q), planar.Minv(q), {0, 1}), (mean - spread) / (mean + spread), 1e-9);
}

TEST(OperationalSpace, PumaAsPublished) {
  Arm puma(testing::Puma560());
  OperationalSpaceSolver solver(puma.m);
  OperationalSpace x;
  // "Base axes": the published table stands in the tool's Jacobian of the base frame, with the rotors.
  const VectorXd qn = Vec({0, M_PI / 4, M_PI, 0, M_PI / 4, 0});
  ASSERT_TRUE(solver.Solve(puma.Tool(), puma.c, {}, qn.data(), nullptr, x).ok());
  EXPECT_LT((x.M_x.row(0).transpose() - Vec({17.295409, -2.754225, -9.623337, 0, .279545, 0})).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((x.M_x.diagonal() - Vec({17.295409, 12.190898, 13.334787, .194105, .171348, .579088})).cwiseAbs().maxCoeff(), 1e-6);
  const VectorXd qm = Vec({0, M_PI / 4, -M_PI, 1, M_PI / 4, 0});
  ASSERT_TRUE(solver.Solve(puma.Tool(), puma.c, {}, qm.data(), nullptr, x).ok());
  EXPECT_LT((x.M_x.diagonal() - Vec({18.074139, 11.246094, 14.113517, .137681, .461172, .345688})).cwiseAbs().maxCoeff(), 1e-6);
}

// F = M_x xdd + U_x + G_x gives back the torque, J^T F = tau, for a six-axis arm away from singularities.
TEST(OperationalSpace, ForceTimesJacobianIsTheTorque) {
  Arm puma(testing::Puma560());
  OperationalSpaceSolver solver(puma.m);
  Conditions c(puma.m);
  c.terms.friction = false;
  Random random(9);
  for (const Expression e : {Expression::kWorldAligned, Expression::kBody, Expression::kSpatial}) {
    const VectorXd q = Vec({.2, .7, -2.3, .4, .9, .1}), v = testing::RandomRates(6, random), a = testing::RandomRates(6, random);
    OperationalOptions o;
    o.expression = e;
    OperationalSpace x;
    ASSERT_TRUE(solver.Solve(puma.Tool(), c, o, q.data(), v.data(), x).ok());
    VectorXd dotv(6), tau(6);
    JacobianDotV(puma.m, puma.Tool(), e, q.data(), v.data(), puma.ws, dotv.data());
    const MatrixXd J = puma.J(q, e);
    const VectorXd F = x.M_x * (J * a + dotv) + x.U_x + x.G_x;
    InverseDynamics(puma.m, c, q.data(), v.data(), a.data(), puma.ws, tau.data());
    EXPECT_LT((J.transpose() * F - tau).cwiseAbs().maxCoeff(), 1e-9 * std::max(1.0, x.condition * 1e-3));
  }
}

TEST(OperationalSpace, AtASingularityTheRestStillHolds) {
  Arm arm(testing::PlanarArm({.5, .5}));
  OperationalSpaceSolver solver(arm.m);
  OperationalOptions o;
  o.rows = {0, 1};
  OperationalSpace x;
  ASSERT_TRUE(solver.Solve(arm.Tool(), arm.c, o, Vec({0, 0}).data(), nullptr, x).ok());
  EXPECT_TRUE(x.singular);
  EXPECT_EQ(x.rank, 1);
  EXPECT_NEAR(std::abs(x.lost(0, 0)), 1, 1e-12);
  // Across the arm: the inverse of what a force there accelerates.
  const MatrixXd Minv = arm.Minv(Vec({0, 0}));
  const VectorXd j = arm.J(Vec({0, 0})).row(1);
  EXPECT_NEAR(x.M_x(1, 1), 1 / j.dot(Minv * j), 1e-12);
  EXPECT_NEAR(x.M_x(0, 0), 0, 1e-12);
  o.treatment = SingularTreatment::kDamped;
  ASSERT_TRUE(solver.Solve(arm.Tool(), arm.c, o, Vec({0, 0}).data(), nullptr, x).ok());
  EXPECT_TRUE(x.M_x.allFinite());
  EXPECT_NEAR(x.departure, 1e-6, 1e-8);
  // A massless moving link: no answer, and the joint is named.
  Arm massless(testing::PlanarArm({.5, .5}, 0, 0));
  OperationalSpaceSolver none(massless.m);
  EXPECT_FALSE(none.Solve(massless.Tool(), massless.c, o, Vec({0, 1}).data(), nullptr, x).ok());
}

TEST(InverseStatics, WrenchFromTorquesOfThePuma) {
  Arm puma(testing::Puma560());
  const VectorXd q = Vec({0, M_PI / 4, M_PI, 0, M_PI / 4, 0});
  const VectorXd tau = Vec({.642756297, -2.553240346, -1.331925513, 2.828427125, -2, 3});
  const Estimate e = EstimateWrench(puma.J(q, Expression::kBody), AllRows(), tau, .01);
  EXPECT_LT((e.x - Vec({1, 2, 3, 1, 2, 3})).norm(), 1e-7);
  EXPECT_EQ(e.rank, 6);
  EXPECT_EQ(e.unknowable.cols(), 0);
  // Covariance of a square system: (J J^T)^-1 sigma^2.
  const MatrixXd J = puma.J(q, Expression::kBody);
  EXPECT_LT((e.covariance - 1e-4 * (J * J.transpose()).inverse()).norm(), 1e-9 * e.covariance.norm());
}

TEST(InverseStatics, PlanarArmSeesForcesInItsPlaneOnly) {
  Arm arm(testing::PlanarArm({.5, .5}));
  const VectorXd q = Vec({30, -30}) * kDeg, tau = Vec({-6.8301270189, -5});
  // Textbook: F' = (10, 10) on the hand, F = -F' by the hand.
  const Estimate e = EstimateWrench(arm.J(q), {0, 1}, tau);
  EXPECT_LT((e.x - Vec({-10, -10})).norm(), 1e-9);
  const Estimate all = EstimateWrench(arm.J(q), TranslationRows(), tau);
  EXPECT_EQ(all.rank, 2);
  ASSERT_EQ(all.unknowable.cols(), 1);
  EXPECT_NEAR(std::abs(all.unknowable(2, 0)), 1, 1e-12);
}

TEST(InverseStatics, LoadFromTorques) {
  Model model = testing::Puma560();
  Arm puma(model);
  const Eigen::Vector3d com(.02, -.01, .1), gravity(0, 0, -9.81);
  model.links.back().inertia = [&] {  // the load joined to the last link
    MassProperties last = *model.links.back().inertia;
    MassProperties out;
    out.mass = last.mass + 2.5;
    out.com = (last.mass * last.com + 2.5 * com) / out.mass;
    return out;
  }();
  Arm loaded(model);
  Random random(2);
  MatrixXd q(6, 4), extra(6, 4);
  for (int k = 0; k < 4; ++k) {
    q.col(k) = testing::RandomPositions(puma.m, random);
    VectorXd g0(6), g1(6);
    GravityTorque(puma.m, puma.c, q.col(k).data(), puma.ws, g0.data());
    GravityTorque(loaded.m, loaded.c, q.col(k).data(), loaded.ws, g1.data());
    extra.col(k) = g1 - g0;
  }
  const Estimate known = EstimateLoad(puma.m, puma.Tool(), gravity, q.leftCols(1), extra.leftCols(1), com, puma.ws);
  EXPECT_NEAR(known.x[0], 2.5, 1e-10);
  const Estimate free = EstimateLoad(puma.m, puma.Tool(), gravity, q, extra, std::nullopt, puma.ws);
  EXPECT_EQ(free.rank, 4);
  EXPECT_LT((free.x - Vec({2.5, 2.5 * .02, -2.5 * .01, .25})).norm(), 1e-9);
  // One posture cannot tell the centre's height along gravity.
  const Estimate one = EstimateLoad(puma.m, puma.Tool(), gravity, q.leftCols(1), extra.leftCols(1), std::nullopt, puma.ws);
  EXPECT_LT(one.rank, 4);
  EXPECT_EQ(one.unknowable.cols(), 4 - one.rank);
}

}  // namespace
}  // namespace torqued
