#include "tests/dynamics/any_robot.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "server/robots/load.h"

namespace torqued {
namespace {

constexpr int kTrees = 1000;
constexpr int kStates = 3;
const std::filesystem::path kShipped = std::filesystem::path(TORQUED_SOURCE_DIR) / "deploy/robots";

}  // namespace

std::vector<Subject> RandomTrees() {
  std::vector<Subject> out;
  for (int seed = 0; seed < kTrees; ++seed) out.push_back({"", seed});
  return out;
}

std::vector<Subject> ShippedRobots() {
  std::vector<Subject> out;
  for (const auto& entry : std::filesystem::directory_iterator(kShipped))
    for (int seed = 0; seed < kStates; ++seed) out.push_back({entry.path().filename().string(), seed});
  std::sort(out.begin(), out.end(), [](const Subject& a, const Subject& b) {
    return a.file != b.file ? a.file < b.file : a.seed < b.seed;
  });
  return out;
}

std::string SubjectName(const ::testing::TestParamInfo<Subject>& subject) {
  std::string name = subject.param.file.substr(0, subject.param.file.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name.empty() ? std::to_string(subject.param.seed) : name + "_" + std::to_string(subject.param.seed);
}

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << (subject.file.empty() ? "random tree" : subject.file) << ", seed " << subject.seed;
}

Built Build(const Subject& subject) {
  if (subject.file.empty()) return {oracle::RandomTree(subject.seed, oracle::VariedOptions(subject.seed, 40)), true};
  absl::StatusOr<LoadedModel> loaded = LoadModelFile((kShipped / subject.file).string());
  if (!loaded.ok()) throw std::runtime_error(subject.file + ": " + std::string(loaded.status().message()));
  return {std::move(loaded->model), loaded->capabilities.forward_dynamics};
}

}  // namespace torqued
