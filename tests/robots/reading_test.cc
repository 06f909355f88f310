// What URDF and YAML mean: the decisions of urdf.h and README.md, one test each.
#include <gtest/gtest.h>

#include <cmath>

#include "server/robots/export.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

LoadedModel Load(const std::string& text, const LoadOptions& options = {}) {
  absl::StatusOr<LoadedModel> loaded = LoadModel(text, options);
  if (!loaded.ok()) {
    ADD_FAILURE() << loaded.status();
    return {};
  }
  return *std::move(loaded);
}

const char kMass[] = R"(<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

std::string Chain(const std::string& joint1, const std::string& joint2, const std::string& rest = "",
                  const std::string& inertial = kMass) {
  return "<robot name='r'><link name='a'/><link name='b'>" + inertial + "</link><link name='c'>" + inertial +
         "</link><joint name='j1' type='revolute'><parent link='a'/><child link='b'/>" + joint1 +
         "</joint><joint name='j2' type='revolute'><parent link='b'/><child link='c'/>" + joint2 + "</joint>" + rest +
         "</robot>";
}

TEST(UrdfMeaning, DefaultsAndAbsence) {
  const LoadedModel robot = Load(Chain("", "<limit effort='0' velocity='0'/>"));
  EXPECT_EQ(robot.model.joints[0].axis, Eigen::Vector3d::UnitX());
  EXPECT_FALSE(robot.model.coordinates[0].limits.lower || robot.model.coordinates[0].limits.effort);
  EXPECT_FALSE(robot.model.coordinates[1].limits.effort || robot.model.coordinates[1].limits.velocity);
  EXPECT_TRUE(HasFinding(robot, finding::kEffortZero, "joint 'j2'"));
  EXPECT_TRUE(HasFinding(robot, finding::kVelocityZero, "joint 'j2'"));
  EXPECT_TRUE(HasFinding(robot, finding::kLimitMissing, "joint 'j1'"));
  EXPECT_EQ(robot.model.tool_frame, "c");
}

TEST(UrdfMeaning, ReversedLimits) {
  const std::string text = Chain("<limit lower='2' upper='-1' effort='-3' velocity='1'/>", "");
  const LoadedModel warned = Load(text);
  EXPECT_FALSE(warned.model.coordinates[0].limits.lower || warned.model.coordinates[0].limits.upper);
  EXPECT_TRUE(HasFinding(warned, finding::kLimitReversed, "joint 'j1'"));
  EXPECT_TRUE(HasFinding(warned, finding::kLimitNegative, "joint 'j1'"));
  LoadOptions repair, strict;
  repair.policy = Policy::kRepair;
  strict.policy = Policy::kStrict;
  EXPECT_EQ(Load(text, repair).model.coordinates[0].limits.lower, -1);
  EXPECT_FALSE(LoadModel(text, strict).ok());
}

TEST(UrdfMeaning, EmptyRange) {
  const LoadedModel robot = Load(Chain("<limit lower='0' upper='0'/>", "<limit lower='1' upper='1'/>"));
  EXPECT_FALSE(robot.model.coordinates[0].limits.lower || robot.model.coordinates[0].limits.upper);
  EXPECT_EQ(robot.model.coordinates[1].limits.lower, 1);
  EXPECT_TRUE(HasFinding(robot, finding::kLimitEmptyRange, "joint 'j1'"));
  EXPECT_TRUE(HasFinding(robot, finding::kLimitEmptyRange, "joint 'j2'"));
}

