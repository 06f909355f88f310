// Small robots with right values: see tests/golden/robots/README.md.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "server/core/dynamics/jacobian.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

const double kPi = std::acos(-1.0);

LoadedModel Golden(const std::string& file, const LoadOptions& options = {}) {
  return MustLoad("tests/golden/robots/" + file, options);
}

TEST(Urdf, InertialRpy) {
  const LoadedModel robot = Golden("inertial-rpy.urdf");
  Asked ask(robot.model);
  const Eigen::MatrixXd M = ask.MassMatrix({.4, -.7});
  EXPECT_NEAR(M(0, 0), .9, 1e-12);
  EXPECT_NEAR(M(1, 1), .3107804213, 1e-10);
  ExpectNear(ask.Gravity({.4, -.7}), {0, .640040427}, 1e-9);
  ExpectNear(ask.Torque({.4, -.7}, {.3, .5}, {2, 3}), {1.8, 1.572381691}, 1e-9);
  EXPECT_TRUE(HasFinding(robot, finding::kReaderInertialRotation));
}

TEST(Urdf, FixedLinksAfterTheLastJointWeigh) {
  const LoadedModel robot = Golden("trailing-links.urdf");
  Asked ask(robot.model);
  ExpectNear(ask.Gravity({0}), {-16.88301}, 1e-9);
  EXPECT_NEAR(ask.MassMatrix({.6})(0, 0), .92657, 1e-12);
  ExpectNear(ask.Gravity({.6}), {-13.934149440}, 1e-9);
  ExpectNear(ask.Torque({.6}, {1}, {2}), {-12.081009440}, 1e-9);
}

TEST(Urdf, CrookedAxes) {
  const LoadedModel robot = Golden("crooked-axes.urdf");
  Asked ask(robot.model);
  const Values q = {.5, -.4, .9};
  ExpectNear(ask.Gravity(q), {-1.549076043, 2.236603056, -.012741804}, 1e-9);
  ExpectNear(ask.Torque(q, {.7, -1.2, .4}, {1, -1, .5}), {-1.296651833, 2.143638356, -.021899528}, 1e-9);
  const Eigen::Vector3d tcp = ask.Pose("tcp", q).translation();
  ExpectNear({tcp.x(), tcp.y(), tcp.z()}, {.549553103, -.095462316, .160874545}, 1e-9);
  EXPECT_EQ(robot.model.tool_frame, "tcp");
  EXPECT_TRUE(HasFinding(robot, finding::kAxisNotUnit, "joint 'j2'"));
  EXPECT_FALSE(HasFinding(robot, finding::kAxisNotUnit, "joint 'j1'"));
}

TEST(Urdf, MimicTakesADegreeOfFreedomAway) {
  const LoadedModel robot = Golden("mimic-pair.urdf");
  ASSERT_EQ(robot.model.nv, 1);
  Asked ask(robot.model);
  EXPECT_NEAR(ask.MassMatrix({.3})(0, 0), .10859504628657764, 1e-14);
  ExpectNear(ask.Gravity({.3}), {-3.0276563986821854}, 1e-13);
  ExpectNear(ask.Torque({.3}, {.7}, {0}, true, false), {.014095110834963558}, 1e-14);
  ExpectNear(ask.Torque({.3}, {.7}, {1.5}), {-2.8506687184173556}, 1e-13);
  const Eigen::Vector3d tip = ask.Pose("lb", {.3}) * Eigen::Vector3d(.3, 0, 0);
  ExpectNear({tip.x(), tip.y(), tip.z()}, {.676154569, 0, -.058607283}, 1e-9);
  // b = -2 a + 0.1 within +-3: a within -1.45 .. 1.55; speed 3 / 2.
  const Limits& l = robot.model.coordinates[0].limits;
  EXPECT_EQ(l.lower, -1);
  EXPECT_EQ(l.upper, 1);
  EXPECT_EQ(l.velocity, 1.5);
  EXPECT_EQ(l.effort, 30);
  EXPECT_TRUE(robot.capabilities.coupled);
  EXPECT_TRUE(HasFinding(robot, finding::kReaderMimic));
}

