// All reference files within tolerance: the excerpt that stands in tests/golden, and a whole folder where there is one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/conformance/compare.h"

namespace torqued::conformance {
namespace {

void ExpectConforms(const std::string& folder, size_t robots) {
  std::vector<Comparison> all;
  const std::vector<ReferenceRobot> read = ReadFolder(folder);
  EXPECT_GE(read.size(), robots);
  for (const ReferenceRobot& robot : read) {
    std::set<std::string> quantities;
    for (const Comparison& x : Compare(robot)) {
      EXPECT_TRUE(x.ok()) << x.robot << " " << x.quantity << " " << x.difference << " at state " << x.state;
      quantities.insert(x.quantity);
      all.push_back(x);
    }
    for (const char* wanted : {"tau", "M", "qdd", "J.LOCAL", "Jdot_v.WORLD", "Lambda_inv", "dtau_dq", "dqdd_dv", "regressor"})
      EXPECT_TRUE(quantities.contains(wanted)) << robot.name << " lacks " << wanted;
  }
  std::printf("%s", Table(all).c_str());
}

TEST(Conformance, Excerpt) { ExpectConforms("tests/golden/conformance", 2); }

TEST(Conformance, Folder) {
  const char* given = std::getenv("TORQUED_CONFORMANCE");
  const std::string folder = given ? given : "../shared/reference/conformance";
  if (!std::filesystem::is_directory(folder)) {
    ASSERT_EQ(given, nullptr) << folder << " is not a folder";
    GTEST_SKIP() << "no folder of reference files: set TORQUED_CONFORMANCE to one";
  }
  ExpectConforms(folder, 1);
}

TEST(Conformance, NoticesAWrongValueAndAMissingJoint) {
  ReferenceRobot robot = ReadFolder("tests/golden/conformance").front();
  robot.data["states"][1]["tau"][0] = robot.data["states"][1]["tau"][0].get<double>() + 1e-6;
  bool noticed = false;
  for (const Comparison& x : Compare(robot))
    if (x.quantity == "tau") noticed = !x.ok() && x.state == robot.data["states"][1]["index"].get<int>();
  EXPECT_TRUE(noticed);
  Model model = BuildModel(robot);
  robot.data["joints"][1]["name"] = "no such joint";
  EXPECT_THROW(JointMap(robot.data, model), std::runtime_error);
}

TEST(Conformance, JointOrderMeansNothing) {
  const ReferenceRobot robot = ReadFolder("tests/golden/conformance").front();
  Model model = BuildModel(robot);
  // The model's last coordinate moved to the front, as another file's order might have it.
  std::rotate(model.coordinates.begin(), model.coordinates.end() - 1, model.coordinates.end());
  int nq = 0, nv = 0;
  for (Coordinate& c : model.coordinates) {
    c.q_index = nq, c.v_index = nv;
    nq += PositionCount(c.kind), nv += VelocityCount(c.kind);
  }
  const JointMap map(robot.data, model);
  Eigen::VectorXd x(nv);
  for (int i = 0; i < nv; ++i) x[i] = i + 1;
  EXPECT_EQ(map.Rates(x)[0], nv);
  EXPECT_EQ(map.Back(map.Rates(x)), x);
}

}  // namespace
}  // namespace torqued::conformance
