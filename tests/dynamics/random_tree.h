// One random tree, a random state of it, core's answers and Lagrange's.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/builder.h"
#include "tests/oracle/lagrange.h"
#include "tests/oracle/match.h"
#include "tests/oracle/random_tree.h"

namespace torqued {

using oracle::Near;

constexpr int kTrees = 200;
constexpr double kTight = 1e-12;  // relative to the largest entry; trees of up to 40 joints reach 1e-13

class RandomTree : public ::testing::TestWithParam<int> {
 protected:
  RandomTree()
      : model(oracle::RandomTree(GetParam(), oracle::VariedOptions(GetParam(), 40))),
        eval(model),
        random(GetParam() + 1000),
        s(oracle::RandomState(model, random)),
        twin(model, s.q, s.v) {
    eval.conditions.terms.friction = eval.conditions.terms.springs = false;
  }

  Model model;
  Evaluate eval;
  std::mt19937_64 random;
  oracle::State s;
  oracle::Lagrange twin;
};

}  // namespace torqued
