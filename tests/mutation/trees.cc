// Random trees alone stand for any robot: nothing is read from files, so that the program needs core and the oracle only.
#include "tests/dynamics/any_robot.h"

namespace torqued {

std::vector<Subject> RandomTrees() {
  std::vector<Subject> out;
  for (int seed = 0; seed < 60; ++seed) out.push_back({"", seed});
  return out;
}

std::vector<Subject> ShippedRobots() { return {}; }

std::string SubjectName(const ::testing::TestParamInfo<Subject>& subject) { return std::to_string(subject.param.seed); }

void PrintTo(const Subject& subject, std::ostream* out) { *out << "random tree, seed " << subject.seed; }

Built Build(const Subject& subject) {
  return {oracle::RandomTree(subject.seed, oracle::VariedOptions(subject.seed, 20)), true};
}

}  // namespace torqued