TEST(UrdfMeaning, NoMassAnywhereIsUnknown) {
  const LoadedModel robot = Load(Chain("", "", "", ""));
  EXPECT_FALSE(robot.capabilities.dynamics);
  EXPECT_FALSE(robot.capabilities.forward_dynamics);
  EXPECT_EQ(robot.capabilities.unknown_inertias, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(HasFinding(robot, finding::kInertiaUnknown));
}

TEST(UrdfMeaning, WorldMassIsUnused) {
  const std::string text = "<robot name='r'><link name='a'>" + std::string(kMass) + "</link><link name='b'>" + kMass +
                           "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
  EXPECT_TRUE(HasFinding(Load(text), finding::kUnusedWorldMass, "link 'a'"));
  LoadOptions floating;
  floating.base = BaseOption::kFloating;
  const LoadedModel robot = Load(text, floating);
  EXPECT_FALSE(HasFinding(robot, finding::kUnusedWorldMass));
  EXPECT_TRUE(robot.capabilities.floating_base);
  EXPECT_EQ(robot.model.links[0].name, "world");
  EXPECT_EQ(robot.model.nv, 7);
  EXPECT_EQ(robot.model.coordinates[0].name, "floating_base");
  const Values tau = Asked(robot.model).Gravity({0, 0, 0, 0, 0, 0, 1, .3});
  EXPECT_NEAR(tau[2], 2 * 9.81, 1e-12);
}

TEST(UrdfMeaning, WorldLinkIsSetFree) {
  const std::string text = "<robot name='r'><link name='world'/><link name='base'>" + std::string(kMass) +
                           "</link><joint name='fix' type='fixed'><parent link='world'/><child link='base'/>"
                           "<origin xyz='1 2 3'/></joint></robot>";
  LoadOptions floating;
  floating.base = BaseOption::kFloating;
  const LoadedModel robot = Load(text, floating);
  EXPECT_EQ(robot.model.links.size(), 2u);
  EXPECT_EQ(robot.model.nv, 6);
  EXPECT_EQ(robot.model.coordinates[0].name, "fix");
  // And a floating joint is held by the other option.
  LoadOptions fixed;
  fixed.base = BaseOption::kFixed;
  EXPECT_EQ(Load(ToYaml(robot.model), fixed).model.nv, 0);
}

TEST(UrdfMeaning, RootComesFirstJointsInDocumentOrder) {
  const LoadedModel robot = Load(R"(<robot name="r"><link name="tip"/><link name="mid"/><link name="root"/>
    <joint name="second" type="fixed"><parent link="mid"/><child link="tip"/></joint>
    <joint name="first" type="revolute"><parent link="root"/><child link="mid"/></joint></robot>)");
  EXPECT_EQ(robot.model.links[0].name, "root");
  EXPECT_EQ(robot.model.links[1].name, "tip");
  EXPECT_EQ(robot.model.joints[0].name, "second");
}

// c mimics b mimics a: q_c = 3 (-2 q_a + 0.1) + 0.5; friction and limits of both act on a.
TEST(UrdfMeaning, MimicChain) {
  const LoadedModel robot = Load(
      "<robot name='r'><link name='0'/><link name='1'>" + std::string(kMass) + "</link><link name='2'>" + kMass +
      "</link><link name='3'>" + kMass +
      "</link><joint name='c' type='revolute'><parent link='2'/><child link='3'/><mimic joint='b' multiplier='3' offset='0.5'/>"
      "<limit lower='-6' upper='6' velocity='12' effort='1'/></joint>"
      "<joint name='b' type='revolute'><parent link='1'/><child link='2'/><mimic joint='a' multiplier='-2' offset='0.1'/>"
      "<dynamics damping='0.5' friction='0.25'/></joint>"
      "<joint name='a' type='revolute'><parent link='0'/><child link='1'/><dynamics damping='1' friction='1'/></joint></robot>");
  ASSERT_EQ(robot.model.nv, 1);
  EXPECT_EQ(robot.model.coordinates[0].name, "a");
  EXPECT_EQ(robot.model.joints[0].coupling[0].factor, -6);
  EXPECT_DOUBLE_EQ(robot.model.joints[0].offset, .8);
  EXPECT_DOUBLE_EQ(robot.model.coordinates[0].friction.viscous, 1 + 4 * .5);
  EXPECT_DOUBLE_EQ(robot.model.coordinates[0].friction.coulomb_positive, 1 + 2 * .25);
  EXPECT_DOUBLE_EQ(*robot.model.coordinates[0].limits.lower, (6 - .8) / -6);
  EXPECT_DOUBLE_EQ(*robot.model.coordinates[0].limits.upper, (-6 - .8) / -6);
  EXPECT_DOUBLE_EQ(*robot.model.coordinates[0].limits.velocity, 2);
  EXPECT_TRUE(HasFinding(robot, finding::kLimitFolded, "joint 'c'"));
  EXPECT_TRUE(HasFinding(robot, finding::kFrictionFolded, "joint 'b'"));
}

TEST(UrdfMeaning, TransmissionGivesRotorAndReduction) {
  const LoadedModel robot = Load(Chain("", "", R"(
    <transmission name="t1"><type>transmission_interface/SimpleTransmission</type><joint name="j1"/>
      <actuator name="m1"><mechanicalReduction>-50</mechanicalReduction><rotorInertia>2e-4</rotorInertia></actuator></transmission>
    <transmission name="t2"><joint name="j2"/>
      <actuator name="m2"><drake:gear_ratio value="100"/><drake:rotor_inertia value="1e-4"/></actuator></transmission>)"));
  ASSERT_EQ(robot.model.rotors.size(), 2u);
  EXPECT_EQ(robot.model.drives[0].gear_ratio, -50);
  EXPECT_EQ(robot.model.drives[1].name, "m2");
  EXPECT_EQ(robot.model.rotors[0].carrier_link, -1);
  Asked ask(robot.model);
  const Eigen::MatrixXd with = ask.MassMatrix({.1, .2}), without = ask.MassMatrix({.1, .2}, false);
  EXPECT_NEAR(with(0, 0) - without(0, 0), 2500 * 2e-4, 1e-14);
  EXPECT_NEAR(with(1, 1) - without(1, 1), 1, 1e-14);
  EXPECT_NEAR(with(0, 1) - without(0, 1), 0, 1e-15);
  EXPECT_TRUE(HasFinding(robot, finding::kRotorReflectedOnly, "transmission 't1'"));
  const absl::StatusOr<LoadedModel> bad =
      LoadModel(Chain("", "", "<transmission name='t'><joint name='j9'/><actuator name='m'/></transmission>"));
  EXPECT_FALSE(bad.ok());
}

TEST(UrdfMeaning, EveryJointType) {
  const char* types[] = {"floating", "spherical", "planar", "prismatic", "continuous", "fixed"};
  std::string text = "<robot name='r'><link name='0'/>";
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i + 1);
    text += "<link name='" + n + "'>" + kMass + "</link><joint name='j" + n + "' type='" + types[i] + "'><parent link='" +
            std::to_string(i) + "'/><child link='" + n + "'/><origin xyz='0.1 0 0'/></joint>";
  }
  const LoadedModel robot = Load(text + "</robot>");
  EXPECT_EQ(robot.model.nq, 7 + 4 + 3 + 1 + 1);
  EXPECT_EQ(robot.model.nv, 6 + 3 + 3 + 1 + 1);
}

