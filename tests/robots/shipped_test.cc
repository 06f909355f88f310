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

TEST(Puma560, ImpossibleTensorsAreFound) {
  const LoadedModel robot = Shipped("puma560");
  EXPECT_TRUE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link1'"));
  EXPECT_TRUE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link3'"));
  EXPECT_FALSE(HasFinding(robot, finding::kNonphysicalInertia, "link 'link2'"));
}

}  // namespace
}  // namespace torqued::test
