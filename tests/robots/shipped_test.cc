// The shipped robots give the published values. Numbers: see each test; recomputed independently of any recursion.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "server/robots/export.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

const double kPi = std::acos(-1.0);

LoadedModel Shipped(const std::string& id) { return MustLoad("deploy/robots/" + id + ".yaml"); }

std::vector<std::string> ShippedFiles() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("deploy/robots"))
    if (entry.path().extension() == ".yaml" || entry.path().extension() == ".urdf") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Every file loads under its own name, and what is exported loads again.
TEST(Shipped, AllLoad) {
  for (const std::string& path : ShippedFiles()) {
    SCOPED_TRACE(path);
    const LoadedModel robot = MustLoad(path);
    EXPECT_EQ(robot.model.name, std::filesystem::path(path).stem().string());
    EXPECT_FALSE(robot.description.empty());
    const std::string text = ToYaml(robot.model, robot.description, robot.labels);
    const absl::StatusOr<LoadedModel> again = LoadModel(text);
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(ToYaml(again->model, again->description, again->labels), text);
  }
}

// Gravity torque from the vendor's masses and centres of mass.
TEST(Ur5e, GravityTorque) {
  const LoadedModel robot = Shipped("ur5e");
  ASSERT_EQ(robot.model.nv, 6);
  Asked ask(robot.model);
  ExpectNear(ask.Gravity({0, 0, 0, 0, 0, 0}), {0, -59.756420142, -18.439152642, 0, 0, 0}, 1e-9);
  ExpectNear(ask.Gravity({.3, -1.2, 1.4, -.7, .9, .5}),
             {0, -34.303794779, -19.332162507, -1.260565279, .167147105, 0}, 1e-9);
  const Eigen::Vector3d tip = ask.Pose("tool0", {.3, -1.2, 1.4, -.7, .9, .5}).translation();
  ExpectNear({tip.x(), tip.y(), tip.z()}, {-.567723093, -.379956175, .430607992}, 1e-9);
  EXPECT_TRUE(HasFinding(robot, finding::kEstimatedValues));
  EXPECT_TRUE(robot.capabilities.dynamics);
  EXPECT_EQ(robot.model.coordinates[2].name, "elbow_joint");
  EXPECT_EQ(robot.model.coordinates[2].limits.effort, 150);
  EXPECT_NEAR(*robot.model.coordinates[0].limits.velocity, kPi, 1e-15);
}

// Corke, Robotics Toolbox: rne, gravload, inertia, itorque, friction of mdl_puma560.
TEST(Puma560, StandardDh) {
  const LoadedModel robot = Shipped("puma560");
  ASSERT_EQ(robot.model.nv, 6);
  Asked ask(robot.model);
  const Values qn = {0, kPi / 4, kPi, 0, kPi / 4, 0}, qm = {0, kPi / 4, -kPi, 1, kPi / 4, 0};
  const Values one(6, 1.0), zero(6, 0.0);
  ExpectNear(ask.Gravity(qn), {0, 31.63988, 6.035138, 0, 0.028253, 0}, 6e-7);
  ExpectNear(ask.Gravity(qm), {0, 31.633387, 6.028644, -0.011887, 0.021759, 0}, 6e-7);
  ExpectNear(ask.Torque(qn, zero, one), {3.353111, 36.002511, 7.425964, 0.190043, 0.203441, 0.194133}, 6e-7);
  ExpectNear(ask.Torque(qn, one, one), {1.962036, 37.785430, 6.673937, 0.191266, 0.205820, 0.194281}, 6e-7);
  ExpectNear(ask.Friction(one), {30.533206, 23.081559, 11.069658, 1.263253, 1.093290, 0.519500}, 6e-7);
  ExpectNear(ask.Torque(qn, zero, {1, 2, 3, 1, 2, 3}, true, false),
             {3.149977, 9.480514, 3.618880, 0.190100, 0.351856, 0.582342}, 6e-7);
  const Eigen::MatrixXd M = ask.MassMatrix(qn);
  const Values diagonal = {3.659375, 4.413742, 0.937842, 0.192532, 0.171348, 0.194105};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(M(i, i), diagonal[i], 6e-7) << i;
  EXPECT_NEAR(M(0, 1), -0.404361, 6e-7);
  EXPECT_NEAR(M(1, 2), 0.350891, 6e-7);
  EXPECT_NEAR(M(3, 5), 0.000028, 6e-7);
}