TEST(UrdfMeaning, OtherReadersAreNamed) {
  const LoadedModel robot = Load(Chain("", "<dynamics damping='1'/>"));
  EXPECT_TRUE(HasFinding(robot, finding::kReaderFriction));
  EXPECT_FALSE(HasFinding(robot, finding::kReaderJointOrder));
  EXPECT_TRUE(HasFinding(Load(Chain("", "", "<lnk/>")), finding::kUnknownElement));
}

TEST(AuditUnits, MillimetresAndTensorsOfAnotherUnit) {
  EXPECT_TRUE(HasFinding(Load(Chain("<origin xyz='0 0 300'/>", "")), finding::kUnitsSuspect, "joint 'j1'"));
  const std::string kg_mm2 =
      R"(<inertial><mass value="2"/><inertia ixx="9000" ixy="0" ixz="0" iyy="9000" iyz="0" izz="9000"/></inertial>)";
  EXPECT_TRUE(HasFinding(Load(Chain("<origin xyz='0 0 0.3'/>", "", "", kg_mm2)), finding::kUnitsSuspect, "link 'b'"));
  EXPECT_FALSE(HasFinding(Load(Chain("<origin xyz='0 0 0.3'/>", "")), finding::kUnitsSuspect));
}

TEST(AuditMass, NegativeMass) {
  const std::string negative =
      R"(<inertial><mass value="-2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";
  const std::string text = Chain("", "", "", negative);
  EXPECT_TRUE(HasFinding(Load(text), finding::kNegativeMass, "link 'b'"));
  EXPECT_EQ(Load(text).model.links[1].inertia->mass, -2);
  LoadOptions repair;
  repair.policy = Policy::kRepair;
  EXPECT_EQ(Load(text, repair).model.links[1].inertia->mass, 0);
}

const char kHead[] = "name: r\nlinks:\n  - {name: a}\n  - {name: b, mass_kg: 2, com_m: [0.1, 0, 0], inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}\n"
                     "joints:\n  - {name: j, type: revolute, parent: a, child: b";

