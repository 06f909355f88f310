// What is exported reads back to the same Model, bit for bit; what is the same source has the same revision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "server/robots/audit.h"
#include "server/robots/export.h"
#include "server/robots/placement.h"
#include "server/robots/revision.h"
#include "tests/robots/dynamics.h"

namespace torqued::test {
namespace {

using namespace robots;

// Differences in bits; -0 and 0 count as different, NaN as equal to itself.
bool Same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class M>
bool SameMatrix(const M& a, const M& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j)
      if (!Same(a(i, j), b(i, j))) return false;
  return true;
}
bool SameOptional(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || Same(*a, *b));
}

void ExpectSame(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.tool_frame, b.tool_frame);
  EXPECT_EQ(a.nq, b.nq);
  EXPECT_EQ(a.nv, b.nv);
  EXPECT_TRUE(SameMatrix(a.gravity, b.gravity));
  EXPECT_TRUE(SameMatrix(a.X_WR.matrix(), b.X_WR.matrix()));
  EXPECT_TRUE(SameMatrix(a.actuator_matrix, b.actuator_matrix));
  ASSERT_EQ(a.links.size(), b.links.size());
  for (size_t i = 0; i < a.links.size(); ++i) {
    SCOPED_TRACE(a.links[i].name);
    EXPECT_EQ(a.links[i].name, b.links[i].name);
    ASSERT_EQ(a.links[i].inertia.has_value(), b.links[i].inertia.has_value());
    if (!a.links[i].inertia) continue;
    EXPECT_TRUE(Same(a.links[i].inertia->mass, b.links[i].inertia->mass));
    EXPECT_TRUE(SameMatrix(a.links[i].inertia->com, b.links[i].inertia->com));
    EXPECT_TRUE(SameMatrix(a.links[i].inertia->inertia_about_com, b.links[i].inertia->inertia_about_com));
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (size_t i = 0; i < a.joints.size(); ++i) {
    const Joint &x = a.joints[i], &y = b.joints[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.parent_link, y.parent_link);
    EXPECT_EQ(x.child_link, y.child_link);
    EXPECT_TRUE(SameMatrix(x.X_PJ.matrix(), y.X_PJ.matrix()));
    EXPECT_TRUE(SameMatrix(x.X_JL.matrix(), y.X_JL.matrix()));
    EXPECT_TRUE(SameMatrix(x.axis, y.axis));
    EXPECT_TRUE(Same(x.offset, y.offset));
    EXPECT_EQ(x.is_mimic, y.is_mimic);
    ASSERT_EQ(x.coupling.size(), y.coupling.size());
    for (size_t k = 0; k < x.coupling.size(); ++k) {
      EXPECT_EQ(x.coupling[k].coordinate, y.coupling[k].coordinate);
      EXPECT_TRUE(Same(x.coupling[k].factor, y.coupling[k].factor));
    }
  }
  ASSERT_EQ(a.coordinates.size(), b.coordinates.size());
  for (size_t i = 0; i < a.coordinates.size(); ++i) {
    const Coordinate &x = a.coordinates[i], &y = b.coordinates[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.q_index, y.q_index);
    EXPECT_EQ(x.v_index, y.v_index);
    for (const auto& [p, q] : {std::pair(x.limits.lower, y.limits.lower), std::pair(x.limits.upper, y.limits.upper),
                               std::pair(x.limits.velocity, y.limits.velocity),
                               std::pair(x.limits.acceleration, y.limits.acceleration),
                               std::pair(x.limits.jerk, y.limits.jerk), std::pair(x.limits.effort, y.limits.effort)})
      EXPECT_TRUE(SameOptional(p, q));
    EXPECT_EQ(std::memcmp(&x.friction, &y.friction, sizeof x.friction), 0);
  }
  ASSERT_EQ(a.rotors.size(), b.rotors.size());
  for (size_t i = 0; i < a.rotors.size(); ++i) {
    EXPECT_EQ(a.rotors[i].name, b.rotors[i].name);
    EXPECT_TRUE(Same(a.rotors[i].inertia, b.rotors[i].inertia));
    EXPECT_EQ(a.rotors[i].carrier_link, b.rotors[i].carrier_link);
    EXPECT_TRUE(SameMatrix(a.rotors[i].axis, b.rotors[i].axis));
    EXPECT_EQ(a.rotors[i].ratio, b.rotors[i].ratio);
  }
  ASSERT_EQ(a.drives.size(), b.drives.size());
  for (size_t i = 0; i < a.drives.size(); ++i) {
    EXPECT_EQ(a.drives[i].name, b.drives[i].name);
    EXPECT_TRUE(Same(a.drives[i].gear_ratio, b.drives[i].gear_ratio));
    EXPECT_TRUE(Same(a.drives[i].efficiency, b.drives[i].efficiency));
    EXPECT_TRUE(SameOptional(a.drives[i].motor_torque, b.drives[i].motor_torque));
    EXPECT_TRUE(SameOptional(a.drives[i].motor_speed, b.drives[i].motor_speed));
    EXPECT_EQ(std::memcmp(&a.drives[i].motor_friction, &b.drives[i].motor_friction, sizeof(Friction)), 0);
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].link, b.frames[i].link);
    EXPECT_TRUE(SameMatrix(a.frames[i].X_LF.matrix(), b.frames[i].X_LF.matrix()));
  }
  ASSERT_EQ(a.coordinate_springs.size(), b.coordinate_springs.size());
  for (size_t i = 0; i < a.coordinate_springs.size(); ++i) {
    EXPECT_EQ(a.coordinate_springs[i].coordinate, b.coordinate_springs[i].coordinate);
    EXPECT_TRUE(Same(a.coordinate_springs[i].stiffness, b.coordinate_springs[i].stiffness));
    EXPECT_TRUE(Same(a.coordinate_springs[i].rest, b.coordinate_springs[i].rest));
  }
  ASSERT_EQ(a.point_springs.size(), b.point_springs.size());
  for (size_t i = 0; i < a.point_springs.size(); ++i) {
    EXPECT_EQ(a.point_springs[i].name, b.point_springs[i].name);
    EXPECT_EQ(a.point_springs[i].link_a, b.point_springs[i].link_a);
    EXPECT_EQ(a.point_springs[i].link_b, b.point_springs[i].link_b);
    EXPECT_TRUE(SameMatrix(a.point_springs[i].point_a, b.point_springs[i].point_a));
    EXPECT_TRUE(SameMatrix(a.point_springs[i].point_b, b.point_springs[i].point_b));
    EXPECT_TRUE(Same(a.point_springs[i].stiffness, b.point_springs[i].stiffness));
    EXPECT_TRUE(Same(a.point_springs[i].free_length, b.point_springs[i].free_length));
  }
}