// The same arm in Craig's convention: other link frames, other rotors; gravity is the same physics in other numbers.
TEST(Puma560, ModifiedDhTakesTheSameShape) {
  const LoadedModel robot = Shipped("puma560-mdh");
  Asked ask(robot.model);
  // T_0_1 ... T_0_6 multiplied by hand at zero: p = (a2 + a3, d2 + d3, d4), a3 = -0.0203.
  const Eigen::Vector3d p = ask.Pose("tool0", Values(6, 0.0)).translation();
  ExpectNear({p.x(), p.y(), p.z()}, {0.4318 - 0.0203, 0.2435 - 0.0934, 0.4331}, 1e-15);
  // Zero pose: upper arm along x, forearm up; axes 2 and 3 along +y. Moments about axis 2 by hand:
  // m2 at x = .068; m3 at x = .4318; m4, m5, m6 at x = .4115; axis 2 turns +x towards -z, so weight pulls forward.
  const double g2 = -9.81 * (17.4 * .068 + 4.8 * .4318 + (.82 + .34 + .09) * .4115);
  EXPECT_NEAR(ask.Gravity(Values(6, 0.0))[1], g2, 1e-9);
}

// mdl_stanford.m: arithmetic on the numbers as printed.
TEST(Stanford, GravityAndMassMatrix) {
  const LoadedModel robot = Shipped("stanford");
  Asked ask(robot.model);
  const Values q = {kPi / 4, kPi / 4, .3, kPi / 4, -kPi / 4, kPi / 4};
  ExpectNear(ask.Gravity(q), {0, 174.685113304, 44.880562377, 4.218333551, 1.141310899, 0}, 1e-9);
  const Eigen::MatrixXd M = ask.MassMatrix(q);
  EXPECT_NEAR(M(0, 0), 88.061903442, 1e-9);
  EXPECT_NEAR(M(1, 1), 166.833926456, 1e-9);
  EXPECT_NEAR(M(2, 2), 7.252, 1e-12);
  EXPECT_TRUE(HasFinding(robot, finding::kUnitsSuspect, "link 'link3'"));
}

TEST(Irb2400, ForwardKinematics) {
  const LoadedModel robot = Shipped("irb2400");
  Asked ask(robot.model);
  const auto tip = [&](const Values& q) -> Values {
    const Eigen::Vector3d p = ask.Pose("tool0", q).translation();
    return {p.x(), p.y(), p.z()};
  };
  ExpectNear(tip(Values(6, 0.0)), {.94, 0, 1.455}, 1e-12);
  ExpectNear(tip({.1, .2, -.3, .4, .5, .6}), {1.048922755, .121192252, 1.485746956}, 1e-9);
  EXPECT_FALSE(robot.capabilities.dynamics);
  EXPECT_EQ(robot.capabilities.unknown_inertias.size(), 6u);
}

// The parallelogram's coordinates on the serial chain: theta3 = q3 - q2, theta4 .. theta6 about the same axes.
TEST(Irb2400, LinkageIsTheSerialChainInOtherCoordinates) {
  const LoadedModel serial = Shipped("irb2400"), linkage = Shipped("irb2400-linkage");
  EXPECT_TRUE(linkage.capabilities.coupled);
  Asked a(serial.model), b(linkage.model);
  for (const Values& q : {Values{0, 0, 0, 0, 0, 0}, Values{.1, .2, -.3, .4, .5, .6}, Values{-1, .5, .7, -2, 1, 3}}) {
    Values serial_q = q;
    serial_q[2] = q[2] - q[1];
    const Eigen::Isometry3d X = a.Pose("tool0", serial_q), Y = b.Pose("tool0", q);
    EXPECT_LT((X.translation() - Y.translation()).norm(), 1e-14);
  }
}

