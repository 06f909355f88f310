// The command line itself: what is accepted where, what is said when it is wrong. In process, so
// the locale can be set.
#include "client/cli/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/cli/local_backend.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int exit;
  std::string out, err;
};

Outcome Enter(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  arguments.insert(arguments.end(), {"--robots", "deploy/robots"});
  const int exit = RunApp(arguments, out, err);
  return {exit, out.str(), err.str()};
}

const char kQ[] = "0.3,-1.2,1.4,-0.7,0.9,0.5";

void ExpectUr5eStatics(const Outcome& outcome) {
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  const std::vector<double> want = {0, -34.303794779, -19.332162507, -1.260565279, 0.167147105, 0};
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(answer["efforts"]["values"][i].get<double>(), want[i], 1e-8);
}

TEST(App, SharedOptionsBeforeOrAfterTheVerb) {
  ExpectUr5eStatics(Enter({"--local", "--json", "static", "ur5e", "--q", kQ}));
  ExpectUr5eStatics(Enter({"static", "ur5e", "--q", kQ, "--json", "--local"}));
  ExpectUr5eStatics(Enter({"static", "--local", "--q", kQ, "--json", "ur5e"}));
}

TEST(App, ValuesMayBeginWithAMinus) {
  const auto outcome =
      Enter({"--local", "static", "two-link", "--q", "-.5,-1", "--gravity", "-1,0,0", "--csv"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(Enter({"--local", "static", "two-link", "--q=-.5,-1", "--gravity=-1,0,0", "--csv"}).out,
            outcome.out);
}

// A robot file as an editor without UTF-8 leaves it.
std::string Latin1() {
  const std::string path = ::testing::TempDir() + "/latin1.urdf";
  std::ofstream(path) << "<robot name='r'>\n<!-- Stra\xDF" "e -->\n<link name='a'/></robot>\n";
  return path;
}

TEST(App, ATimeoutHoldsInProcessToo) {
  const Outcome outcome = Enter({"--local", "simulate", "two-link", "--q", "0.5,0.5", "--duration",
                                 "9000s", "--every", "9000s", "--timeout", "100ms"});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_THAT(outcome.err, HasSubstr("the deadline passed"));
}

TEST(App, WhatIsWrongIsSaidInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--local", "static", "ur5e", "--q", "1,2,3,4,5"},
       "torquectl static: --q: 5 values, want 6: shoulder_pan_joint [rad]"},
      {{"--local", "static", "ur5e"},
       "torquectl static: --q: missing, want 6 values: shoulder_pan_joint [rad]"},
      {{"--local", "static", "ur5e", "--q", "0,0,nan,0,0,0"}, "--q: value 3: 'nan' is not finite"},
      {{"--local", "static", "ur5e", "--q", "0,0,0,0,0,x"}, "--q: value 6: 'x' is not a number"},
      {{"--local", "id", "ur5e", "--q", kQ, "--v", "1,2"}, "--v: 2 values, want 6"},
      {{"--local", "static", "ur5", "--q", kQ}, "ur5"},
      {{"--local", "fk", "ur5e", "--q", kQ, "--frame", "nowhere"}, "nowhere"},
      {{"--local", "static", "ur5e", "--q", kQ, "--at", "tool0"},
       "--wrench-by-robot or --wrench-on-robot"},
      {{"--local", "static", "ur5e", "--q", kQ, "--wrench-by-robot", "1,2"},
       "--wrench-by-robot: 2 values, want 3 (force) or 6"},
      {{"--local", "static", "ur5e", "--q", kQ, "--wrench-by-robot", "1,2,3", "--wrench-on-robot",
        "1,2,3"},
       "want one of them"},
      {{"--local", "static", "ur5e", "--q", kQ, "--axes", "tool"}, "'tool', want world|frame"},
      {{"--local", "static", "ur5e", "--q", kQ, "--timeout", "soon"},
       "--timeout: 'soon' is not a duration"},
      {{"--local", "static", "ur5e", "--q", kQ, "--states", "x.csv"}, "--states"},
      {{"--local", "static", "ur5e", "--states", "/nonexistent.csv"},
       "/nonexistent.csv: cannot be read"},
      {{"--local", "static", "ur5e", "--q", kQ, "--nonsense"}, "unknown option --nonsense"},
      {{"--local", "static", "ur5e", "--q", kQ, "more"}, "unexpected argument more"},
      {{"--json", "--csv", "--local", "static", "ur5e", "--q", kQ}, "--json and --csv"},
      {{"statics", "ur5e"}, "unknown verb 'statics'; did you mean 'static'?"},
      {{"model", "ad", "x"}, "torquectl model: unknown verb 'ad'; did you mean 'add'?"},
      {{}, "want a verb"},
      {{"static"}, "MODEL"},
      {{"bench", "ur5e", "--concurrency", "100000"}, "--concurrency: 100000, want at most 1000"},
      {{"--server", "127.0.0.1:1", "model", "check", "/"}, "FILE: /: is a folder, want a file"},
      {{"--server", "127.0.0.1:1", "model", "check", "/dev/zero"}, "FILE: /dev/zero: more than"},
      {{"--server", "127.0.0.1:1", "model", "check", Latin1()},
       "source.text: line 2: the text is not valid UTF-8"},
      {{"--local", "simulate", "two-link", "--q", "0,0", "--duration", "1000h"}, "at most 1e+07 steps"},
      {{"--local", "--server", "x:1", "static", "ur5e", "--q", kQ}, "--local and --server"}};
  for (const auto& [arguments, want] : cases) {
    const Outcome outcome = Enter(arguments);
    EXPECT_EQ(outcome.exit, 5) << want << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(want));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(App, UnknownInertiasAreRefusedByName) {
  const Outcome outcome = Enter({"--local", "static", "m6ib", "--q", "zero"});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_THAT(outcome.err, HasSubstr("link"));
  EXPECT_EQ(Enter({"--local", "fk", "m6ib", "--q", "zero"}).exit, 0);
}

// The engine refuses answers of more than 2e7 numbers: 8200 regressors of this robot are more than
// that at once.
TEST(App, ALargeQuestionIsSplitInProcessToo) {
  const auto backend = MakeLocalBackend("deploy/robots");
  ASSERT_TRUE(backend.ok()) << backend.status();
  v1::ComputeRegressorRequest request;
  request.mutable_context()->set_model(*(*backend)->ModelName("quadruped", v1::BASE_UNSPECIFIED));
  constexpr int kStates = 8200;
  for (int i = 0; i < kStates; ++i)
    for (int k = 0; k < 19; ++k)
      request.mutable_positions()->add_values(k == 6 ? 1 : k < 7 ? 0 : 1e-4 * i);
  const auto answer = (*backend)->Ask<v1::ComputeRegressorResponse>(request);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->info().sample_count(), kStates);
  const auto& Y = answer->regressor();
  ASSERT_EQ(Y.values_size(), kStates * Y.rows() * Y.cols());
  // The last state's block is what it is alone.
  v1::ComputeRegressorRequest last = request;
  last.mutable_positions()->clear_values();
  for (int k = 0; k < 19; ++k)
    last.mutable_positions()->add_values(request.positions().values(19 * (kStates - 1) + k));
  const auto alone = (*backend)->Ask<v1::ComputeRegressorResponse>(last);
  ASSERT_TRUE(alone.ok()) << alone.status();
  const int block = Y.rows() * Y.cols();
  for (int i = 0; i < block; ++i)
    ASSERT_EQ(Y.values((kStates - 1) * block + i), alone->regressor().values(i)) << i;
}

