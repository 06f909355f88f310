// Oracle: a recorded, simplified, fused program read by the interpreter gives what the template gives.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "server/compile/interpret.h"
#include "server/compile/record.h"
#include "server/compile/symbol.h"
#include "server/core/tree/prepare.h"
#include "tests/compile/questions.h"
#include "tests/oracle/random_tree.h"

namespace torqued::compile {
namespace {

TEST(Graph, Simplifies) {
  Graph g(1000);
  const Symbol x = Symbol::Input(g, 0), y = Symbol::Input(g, 1);
  const auto node = [&](const Symbol& s) { return s.In(g); };
  EXPECT_EQ(node(x + 0.0), node(x));
  EXPECT_EQ(node(0.0 + x), node(x));
  EXPECT_EQ(node(x * 1.0), node(x));
  EXPECT_EQ(node(x * 0.0), node(Symbol(0.0)));
  EXPECT_EQ(node(-(-x)), node(x));
  EXPECT_EQ(node(x - x), node(Symbol(0.0)));
  EXPECT_EQ(node(x + y), node(y + x));
  EXPECT_EQ(node(x * y), node(y * x));
  EXPECT_EQ(node(x + (-y)), node(x - y));
  EXPECT_EQ(node((-x) * (-y)), node(x * y));
  EXPECT_EQ(node(x * -2.0), node(-(2.0 * x)));
  EXPECT_EQ(node(-(x - y)), node(y - x));
  EXPECT_EQ(node(2.0 * (3.0 * x)), node(6.0 * x));
  EXPECT_EQ(node(sin(-x)), node(-sin(x)));
  EXPECT_EQ(node(cos(-x)), node(cos(x)));
  EXPECT_EQ(node(Symbol(2.0) * Symbol(3.0)), node(Symbol(6.0)));
  EXPECT_NE(node(x - y), node(y - x));
}

TEST(Graph, StopsAtItsLimit) {
  Graph g(10);
  Symbol x = Symbol::Input(g, 0);
  for (int k = 0; k < 50; ++k) x = x * x + Symbol(k + 0.5);
  EXPECT_TRUE(g.overflowed());
}

TEST(Program, FusesProductsIntoSums) {
  Graph g(100);
  const Symbol a = Symbol::Input(g, 0), b = Symbol::Input(g, 1), c = Symbol::Input(g, 2);
  const std::vector<int> outputs = {(a * b + c).In(g), (a * c - b).In(g), (a - b * c).In(g), (-(b * b) - a).In(g)};
  const MadeProgram made = MakeProgram(g, outputs, 3);
  ASSERT_TRUE(made.ok);
  EXPECT_EQ(made.program.body.OperationCount(), 4);
  const double in[] = {2, 3, 5};
  double out[4];
  Interpret(made.program, in, out);
  EXPECT_EQ(out[0], 11);
  EXPECT_EQ(out[1], 7);
  EXPECT_EQ(out[2], -13);
  EXPECT_EQ(out[3], -11);
}

TEST(Interpreter, EqualsTheTemplatesOnRandomTrees) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Model model = oracle::RandomTree(seed, oracle::VariedOptions(seed, 10));
    const Prepared m = Prepare(model);
    const Conditions conditions(m);
    std::mt19937_64 random(seed);
    for (Method method : AllMethods()) {
      const MadeProgram made = Record(m, conditions, method);
      ASSERT_TRUE(made.ok);
      const int width = OutputCount(method, m.nv);
      std::vector<double> got(width), want(width);
      for (int row = 0; row < 4; ++row) {
        const Question question(m, oracle::RandomState(model, random));
        Interpret(made.program, question.inputs.data(), got.data());
        question.Answer(m, conditions, method, want.data());
        ExpectClose(got, want, Tolerance(method), method, seed);
      }
    }
  }
}

}  // namespace
}  // namespace torqued::compile