TEST(M6ib, ForwardKinematics) {
  const LoadedModel robot = Shipped("m6ib");
  Asked ask(robot.model);
  const auto tip = [&](const Values& q) -> Values {
    const Eigen::Vector3d p = ask.Pose("tool0", q).translation();
    return {p.x(), p.y(), p.z()};
  };
  ExpectNear(tip(Values(6, 0.0)), {.865, 0, 1.15}, 1e-12);
  ExpectNear(tip({.1, .2, -.3, .4, .5, .6}), {.948407926, .113921647, .827630252}, 1e-9);
}

// B = B_l + B_m of the course's two repositories.
TEST(ScaraCourse, InertiaMatrices) {
  const LoadedModel robot = Shipped("scara-course");
  Asked ask(robot.model);
  Eigen::Matrix4d link, motor;
  link << 31.5, 13.75, 0, -1, 13.75, 8.75, 0, -1, 0, 0, 10, 0, -1, -1, 0, 1;
  motor << .026, .016, .25, .02, .016, .016, .25, .02, .25, .25, 12.5, 0, .02, .02, 0, .4;
  const Eigen::MatrixXd B = ask.MassMatrix({0, 0, 0, 0});
  EXPECT_LT((B - (link + motor)).cwiseAbs().maxCoeff(), 1e-12) << B;
  const Eigen::MatrixXd C = ask.MassMatrix({0, kPi / 3, 0, 0});
  EXPECT_NEAR(C(0, 0), 26.5 + .026, 1e-12);
  EXPECT_NEAR(C(0, 1), 11.25 + .016, 1e-12);
  ExpectNear(ask.Gravity({.3, .4, .1, .2}), {0, 0, -98.1, 0}, 1e-12);
}

TEST(Scara, GeometryAndDrives) {
  const LoadedModel robot = Shipped("scara");
  Asked ask(robot.model);
  const Values q = {.3, .8, .15, .5};
  const Eigen::Isometry3d X = ask.Pose("tool0", q);
  ExpectNear({X.translation().x(), X.translation().y(), X.translation().z()},
             {.4 * std::cos(.3) + .25 * std::cos(1.1), .4 * std::sin(.3) + .25 * std::sin(1.1), .4 - .15}, 1e-15);
  EXPECT_NEAR(std::atan2(X.linear()(1, 0), X.linear()(0, 0)), .3 + .8 - .5, 1e-15);
  EXPECT_NEAR(X.linear()(2, 2), -1, 1e-15);
  for (const Coordinate& c : robot.model.coordinates)
    EXPECT_TRUE(c.limits.lower && c.limits.upper && c.limits.velocity && c.limits.acceleration && c.limits.jerk &&
                c.limits.effort)
        << c.name;
  // The nut's motor turns with both coordinates of the shaft.
  ASSERT_EQ(robot.model.rotors.size(), 4u);
  ASSERT_EQ(robot.model.rotors[2].ratio.size(), 2u);
  EXPECT_NEAR(robot.model.rotors[2].ratio[0].second, 2 * kPi / .02, 1e-12);
  EXPECT_NEAR(robot.model.rotors[2].ratio[1].second, 1, 1e-15);
  EXPECT_TRUE(robot.capabilities.forward_dynamics);
}

TEST(Cartesian, ClosedForm) {
  const LoadedModel robot = Shipped("cartesian");
  Asked ask(robot.model);
  const double k = 2 * kPi / .02;
  const Eigen::MatrixXd M = ask.MassMatrix({.1, .2});
  EXPECT_NEAR(M(0, 0), 10 + 5 + 2 + 1e-4 * k * k, 1e-12);
  EXPECT_NEAR(M(1, 1), 5 + .5e-4 * k * k, 1e-12);
  EXPECT_NEAR(M(0, 1), 0, 1e-15);
  ExpectNear(ask.Gravity({.1, .2}), {17 * 9.81, 0}, 1e-12);
}