TEST(App, AnyAnswerGoesToAFile) {
  const std::string path = ::testing::TempDir() + "/answer.csv";
  const Outcome outcome = Enter({"--local", "jacobian", "two-link", "--q", "0,0", "--out", path});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, ",joint1,joint2");
  EXPECT_EQ(
      Enter({"--local", "jacobian", "two-link", "--q", "0,0", "--out", "/nonexistent/x.csv"}).exit,
      5);
}

TEST(App, EveryVerbHelpsWithAnExample) {
  for (const auto& verb : AllVerbs()) {
    const VerbText text = verb->Text();
    std::istringstream words(text.name);
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    arguments.push_back("--help");
    const Outcome outcome = Enter(arguments);
    EXPECT_EQ(outcome.exit, 0) << text.name;
    EXPECT_THAT(outcome.out, HasSubstr("torquectl " + text.name));
    EXPECT_THAT(outcome.out, HasSubstr("Examples:"));
    EXPECT_FALSE(text.examples.empty()) << text.name;
  }
}

TEST(App, CompletionIsAShellScript) {
  for (const char* shell : {"bash", "zsh"}) {
    const Outcome outcome = Enter({"completion", shell});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("--wrench-by-robot"));
    EXPECT_THAT(outcome.out, HasSubstr("complete -F _torquectl torquectl"));
  }
  EXPECT_EQ(Enter({"completion", "fish"}).exit, 5);
}

// A locale with a decimal comma, made for this test where the system has none.
class CommaLocale : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = ::testing::TempDir() + "/locales";
    std::filesystem::create_directories(folder);
    const std::string make =
        "localedef -i de_DE -f UTF-8 '" + folder + "/de_DE.UTF-8' >/dev/null 2>&1";
    if (!std::filesystem::exists(folder + "/de_DE.UTF-8") && std::system(make.c_str()) != 0)
      GTEST_SKIP() << "no comma locale can be made here (localedef with de_DE)";
    setenv("LOCPATH", folder.c_str(), 1);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
      GTEST_SKIP() << "the made locale cannot be used";
    std::locale::global(std::locale("de_DE.UTF-8"));
    ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  }
  void TearDown() override {
    std::locale::global(std::locale::classic());
    unsetenv("LOCPATH");
  }
};

TEST_F(CommaLocale, NumbersKeepThePoint) {
  ExpectUr5eStatics(Enter({"--local", "--json", "static", "ur5e", "--q", kQ}));
  EXPECT_THAT(Enter({"--local", "static", "ur5e", "--q", kQ}).out, HasSubstr("-34.303795"));
  EXPECT_THAT(Enter({"--local", "static", "ur5e", "--q", kQ, "--csv"}).out,
              HasSubstr("-34.3037947"));
  EXPECT_THAT(
      Enter({"--local", "static", "ur5e", "--q", kQ, "--payload", "tool0:mass=1.5,com=0,0,0.05"})
          .exit,
      0);
}

}  // namespace
}  // namespace torqued::cli
