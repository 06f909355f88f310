// A robot, a random state of it, core's answers and Lagrange's. The robots are 1000 random trees and every shipped one.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/dynamics/evaluate.h"
#include "tests/oracle/builder.h"
#include "tests/oracle/lagrange.h"
#include "tests/oracle/match.h"
#include "tests/oracle/random_tree.h"

namespace torqued {

using oracle::Near;

constexpr double kTight = 1e-12;  // relative to the largest entry; trees of up to 40 joints reach 1e-13

struct Subject {
  std::string file;  // in deploy/robots; empty: a random tree
  int seed = 0;      // of the tree and of the state
};
std::vector<Subject> RandomTrees();
std::vector<Subject> ShippedRobots();  // three states of each
std::string SubjectName(const ::testing::TestParamInfo<Subject>& subject);
void PrintTo(const Subject& subject, std::ostream* out);

// Whether every moving joint moves some inertia, so that M can be positive definite, is the loader's word.
struct Built {
  Model model;
  bool mass_everywhere = true;
};
Built Build(const Subject& subject);

class AnyRobot : public ::testing::TestWithParam<Subject> {
 protected:
  AnyRobot()
      : built(Build(GetParam())),
        model(built.model),
        eval(model),
        random(GetParam().seed + 1000),
        s(oracle::RandomState(model, random)),
        twin(model, s.q, s.v) {
    eval.conditions.terms.friction = eval.conditions.terms.springs = false;
  }

  const Built built;
  const Model& model;
  Evaluate eval;
  std::mt19937_64 random;
  oracle::State s;
  oracle::Lagrange twin;
};

}  // namespace torqued