TEST(YamlMeaning, InertiaAboutTheOriginAndTurnedAxes) {
  const LoadedModel robot = Load(
      "name: r\nlinks:\n  - {name: a}\n  - {name: b, mass_kg: 2, com_m: [0.5, 0, 0], inertia_about: origin, "
      "inertia_kg_m2: {xx: 0.1, yy: 0.7, zz: 0.8}}\n  - {name: c, mass_kg: 2, com_m: [0, 0, 0], inertia_rpy_deg: [0, 0, 90], "
      "inertia_kg_m2: {xx: 0.1, yy: 0.7, zz: 0.8}}\njoints:\n  - {name: j, type: revolute, parent: a, child: b}\n"
      "  - {name: k, type: fixed, parent: b, child: c}\n");
  const Eigen::Matrix3d I = robot.model.links[1].inertia->inertia_about_com;
  EXPECT_TRUE(I.isApprox(Eigen::Vector3d(.1, .2, .3).asDiagonal().toDenseMatrix(), 1e-15)) << I;
  const Eigen::Matrix3d K = robot.model.links[2].inertia->inertia_about_com;
  EXPECT_EQ(K, Eigen::Vector3d(.7, .1, .8).asDiagonal().toDenseMatrix());
}

TEST(YamlMeaning, UnknownAndZeroInertia) {
  const LoadedModel unknown = Load("name: r\nlinks: [{name: a}, {name: b}]\njoints: [{name: j, type: revolute, parent: a, child: b}]\n");
  EXPECT_FALSE(unknown.capabilities.dynamics);
  EXPECT_EQ(unknown.capabilities.unknown_inertias, std::vector<std::string>{"b"});
  const LoadedModel zero = Load("name: r\nlinks: [{name: a}, {name: b, mass_kg: 0}]\njoints: [{name: j, type: revolute, parent: a, child: b}]\n");
  EXPECT_TRUE(zero.capabilities.dynamics);
  EXPECT_FALSE(zero.capabilities.forward_dynamics);
}

TEST(YamlMeaning, MotorFrictionIsReflected) {
  const LoadedModel robot = Load(std::string(kHead) + ", friction: {viscous_Nm_s_rad: 1}}\ndrives:\n  - {coordinate: j, gear_ratio: -10, "
      "motor_friction: {viscous_Nm_s_rad: 0.01, coulomb_positive_Nm: 0.2, coulomb_negative_Nm: 0.3}}\n");
  const Friction& f = robot.model.coordinates[0].friction;
  EXPECT_DOUBLE_EQ(f.viscous, 1 + 100 * .01);
  EXPECT_DOUBLE_EQ(f.coulomb_positive, 2);
  EXPECT_DOUBLE_EQ(f.coulomb_negative, 3);
}

TEST(YamlMeaning, MotorFrictionKeepsItsPlace) {
  const std::string drive = ", friction: {viscous_Nm_s_rad: 1}}\ndrives:\n  - {coordinate: j, gear_ratio: -10, motor_friction: {viscous_Nm_s_rad: 0.01}";
  const LoadedModel added = Load(std::string(kHead) + drive + "}\n");
  EXPECT_EQ(added.model.drives[0].motor_friction.viscous, .01);
  EXPECT_DOUBLE_EQ(added.model.coordinates[0].friction.viscous, 2);
  const LoadedModel held = Load(std::string(kHead) + drive + ", motor_friction_contained: true}\n");
  EXPECT_EQ(held.model.drives[0].motor_friction.viscous, .01);
  EXPECT_DOUBLE_EQ(held.model.coordinates[0].friction.viscous, 1);
}

