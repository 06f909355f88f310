// Published and textbook values through the real command line: tests/golden/cli/*.txt, each line a
// question or what is wanted.
//
//   tol 1e-8                        tolerance of the lines that follow: |got - want| <= tol (1 +
//   |want|) run static ur5e --q ...         the command (with --json), asked of a server and in
//   process want efforts.values 0 -34.3     numbers at a path of the answer (names and indices; *
//   collects over a list) exit 3                          exit code of the command above; 0 if not
//   said
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace torqued {
namespace {

using nlohmann::json;

void Collect(const json& at, const std::vector<std::string>& path, size_t depth,
             std::vector<double>& numbers) {
  if (depth == path.size()) {
    if (at.is_array())
      for (const json& item : at) Collect(item, path, depth, numbers);
    else if (at.is_number())
      numbers.push_back(at.get<double>());
    return;
  }
  const std::string& step = path[depth];
  if (step == "*") {
    for (const json& item : at) Collect(item, path, depth + 1, numbers);
  } else if (at.is_array()) {
    const auto index = static_cast<size_t>(std::stoul(step));
    if (index < at.size()) Collect(at[index], path, depth + 1, numbers);
  } else if (at.contains(step)) {
    Collect(at[step], path, depth + 1, numbers);
  }
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/cli"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { server_ = new TestServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  static TestServer* server_;
};
TestServer* Golden::server_ = nullptr;

TEST_P(Golden, AnswersAsPublished) {
  std::ifstream in(GetParam());
  std::string line, command;
  double tolerance = 1e-9;
  std::vector<std::pair<std::string, Finished>> answers;  // where from, what
  int number = 0, wanted = 0;
  for (; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const auto space = line.find(' ');
    const std::string word = line.substr(0, space), rest = line.substr(space + 1);
    if (word == "tol") {
      tolerance = std::stod(rest);
    } else if (word == "run") {
      command = rest;
      std::vector<std::string> arguments = SplitCommand(rest);
      arguments.push_back("--json");
      answers = {{"server", server_->Ask(arguments)}};
      arguments.push_back("--local");
      answers.emplace_back("in process", Torquectl(arguments));
    } else if (word == "exit") {
      for (const auto& [where, finished] : answers)
        EXPECT_EQ(finished.exit, std::stoi(rest)) << where << ": " << command << "\n"
                                                  << finished.err;
    } else if (word == "want") {
      std::istringstream values(rest);
      std::string path;
      values >> path;
      std::vector<double> want;
      for (double value; values >> value;) want.push_back(value);
      for (const auto& [where, finished] : answers) {
        SCOPED_TRACE(where + ": torquectl " + command + "\n" + finished.err);
        const json answer = json::parse(finished.out, nullptr, false);
        ASSERT_FALSE(answer.is_discarded()) << finished.out;
        std::vector<double> got;
        Collect(answer, Split(path, '.'), 0, got);
        ASSERT_EQ(got.size(), want.size()) << path << " of " << finished.out;
        for (size_t i = 0; i < want.size(); ++i)
          EXPECT_NEAR(got[i], want[i], tolerance * (1 + std::fabs(want[i]))) << path << " " << i;
        ++wanted;
      }
    } else {
      FAIL() << GetParam() << ":" << number + 1 << ": unknown word " << word;
    }
  }
  EXPECT_GT(wanted, 0);
}

INSTANTIATE_TEST_SUITE_P(Cli, Golden, ::testing::ValuesIn(Files()), [](const auto& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace torqued
