// The C that is printed, compiled by the C compiler that is there, gives what the template gives.
#include <dlfcn.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "server/compile/print_c.h"
#include "server/compile/symbol.h"
#include "server/core/tree/prepare.h"
#include "tests/compile/questions.h"

namespace torqued::compile {
namespace {

TEST(PrintC, CompiledByACCompilerItEqualsTheTemplates) {
  const std::string folder = ::testing::TempDir() + "torqued_print_c_" + std::to_string(::getpid());
  const std::string source = folder + ".c", library = folder + ".so";
  std::ofstream text(source);
  constexpr unsigned kSeeds = 4;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const Prepared m = Prepare(oracle::RandomTree(seed, oracle::VariedOptions(seed, 7)));
    for (Method method : AllMethods()) {
      const MadeProgram made = Record(m, Conditions(m), method);
      ASSERT_TRUE(made.ok);
      text << PrintC(made.program, {"f" + std::to_string(seed) + "_" + std::to_string(static_cast<int>(method)), "in: q, v, x\nout: as asked"});
    }
  }
  text.close();
  const std::string command = std::string(TORQUED_C_COMPILER) + " -std=c99 -Wall -Wextra -Werror -O0 -shared -fPIC -o " + library + " " + source + " -lm";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const Model model = oracle::RandomTree(seed, oracle::VariedOptions(seed, 7));
    const Prepared m = Prepare(model);
    std::mt19937_64 random(seed);
    for (Method method : AllMethods()) {
      const std::string name = "f" + std::to_string(seed) + "_" + std::to_string(static_cast<int>(method));
      const auto f = reinterpret_cast<void (*)(const double*, double*)>(dlsym(handle, name.c_str()));
      ASSERT_NE(f, nullptr) << name;
      std::vector<double> got(OutputCount(method, m.nv)), want(got.size());
      for (int row = 0; row < 3; ++row) {
        const Question question(m, oracle::RandomState(model, random));
        f(question.inputs.data(), got.data());
        question.Answer(m, Conditions(m), method, want.data());
        ExpectClose(got, want, Tolerance(method), method, seed);
      }
    }
  }
  dlclose(handle);
  std::remove(source.c_str());
  std::remove(library.c_str());
}

TEST(PrintC, NumbersReadBackExactly) {
  Graph g(100);
  const Symbol x = Symbol::Input(g, 0);
  const MadeProgram made = MakeProgram(g, {(x + 0.1).In(g), (x * 3.0).In(g), (x - Symbol(1e-300)).In(g)}, 1);
  const std::string text = PrintC(made.program, {"f", ""});
  EXPECT_NE(text.find("0.1 + in[0];"), std::string::npos) << text;
  EXPECT_NE(text.find("3.0 * in[0];"), std::string::npos) << text;
  EXPECT_NE(text.find("1e-300"), std::string::npos) << text;
}

}  // namespace
}  // namespace torqued::compile