TEST(Urdf, MasslessMovingLink) {
  const LoadedModel robot = Golden("massless-tip.urdf");
  Asked ask(robot.model);
  ExpectNear(ask.Torque({.3, .2}, {1, 2}, {1, 1}), {-4.510925479, 0}, 1e-9);
  EXPECT_TRUE(robot.capabilities.dynamics);
  EXPECT_FALSE(robot.capabilities.forward_dynamics);
  EXPECT_EQ(robot.capabilities.massless_joints, std::vector<std::string>{"j2"});
  EXPECT_TRUE(HasFinding(robot, finding::kMasslessMovingLink, "joint 'j2'"));
}

TEST(Urdf, DocumentOrder) {
  const LoadedModel robot = Golden("joint-order.urdf");
  std::vector<std::string> names;
  for (const Coordinate& c : robot.model.coordinates) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"zeta_1", "zeta_2", "alpha_1", "alpha_2"}));
  ExpectNear(Asked(robot.model).Gravity({.1, .2, .3, .4}),
             {-10.581433986, -3.748740383, -39.183330751, -12.004962972}, 1e-9);
  EXPECT_TRUE(HasFinding(robot, finding::kReaderJointOrder));
}

TEST(Urdf, FrictionActs) {
  const LoadedModel robot = Golden("friction.urdf");
  Asked ask(robot.model);
  EXPECT_NEAR(ask.Torque({.3}, {2}, {1})[0], 1.339621291, 1e-9);
  EXPECT_NEAR(ask.Torque({.3}, {2}, {1})[0] + ask.Friction({2})[0], 3.639621291, 1e-9);
  EXPECT_NEAR(ask.Torque({.3}, {-2}, {1})[0] + ask.Friction({-2})[0], -.960378709, 1e-9);
}

const Finding* Find(const std::vector<Finding>& findings, const std::string& code, const std::string& element) {
  for (const Finding& f : findings)
    if (f.code == code && f.element == element) return &f;
  return nullptr;
}

TEST(Audit, ImpossibleInertiasByPolicy) {
  const LoadedModel warned = Golden("nonphysical.urdf");
  const Finding* bad = Find(warned.findings, finding::kNonphysicalInertia, "link 'bad'");
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(bad->severity, Severity::kWarning);
  EXPECT_EQ(bad->line, 4);
  EXPECT_NE(bad->message.find("2.318757e-04"), std::string::npos) << bad->message;
  EXPECT_NE(bad->message.find("1.474973e-04"), std::string::npos) << bad->message;
  EXPECT_NE(bad->message.find("7.862699e-05"), std::string::npos) << bad->message;
  EXPECT_NE(bad->value.find("slack -5.751397e-06"), std::string::npos) << bad->value;
  const Finding* neg = Find(warned.findings, finding::kNonphysicalInertia, "link 'neg'");
  ASSERT_NE(neg, nullptr);
  EXPECT_NE(neg->message.find("-1.000000e-03, 4.000000e-03, 5.000000e-03"), std::string::npos) << neg->message;
  EXPECT_EQ(Find(warned.findings, finding::kNonphysicalInertia, "link 'ok'"), nullptr);

  LoadOptions strict;
  strict.policy = Policy::kStrict;
  const absl::StatusOr<LoadedModel> refused = LoadModelFile("tests/golden/robots/nonphysical.urdf", strict);
  ASSERT_FALSE(refused.ok());
  const std::string why(refused.status().message().data(), refused.status().message().size());
  EXPECT_NE(why.find("link 'bad'"), std::string::npos) << why;
  EXPECT_NE(why.find("link 'neg'"), std::string::npos) << why;
  EXPECT_EQ(why.find("link 'ok'"), std::string::npos) << why;

  LoadOptions repair;
  repair.policy = Policy::kRepair;
  const LoadedModel repaired = Golden("nonphysical.urdf", repair);
  const auto moments = [](const LoadedModel& m, const char* link) {
    const Eigen::Matrix3d I = m.model.links[m.model.FindLink(link)].inertia->inertia_about_com;
    const Eigen::Vector3d e = I.selfadjointView<Eigen::Lower>().eigenvalues();
    return e;
  };
  const Eigen::Vector3d e = moments(repaired, "bad"), n = moments(repaired, "neg");
  EXPECT_GE(e[0] + e[1] - e[2], -1e-15);
  EXPECT_LT((e - moments(warned, "bad")).norm(), 5.8e-6);
  // Second moments of (-1, 4, 5)e-3 are (5, 0, -1)e-3; without the negative one the moments are (0, 5, 5)e-3.
  EXPECT_LT((n - Eigen::Vector3d(0, .005, .005)).norm(), 1e-15) << n;
  EXPECT_NE(Find(repaired.findings, finding::kNonphysicalInertia, "link 'bad'")->message.find("replaced"),
            std::string::npos);
}

