// Do robots with published values come out as published? Where a value says "recomputed", the publication's parameters were
// put into a Lagrangian with complex-step derivatives, no recursion. D_ijk carries the factor 1/2.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/builder.h"
#include "tests/oracle/match.h"

namespace torqued {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using oracle::Builder;
using oracle::DhRow;
using oracle::Mass;
using oracle::Near;
using oracle::Translation;

constexpr double kPi = M_PI;

VectorXd Vec(std::initializer_list<double> x) {
  VectorXd v(x.size());
  int i = 0;
  for (double e : x) v[i++] = e;
  return v;
}
const VectorXd kOnes = VectorXd::Ones(6), kZeros = VectorXd::Zero(6);

// Corke, Robotics Toolbox, mdl_puma560.m (standard DH) and its tests: values to the printed digits.
Model Puma560() {
  const double h = kPi / 2;
  Model m = oracle::StandardDh({
      {0, 0, 0, h, false, Mass(0, {0, 0, 0}, 0, 0.35, 0)},
      {0, 0, 0.4318, 0, false, Mass(17.4, {-0.3638, 0.006, 0.2275}, 0.13, 0.524, 0.539)},
      {0, 0.15005, 0.0203, -h, false, Mass(4.8, {-0.0203, -0.0141, 0.070}, 0.066, 0.086, 0.0125)},
      {0, 0.4318, 0, h, false, Mass(0.82, {0, 0.019, 0}, 1.8e-3, 1.3e-3, 1.8e-3)},
      {0, 0, 0, -h, false, Mass(0.34, {0, 0, 0}, 0.3e-3, 0.4e-3, 0.3e-3)},
      {0, 0, 0, 0, false, Mass(0.09, {0, 0, 0.032}, 0.15e-3, 0.15e-3, 0.04e-3)},
  });
  const double Jm[] = {200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6};
  const double G[] = {-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686};
  const double B[] = {1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6};
  const double up[] = {0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3};
  const double down[] = {0.435, 0.071, 0.105, 16.9e-3, 14.5e-3, 10.5e-3};
  for (int i = 0; i < 6; ++i) {
    m.rotors.push_back({"motor", Jm[i], -1, Vector3d::UnitZ(), {{i, G[i]}}});
    Friction& f = m.coordinates[i].friction;
    f.viscous = B[i] * G[i] * G[i];
    f.coulomb_positive = up[i] * std::abs(G[i]);
    f.coulomb_negative = down[i] * std::abs(G[i]);
  }
  return m;
}

class Puma : public ::testing::Test {
 protected:
  Evaluate e{Puma560()};
  VectorXd qn = Vec({0, kPi / 4, kPi, 0, kPi / 4, 0}), qm = Vec({0, kPi / 4, -kPi, 1, kPi / 4, 0});
  VectorXd ramp = Vec({1, 2, 3, 1, 2, 3});
};

TEST_F(Puma, Gravity) {
  EXPECT_TRUE(Near(e.Gravity(qn), Vec({0, 31.63988, 6.035138, 0, 0.028253, 0}), 3e-7));
  EXPECT_TRUE(Near(e.Gravity(qm), Vec({0, 31.633387, 6.028644, -0.011887, 0.021759, 0}), 3e-8));
}

TEST_F(Puma, InverseDynamicsWithAndWithoutFriction) {
  EXPECT_TRUE(Near(e.Inverse(qn, kZeros, kOnes), Vec({3.353111, 36.002511, 7.425964, 0.190043, 0.203441, 0.194133}), 3e-8));
  EXPECT_TRUE(Near(e.Inverse(qn, kOnes, kOnes), Vec({32.495243, 60.866988, 17.743595, 1.454519, 1.299110, 0.713781}), 3e-8));
  EXPECT_TRUE(Near(e.Inverse(qn, kOnes, kZeros), Vec({29.142132, 56.504358, 16.352769, 1.264476, 1.123922, 0.519648}), 3e-8));
  e.conditions.terms.friction = false;
  EXPECT_TRUE(Near(e.Inverse(qn, kOnes, kOnes), Vec({1.962036, 37.785430, 6.673937, 0.191266, 0.205820, 0.194281}), 3e-8));
  VectorXd friction(6);
  FrictionTorques(e.m, kOnes.data(), friction.data());
  EXPECT_TRUE(Near(friction, Vec({30.533206, 23.081559, 11.069658, 1.263253, 1.093290, 0.519500}), 3e-8));
}

TEST_F(Puma, MassMatrix) {
  const MatrixXd M = e.Mass(qn);
  EXPECT_TRUE(Near(M.diagonal(), Vec({3.659375, 4.413742, 0.937842, 0.192532, 0.171348, 0.194105}), 3e-7));
  const VectorXd off = Vec({M(0, 1), M(0, 2), M(0, 3), M(1, 2), M(1, 4), M(2, 4), M(3, 5)});
  EXPECT_TRUE(Near(off, Vec({-0.404361, 0.100614, -0.002517, 0.350891, 0.002360, 0.001480, 0.000028}), 6e-7));
  EXPECT_TRUE(Near(M * ramp, Vec({3.149977, 9.480514, 3.618880, 0.190100, 0.351856, 0.582342}), 3e-7));
}

TEST_F(Puma, CoriolisMatrixAndCoefficients) {
  const MatrixXd C = e.CoriolisC(qn, ramp);
  MatrixXd want(3, 6);
  want << -0.173498, -2.049360, -0.117818, -0.000214, -0.004478, 0.000140,  //
      0.627376, 1.157184, 1.928696, -0.001524, -0.000289, -0.000006,        //
      -0.360771, -0.773353, -0.001841, -0.000902, -0.006445, -0.000006;
  EXPECT_TRUE(Near(C.topRows<3>(), want, 6e-7));
  VectorXd D(216);
  CoriolisCoefficients(e.m, e.conditions, qn.data(), e.ws, D.data());
  const auto d = [&](int i, int j, int k) { return D[((i - 1) * 6 + j - 1) * 6 + k - 1]; };
  const struct { int i, j, k; double value; } rows[] = {
      {1, 1, 2, -0.628022}, {1, 2, 1, -0.628022}, {1, 1, 3, 0.360747}, {1, 2, 2, -0.567047}, {1, 2, 3, -0.095661},
      {1, 3, 3, -0.095661}, {2, 1, 1, 0.628022},  {2, 2, 3, 0.385756}, {2, 3, 3, 0.385756},  {2, 1, 2, 0},
      {2, 1, 3, 0},         {2, 2, 2, 0},         {3, 1, 1, -0.360747}, {3, 2, 2, -0.385756}, {3, 1, 2, 0},
      {3, 1, 3, 0},         {3, 2, 3, 0},         {3, 3, 3, 0}};
  for (const auto& r : rows) EXPECT_NEAR(d(r.i, r.j, r.k), r.value, 6e-7) << r.i << r.j << r.k;
}

TEST_F(Puma, ForwardDynamicsWithFriction) {
  const VectorXd v = Vec({.1, .2, .8, .2, .5, 1}), tau = Vec({1, 3.2, 1.8, .1, .7, 4.6});
  EXPECT_TRUE(Near(e.Forward(qn, v, tau),
                   Vec({-7.410223, -9.843225, -10.969398, -4.431429, -0.988141, 21.022782}), 3e-8));
}

TEST_F(Puma, WrenchInToolAxes) {
  const VectorXd tau = e.Wrench(e.m.frames[6], WrenchAxes::kOfFrame, ramp, qn);
  EXPECT_TRUE(Near(tau, Vec({0.642756297, -2.553240346, -1.331925513, 2.828427125, -2, 3}), 3e-10));
  EXPECT_TRUE(Near(tau + e.Gravity(qn), Vec({0.642756, 29.086640, 4.703213, 2.828427, -1.971747, 3.0}), 3e-8));
}

TEST_F(Puma, KineticEnergy) {
  const auto kinetic = [&](const VectorXd& q) {
    return MechanicalEnergy(e.m, e.conditions, q.data(), kOnes.data(), e.ws).kinetic;
  };
  EXPECT_NEAR(kinetic(qn), 4.832965867, 1e-9);
  EXPECT_NEAR(kinetic(qm), 4.828481038, 1e-9);
  e.conditions.terms.rotor = false;
  EXPECT_NEAR(kinetic(qn), 2.712326, 1e-6);
}

// Siciliano, Sciavicco, Villani, Oriolo: motors of 5 kg and 0.01 kg m^2, ratio 100; motor 2 sits at the elbow and spins
// with link 1 besides its own turn. y up.
Model SicilianoTwoLink() {
  Builder b;
  MassProperties upper = Mass(50, {0.5, 0, 0}, 0, 0, 10);
  const MassProperties motor = Mass(5, {1, 0, 0}, 0, 0, 0.01);
  const BodyInertia sum = ToBodyInertia(upper, Eigen::Isometry3d::Identity()) + ToBodyInertia(motor, Eigen::Isometry3d::Identity());
  const int first = b.Add(0, JointKind::kRevolute, Translation(0, 0, 0), Vector3d::UnitZ(), ToMassProperties(sum));
  b.Add(first, JointKind::kRevolute, Translation(1, 0, 0), Vector3d::UnitZ(), Mass(50, {0.5, 0, 0}, 0, 0, 10));
  b.model().rotors = {{"motor1", 0.01, -1, Vector3d::UnitZ(), {{0, 100}}}, {"motor2", 0.01, first, Vector3d::UnitZ(), {{1, 100}}}};
  b.model().coordinates[0].friction.viscous = b.model().coordinates[1].friction.viscous = 100;
  b.model().gravity = {0, -9.81, 0};
  return b.Build();
}

TEST(Siciliano, TwoLinkWithMotors) {
  Evaluate e(SicilianoTwoLink());
  for (double q2 : {0.0, kPi / 2, 1.234}) {
    Matrix2d B;
    const double b12 = 23.5 + 25 * std::cos(q2);
    B << 200.01 + 50 * std::cos(q2), b12, b12, 122.5;
    EXPECT_TRUE(Near(e.Mass(Vector2d(0.7, q2)), B, 1e-14)) << q2;
  }
  e.conditions.terms.friction = false;
  const Vector2d q(kPi / 6, kPi / 3), v(1, 5), a(2, 5);
  EXPECT_TRUE(Near(e.Gravity(q), Vector2d(679.656737, 0), 1e-9));
  EXPECT_TRUE(Near(e.Coriolis(q, v), Vector2d(-757.772228, 21.650635), 1e-9));
  EXPECT_TRUE(Near(e.Inverse(q, v, a), Vector2d(551.904509, 706.150635), 1e-9));
  e.conditions.terms = Terms{false, false, false, false, true, false};
  EXPECT_TRUE(Near(e.Inverse(q, v, a), Vector2d(100, 500), 1e-15));
}

Model PlanarTwoLink(const MassProperties& first, const MassProperties& second) {
  Builder b;
  const int upper = b.Add(0, JointKind::kRevolute, Translation(0, 0, 0), Vector3d::UnitZ(), first);
  b.Add(upper, JointKind::kRevolute, Translation(1, 0, 0), Vector3d::UnitZ(), second);
  b.model().gravity = {0, -9.81, 0};
  return b.Build();
}

// Corke, mdl_twolink.m (after Spong): point masses of 1 kg at mid-link, vertical plane. Dynamic value recomputed.
TEST(Corke, TwoLink) {
  const MassProperties point = Mass(1, {0.5, 0, 0}, 0, 0, 0);
  Evaluate e(PlanarTwoLink(point, point));
  EXPECT_TRUE(Near(e.Gravity(Vector2d(0, 0)), 9.81 * Vector2d(2, 0.5), 1e-14));
  EXPECT_TRUE(Near(e.Gravity(Vector2d(0, kPi / 2)), 9.81 * Vector2d(1.5, 0), 1e-14));
  EXPECT_TRUE(Near(e.Gravity(Vector2d(kPi / 2, 0)), Vector2d(0, 0), 1e-14));
  EXPECT_TRUE(Near(e.Inverse(Vector2d(1, 2), Vector2d(3, 4), Vector2d(5, 6)), Vector2d(-9.420487994, 0.945558134), 1e-9));
}

// Featherstone, spatial_v2, planar(2). Values at pi/2 and the torque recomputed.
TEST(Featherstone, Planar) {
  const MassProperties rod = Mass(1, {0.5, 0, 0}, 0, 0, 1.0 / 12);
  Evaluate e(PlanarTwoLink(rod, rod));
  const auto M = [&](double q2) { return e.Mass(Vector2d(0.1, q2)); };
  EXPECT_TRUE(Near(M(0), (Matrix2d() << 8.0 / 3, 5.0 / 6, 5.0 / 6, 1.0 / 3).finished(), 1e-14));
  EXPECT_TRUE(Near(M(kPi / 2), (Matrix2d() << 5.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3).finished(), 1e-14));
  VectorXd D(8);
  const Vector2d q(0.2, kPi / 2);
  CoriolisCoefficients(e.m, e.conditions, q.data(), e.ws, D.data());
  EXPECT_TRUE(Near(D, Vec({0, -0.5, -0.5, -0.5, 0.5, 0, 0, 0}), 1e-14));
  EXPECT_TRUE(Near(e.Inverse(Vector2d(.3, .7), Vector2d(.5, -.4), Vector2d(1, 2)), Vector2d(20.648283078, 4.113131115), 1e-9));
}

// Paul 1981, table of the effective inertias of two point masses at the links' ends, d = 1, m1 = 2 (recomputed).
TEST(Paul, PointMassArm) {
  const struct { double m2, angle_deg, D11, D12, D22, free; } rows[] = {
      {1, 0, 6, 2, 1, 2},     {1, 90, 4, 1, 1, 3},      {1, 180, 2, 0, 1, 2},
      {4, 0, 18, 8, 4, 2},    {4, 90, 10, 4, 4, 6},     {4, 180, 2, 0, 4, 2},
      {100, 0, 402, 200, 100, 2}, {100, 90, 202, 100, 100, 102}, {100, 180, 2, 0, 100, 2}};
  for (const auto& r : rows) {
    Evaluate e(PlanarTwoLink(Mass(2, {1, 0, 0}, 0, 0, 0), Mass(r.m2, {1, 0, 0}, 0, 0, 0)));
    const Vector2d q(0.4, r.angle_deg * kPi / 180);
    EXPECT_TRUE(Near(e.Mass(q), (Matrix2d() << r.D11, r.D12, r.D12, r.D22).finished(), 1e-14));
    // Joint 2 free: a unit acceleration of joint 1 costs the free inertia.
    const Vector2d qdd = e.Forward(q, Vector2d::Zero(), e.Gravity(q) + Vector2d(1, 0));
    EXPECT_NEAR(1 / qdd[0], r.free, 1e-10 * r.free);
    VectorXd D(8);
    CoriolisCoefficients(e.m, e.conditions, q.data(), e.ws, D.data());
    const double h = r.m2 * std::sin(q[1]);
    EXPECT_TRUE(Near(D, Vec({0, -h, -h, -h, h, 0, 0, 0}), 1e-13));
  }
}

// A SCARA of a robotics course after Siciliano (two repositories agree): d3 down, q4 counted against q1, q2. Recomputed.
Model CourseScara(bool carriers) {
  Builder b;
  const double J[] = {0.01, 0.01, 0.005, 0.001}, k[] = {1, 1, 50, 20};
  const double lump2 = carriers ? J[1] : 0, lump34 = carriers ? J[2] + J[3] : 0;  // rotors turn with their carriers
  const int first = b.Add(0, JointKind::kRevolute, Translation(0, 0, 1), Vector3d::UnitZ(), Mass(20, {.25, 0, 0}, 0, 0, 4 + lump2));
  const int second = b.Add(first, JointKind::kRevolute, Translation(.5, 0, 0), Vector3d::UnitZ(), Mass(20, {.25, 0, 0}, 0, 0, 4 + lump34));
  const int quill = b.Add(second, JointKind::kPrismatic, Translation(.5, 0, 0), -Vector3d::UnitZ(), Mass(10, {0, 0, 0}, 0, 0, 0));
  b.Add(quill, JointKind::kRevolute, Translation(0, 0, 0), -Vector3d::UnitZ(), Mass(0, {0, 0, 0}, 0, 0, 1));
  const Vector3d z = Vector3d::UnitZ();
  if (carriers)
    b.model().rotors = {{"1", J[0], -1, z, {{0, k[0]}}}, {"2", J[1], first, z, {{1, k[1]}}},
                        {"3", J[2], second, z, {{2, k[2]}}}, {"4", J[3], second, z, {{3, k[3]}}}};
  else
    b.model().rotors = {{"1", J[0], -1, z, {{0, k[0]}}}, {"2", J[1], -1, z, {{0, 1}, {1, k[1]}}},
                        {"3", J[2], -1, z, {{0, 1}, {1, 1}, {2, k[2]}}}, {"4", J[3], -1, z, {{0, 1}, {1, 1}, {3, k[3]}}}};
  return b.Build();
}

TEST(Scara, RotorsOnTheirCarriersOrByTheirRates) {
  Matrix4d links, motors;
  links << 31.5, 13.75, 0, -1, 13.75, 8.75, 0, -1, 0, 0, 10, 0, -1, -1, 0, 1;
  motors << .026, .016, .25, .02, .016, .016, .25, .02, .25, .25, 12.5, 0, .02, .02, 0, .4;
  for (bool carriers : {true, false}) {
    Evaluate e(CourseScara(carriers));
    const VectorXd q = VectorXd::Zero(4);
    EXPECT_TRUE(Near(e.Mass(q), links + motors, 1e-14)) << carriers;
    EXPECT_TRUE(Near(e.Gravity(q), Vec({0, 0, -98.1, 0}), 1e-14));
    const MatrixXd M = e.Mass(Vec({0, kPi / 3, 0.1, 0.2}));
    EXPECT_NEAR(M(0, 0), 26.5 + .026, 1e-13);
    EXPECT_NEAR(M(0, 1), 11.25 + .016, 1e-13);
  }
}

// Paul's Stanford arm as transcribed in mdl_stanford.m. Its centres of mass look ten times too far out: arithmetic, not physics.
TEST(Stanford, GravityAndMass) {
  const double h = kPi / 2;
  Model m = oracle::StandardDh({
      {0, .412, 0, -h, false, Mass(9.29, {0, .0175, -.1105}, .276, .255, .071)},
      {0, .154, 0, h, false, Mass(5.01, {0, -1.054, 0}, .108, .018, .1)},
      {-h, 0, 0, 0, true, Mass(4.25, {0, 0, -6.447}, 2.51, 2.51, .006)},
      {0, 0, 0, -h, false, Mass(1.08, {0, .092, -.054}, .002, .001, .001)},
      {0, 0, 0, h, false, Mass(.63, {0, .566, .003}, .003, .0004, 0)},
      {0, 0, 0, 0, false, Mass(.51, {0, 0, 1.554}, .013, .013, .0003)},
  });
  const double Jm[] = {.953, 2.193, .782, .106, .097, .020};
  for (int i = 0; i < 6; ++i) m.rotors.push_back({"motor", Jm[i], -1, Vector3d::UnitZ(), {{i, 1.0}}});
  Evaluate e(m);
  const double p = kPi / 4;
  const VectorXd q = Vec({p, p, .3, p, -p, p});
  EXPECT_TRUE(Near(e.Gravity(q), Vec({0, 174.685113304, 44.880562377, 4.218333551, 1.141310899, 0}), 1e-11));
  const MatrixXd M = e.Mass(q);
  EXPECT_NEAR(M(0, 0), 88.061903442, 2e-9);
  EXPECT_NEAR(M(1, 1), 166.833926456, 2e-9);
  EXPECT_NEAR(M(2, 2), 7.252, 1e-12);
}

}  // namespace
}  // namespace torqued