TEST(Export, RoundTripOfEveryRobot) {
  for (const char* folder : {"deploy/robots", "tests/golden/robots"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml" && entry.path().extension() != ".urdf") continue;
      for (const BaseOption base : {BaseOption::kAsSource, BaseOption::kFloating}) {
        SCOPED_TRACE(entry.path().string());
        LoadOptions options;
        options.base = base;
        const LoadedModel robot = MustLoad(entry.path().string(), options);
        const std::string text = ToYaml(robot.model, robot.description, robot.labels);
        const absl::StatusOr<LoadedModel> again = LoadModel(text);
        ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
        ExpectSame(robot.model, again->model);
        EXPECT_EQ(robot.description, again->description);
        EXPECT_EQ(robot.labels, again->labels);
      }
    }
}

// Everything that a description can say at once, with names that need quotes and numbers that need every digit.
TEST(Export, RoundTripOfEverything) {
  std::mt19937_64 random(7);
  const auto number = [&] { return std::ldexp(double(random() >> 11), -53) * 2 - 1; };
  Model m;
  m.name = "all: \"of\" it \\";
  const char* names[] = {"base", "true", "1.5", "größe", "a b", "l5", "l6", "l7"};
  for (const char* name : names) {
    MassProperties mp;
    mp.mass = 1 + number();
    mp.com = Eigen::Vector3d(number(), number(), number());
    const Eigen::Matrix3d R = RotationFromRpy({number(), number(), number()});
    mp.inertia_about_com = R * Eigen::Vector3d(.3, .4, .5).asDiagonal() * R.transpose();
    mp.inertia_about_com = (0.5 * (mp.inertia_about_com + mp.inertia_about_com.transpose())).eval();
    m.links.push_back({name, mp, 0});
  }
  m.links[5].inertia.reset();
  const JointKind kinds[] = {JointKind::kFloating, JointKind::kRevolute, JointKind::kPrismatic, JointKind::kSpherical,
                             JointKind::kPlanar, JointKind::kContinuous, JointKind::kFixed};
  for (int i = 0; i < 7; ++i) {
    Joint j;
    j.name = std::string("j-") + names[i + 1];
    j.kind = kinds[i];
    j.parent_link = i == 3 ? 1 : i;
    j.child_link = i + 1;
    j.X_PJ = Placement(RotationFromRpy({number(), number(), number()}), {number(), number(), number()});
    if (i == 1) j.X_JL = Placement(RotationX(number()), {number(), 0, 0});
    if (i == 1 || i == 2 || i == 4 || i == 5) j.axis = Eigen::Vector3d(number(), number(), number()).normalized();
    m.joints.push_back(j);
  }
  for (const int i : {0, 1, 2, 3, 4}) {
    Coordinate c;
    c.name = m.joints[i].name;
    c.kind = kinds[i];
    c.q_index = m.nq;
    c.v_index = m.nv;
    m.nq += PositionCount(c.kind);
    m.nv += VelocityCount(c.kind);
    if (VelocityCount(c.kind) == 1) {
      c.limits = {-1 + number(), 1 + number(), 3 + number(), 4 + number(), 5 + number(), 6 + number()};
      c.friction = {1 + number(), 1 + number(), 1 + number(), 2 + number(), .01, i == 1 ? .02 : 0};
    }
    m.coordinates.push_back(c);
    m.joints[i].coupling = {{i, 1.0}};
  }
  m.joints[2].coupling = {{1, number()}, {2, number()}};
  m.joints[2].offset = number();
  m.joints[5].coupling = {{1, number()}};
  m.joints[5].offset = number();
  m.joints[5].is_mimic = true;
  m.rotors.push_back({"r", .001, 2, Eigen::Vector3d(number(), number(), number()).normalized(), {{6, number()}, {7, number()}}});
  m.rotors.push_back({"s", .002, -1, Eigen::Vector3d::UnitZ(), {{7, number()}}});
  m.point_springs.push_back({"p", 0, 3, {number(), number(), number()}, {number(), number(), number()}, 100 + number(), .3});
  m.coordinate_springs.push_back({1, 20 + number(), number()});
  m.frames.push_back({"hand 1", 4, Placement(RotationFromRpy({number(), number(), number()}), {number(), 0, 1e-300})});
  m.tool_frame = "hand 1";
  m.X_WR = Placement(RotationY(number()), {number(), number(), number()});
  m.gravity = Eigen::Vector3d(number(), number(), -1.62);
  m.actuator_matrix = Eigen::MatrixXd::Identity(m.nv, m.nv);
  m.actuator_matrix(6, 7) = number();
  m.drives.assign(m.nv, Drive{});
  for (const Coordinate& c : m.coordinates)
    for (int k = 0; k < VelocityCount(c.kind); ++k) m.drives[c.v_index + k].name = c.name;
  m.drives[6] = {"motor", -50 + number(), .9, 2 + number(), 300 + number(), {number(), .1, .2, .3, 2, .5}};

  const std::string text = ToYaml(m, "two\nlines: \"quoted\"", {{"key: 1", "value"}});
  const absl::StatusOr<LoadedModel> again = LoadModel(text);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  ExpectSame(m, again->model);
  EXPECT_EQ(again->description, "two\nlines: \"quoted\"");
  EXPECT_EQ(again->labels.at("key: 1"), "value");
}

TEST(Revision, SameSourceSameRevision) {
  const std::string text = "name: a\nlinks: []\n";
  EXPECT_EQ(Revision(text), Revision("\xEF\xBB\xBFname: a  \r\nlinks: []\r\n\r\n\n"));
  EXPECT_EQ(Revision(text), Revision("name: a\nlinks: []"));
  EXPECT_NE(Revision(text), Revision("name: b\nlinks: []\n"));
  EXPECT_EQ(Revision(text).size(), 12u);
  LoadOptions floating, repair, strict;
  floating.base = BaseOption::kFloating;
  repair.policy = Policy::kRepair;
  strict.policy = Policy::kStrict;
  EXPECT_NE(Revision(text), Revision(text, floating));
  EXPECT_NE(Revision(text), Revision(text, repair));
  EXPECT_EQ(Revision(text), Revision(text, strict));  // strict refuses, it changes no model
  // sha256sum of "abc\n"
  EXPECT_EQ(Revision("abc"), "edeaaff3f177");
}

TEST(Placement, QuarterTurnsAreExact) {
  for (int k = -8; k <= 8; ++k) {
    double s, c;
    ExactSinCos(k * std::acos(0.0), s, c);
    EXPECT_EQ(s * s + c * c, 1) << k;
    EXPECT_EQ(s * c, 0) << k;
    EXPECT_NEAR(s, std::sin(k * std::acos(0.0)), 2e-15);
  }
  double s, c;
  ExactSinCos(1.57079632679, s, c);  // eleven digits: what was written, not what may be meant
  EXPECT_EQ(c, std::cos(1.57079632679));
}

}  // namespace
}  // namespace torqued::test