TEST(Yaml, ModifiedDhRrp) {
  const LoadedModel robot = Golden("mdh-rrp.yaml");
  Asked ask(robot.model);
  const Values q = {.3, -.8, .25};
  const Eigen::Isometry3d X = ask.Pose("link3", q);
  Eigen::Matrix<double, 3, 4> T;
  T << .4979673916, -.5313848334, -.6853164493, .0425463946, .5616636388, .7997454791, -.2119932202, .0654987222,
      .6607287141, -.2793516198, .6967067093, .6176478955;
  EXPECT_LT((X.matrix().topRows<3>() - T).cwiseAbs().maxCoeff(), 1e-10) << X.matrix();
  Eigen::Matrix3d M;
  M << .1432957956212244, -.045749119694909045, .07781384253804895, -.045749119694909045, .3259167047102169,
      -.30213336464078394, .07781384253804896, -.302133364640784, 1.5;
  EXPECT_LT((ask.MassMatrix(q) - M).cwiseAbs().maxCoeff(), 1e-14);
  ExpectNear(ask.Gravity(q), {0, -.08922725676881993, 10.25203922804354}, 1e-13);
  ExpectNear(ask.Torque(q, {.7, -.5, .2}, {1, 2, -.6}), {.019194279706266693, .5829273890225033, 8.673607720230013},
             1e-13);
}

TEST(Yaml, PlanarTip) {
  const LoadedModel robot = Golden("planar-2r.yaml");
  const Eigen::Vector3d p = Asked(robot.model).Pose("link2", {kPi / 6, kPi / 3}).translation();
  ExpectNear({p.x(), p.y(), p.z()}, {.8660254037844386, 1.2, 0}, 1e-15);
}

TEST(Yaml, MotorsOnLinks) {
  const LoadedModel robot = Golden("siciliano-two-link.yaml");
  Asked ask(robot.model);
  for (const double q2 : {0.0, kPi / 2, kPi / 3, -1.1}) {
    const Eigen::MatrixXd B = ask.MassMatrix({.4, q2});
    const double c2 = std::cos(q2);
    EXPECT_NEAR(B(0, 0), 200.01 + 50 * c2, 1e-11) << q2;
    EXPECT_NEAR(B(0, 1), 23.5 + 25 * c2, 1e-12) << q2;
    EXPECT_NEAR(B(1, 1), 122.5, 1e-12) << q2;
  }
  const Values q = {kPi / 6, kPi / 3}, v = {1, 5}, a = {2, 5};
  ExpectNear(ask.Gravity(q), {679.656737, 0}, 6e-7);
  ExpectNear(ask.Torque(q, v, a), {551.904509, 706.150635}, 6e-7);
  ExpectNear(ask.Friction(v), {100, 500}, 1e-12);
}

TEST(Yaml, PointMasses) {
  const LoadedModel robot = Golden("corke-twolink.yaml");
  Asked ask(robot.model);
  ExpectNear(ask.Gravity({0, 0}), {2 * 9.81, .5 * 9.81}, 1e-12);
  ExpectNear(ask.Gravity({0, kPi / 2}), {1.5 * 9.81, 0}, 1e-12);
  ExpectNear(ask.Gravity({kPi / 2, 0}), {0, 0}, 1e-12);
  ExpectNear(ask.Torque({1, 2}, {3, 4}, {5, 6}), {-9.420487994, .945558134}, 1e-9);
}

TEST(Yaml, Planar2) {
  const LoadedModel robot = Golden("featherstone-planar2.yaml");
  Asked ask(robot.model);
  const Eigen::MatrixXd M = ask.MassMatrix({.1, kPi / 2});
  ExpectNear({M(0, 0), M(0, 1), M(1, 1)}, {1.6666666666666667, .3333333333333333, .3333333333333333}, 1e-14);
  ExpectNear(ask.Torque({.3, .7}, {.5, -.4}, {1, 2}), {20.648283078, 4.113131115}, 1e-9);
}

}  // namespace
}  // namespace torqued::test