// Two loads on the link: masses add, moments about the link's origin add.
TEST(YamlMeaning, PayloadsJoinTheirLink) {
  const std::string robot = "name: r\nlinks: [{name: a}, {name: b, mass_kg: 2, com_m: [0.5, 0, 0], inertia_kg_m2: {xx: 0, yy: 0.1, zz: 0.1}}]\n"
      "joints: [{name: j, type: revolute, parent: a, child: b}]\nframes: [{name: hand, link: b, xyz_m: [1, 0, 0], rpy_deg: [0, 0, 90]}]\n";
  const LoadedModel loaded = Load(robot + "payloads:\n  - {frame: hand, mass_kg: 3, com_m: [0, -0.2, 0], inertia_kg_m2: {xx: 0, yy: 0, zz: 0.05}}\n"
      "  - {frame: b, mass_kg: 1, com_m: [0, 0.4, 0], inertia_kg_m2: {xx: 0, yy: 0, zz: 0}}\n");
  const MassProperties& b = *loaded.model.links[1].inertia;
  EXPECT_DOUBLE_EQ(b.mass, 6);
  // hand's -y is b's +x: the first load lies at 1.2.
  EXPECT_NEAR(b.com.x(), (2 * .5 + 3 * 1.2) / 6, 1e-15);
  EXPECT_NEAR(b.com.y(), .4 / 6, 1e-15);
  EXPECT_NEAR(Asked(loaded.model).MassMatrix({.3})(0, 0), .1 + 2 * .25 + .05 + 3 * 1.44 + .16, 1e-13);
  const absl::StatusOr<LoadedModel> lost = LoadModel(robot + "payloads: [{frame: hnd, mass_kg: 0}]\n");
  EXPECT_FALSE(lost.ok());
}

TEST(YamlMeaning, StribeckAndSigmoid) {
  const LoadedModel robot = Load(std::string(kHead) + ", friction: {viscous_Nm_s_rad: 1, coulomb_Nm: 2, breakaway_Nm: 3, "
      "stribeck_velocity_rad_s: 0.1, smoothing_velocity_rad_s: 0.01}}\n");
  const double v = .05;
  EXPECT_NEAR(Asked(robot.model).Friction({v})[0], v + (2 + std::exp(-.25)) * std::tanh(5.0), 1e-14);
}

TEST(YamlMeaning, Springs) {
  const LoadedModel robot = Load(std::string(kHead) + "}\nsprings:\n  - {coordinate: j, stiffness_Nm_rad: 5, rest_rad: 0.2}\n"
      "  - {name: s, a: {link: a, point_m: [0, 0, 1]}, b: {link: b, point_m: [0.3, 0, 0]}, stiffness_N_m: 100, free_length_m: 0.4}\n");
  ASSERT_EQ(robot.model.coordinate_springs.size(), 1u);
  ASSERT_EQ(robot.model.point_springs.size(), 1u);
  EXPECT_EQ(robot.model.point_springs[0].link_b, 1);
  EXPECT_TRUE(robot.capabilities.has_springs);
}

TEST(YamlMeaning, MountingAndGravity) {
  const LoadedModel robot = Load(std::string(kHead) + "}\nmounting: {xyz_m: [0, 0, 2], rpy_deg: [180, 0, 0]}\ngravity_m_s2: [0, 0, -1.62]\n");
  EXPECT_EQ(robot.model.X_WR.linear()(2, 2), -1);
  EXPECT_EQ(robot.model.gravity.z(), -1.62);
}

// The examples of server/robots/README.md are robots.
TEST(YamlMeaning, ReadmeExamplesLoad) {
  const absl::StatusOr<std::string> readme = ReadSourceFile("server/robots/README.md");
  ASSERT_TRUE(readme.ok());
  int examples = 0;
  for (size_t at = readme->find("```yaml\n"); at != std::string::npos; at = readme->find("```yaml\n", at + 1), ++examples) {
    const size_t begin = at + 8, end = readme->find("```", begin);
    LoadOptions options;
    options.name = "example";
    const LoadedModel robot = Load(readme->substr(begin, end - begin), options);
    EXPECT_EQ(robot.model.nv, 2);
  }
  EXPECT_EQ(examples, 2);
}

TEST(YamlMeaning, PlacementForms) {
  for (const char* form : {"rpy_deg: [0, 0, 90]", "rpy_rad: [0, 0, 1.5707963267948966]",
                           "quaternion_xyzw: [0, 0, 0.70710678118654757, 0.70710678118654757]",
                           "rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"}) {
    const LoadedModel robot = Load(std::string(kHead) + ", origin: {" + form + "}}\n");
    const Eigen::Matrix3d R = robot.model.joints[0].X_PJ.linear();
    EXPECT_LT((R - (Eigen::Matrix3d() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished()).cwiseAbs().maxCoeff(), 3e-16) << form;
  }
}

}  // namespace
}  // namespace torqued::test