// Absolute angles: D12 = m2 l1 lc2 cos(p2 - p1), Coriolis -m2 l1 lc2 sin(p2 - p1) p2d^2 and its mirror.
TEST(RemoteTwoLink, ClosedForm) {
  const LoadedModel robot = Shipped("remote-two-link");
  Asked ask(robot.model);
  const Values p = {.4, 1.3}, v = {.7, -1.1}, a = {.5, .2};
  const double d = p[1] - p[0], m = 50, I = 10, lc = .5, h = m * lc * std::sin(d);
  const Eigen::MatrixXd M = ask.MassMatrix(p);
  EXPECT_NEAR(M(0, 0), m * lc * lc + m + I, 1e-12);
  EXPECT_NEAR(M(1, 1), m * lc * lc + I, 1e-12);
  EXPECT_NEAR(M(0, 1), m * lc * std::cos(d), 1e-12);
  const Values g = {(m * lc + m) * 9.81 * std::cos(p[0]), m * lc * 9.81 * std::cos(p[1])};
  ExpectNear(ask.Gravity(p), g, 1e-12);
  ExpectNear(ask.Torque(p, v, a),
             {M(0, 0) * a[0] + M(0, 1) * a[1] - h * v[1] * v[1] + g[0],
              M(1, 0) * a[0] + M(1, 1) * a[1] + h * v[0] * v[0] + g[1]},
             1e-11);
}

TEST(TextbookArms, LieInTheVerticalPlane) {
  const LoadedModel two = Shipped("two-link"), rp = Shipped("rp-arm"), three = Shipped("three-link");
  ExpectNear(Asked(two.model).Gravity({0, 0}), {9.81 * (4 * .25 + 3 * .75), 9.81 * 3 * .25}, 1e-12);
  ExpectNear(Asked(rp.model).Gravity({kPi / 6, .8}),
             {9.81 * std::cos(kPi / 6) * (3 * .15 + 1.5 * (.8 - .3)), 9.81 * std::sin(kPi / 6) * 1.5}, 1e-12);
  ExpectNear(Asked(three.model).Gravity({1, -1, -1.5}), {0, 0, 0}, 0);
  EXPECT_TRUE(three.capabilities.dynamics);
  EXPECT_FALSE(three.capabilities.forward_dynamics);
  EXPECT_EQ(three.capabilities.massless_joints.size(), 3u);
  const Eigen::Vector3d hand = Asked(three.model).Pose("hand", {kPi / 3, -kPi / 3, -kPi / 2}).translation();
  ExpectNear({hand.x(), hand.y()}, {.4 + .8, .8 * std::sin(kPi / 3) - .4}, 1e-15);
}

// Standing still in the air, the trunk's six forces carry the whole weight.
TEST(Quadruped, FloatsAndWeighs) {
  const LoadedModel robot = Shipped("quadruped");
  ASSERT_EQ(robot.model.nv, 18);
  ASSERT_EQ(robot.model.nq, 19);
  EXPECT_TRUE(robot.capabilities.floating_base);
  Values q(19, 0.0);
  q[6] = 1;
  const Values tau = Asked(robot.model).Gravity(q);
  EXPECT_NEAR(tau[2], 9.81 * (6 + 4 * 1.5), 1e-12);
  EXPECT_NEAR(tau[0], 0, 1e-12);
  EXPECT_EQ(robot.model.frames.size(), 4u);
  const Eigen::Vector3d foot = Asked(robot.model).Pose("hr_foot", q).translation();
  ExpectNear({foot.x(), foot.y(), foot.z()}, {-.19, -.11, -.4}, 1e-15);
  EXPECT_EQ(robot.model.coordinates[1].name, "fl_abduction");
}

TEST(Puma560, ImpossibleTensorsAreFound) {
  const LoadedModel robot = Shipped("puma560");
  EXPECT_TRUE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link1'"));
  EXPECT_TRUE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link3'"));
  EXPECT_FALSE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link2'"));
}

}  // namespace
}  // namespace torqued::test
