// Differential: machine code against the pack template and the double template, on every instruction set that runs
// here, for every method, lane and tail.
#include <gtest/gtest.h>

#include <cstdio>

#include "server/compile/compiler.h"
#include "server/core/tree/prepare.h"
#include "tests/compile/questions.h"

namespace torqued::compile {
namespace {

struct Asked {
  std::vector<double> q, v, x;
  int count = 0;
};

Asked RandomRows(const Model& model, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  Asked out;
  out.count = count;
  for (int k = 0; k < count; ++k) {
    const oracle::State s = oracle::RandomState(model, random);
    out.q.insert(out.q.end(), s.q.begin(), s.q.end());
    out.v.insert(out.v.end(), s.v.begin(), s.v.end());
    out.x.insert(out.x.end(), s.a.begin(), s.a.end());
  }
  return out;
}

// Rows [first, first + count), as one row of all outputs per state.
std::vector<double> Ask(const Batch& b, Method method, const Asked& r, int first, int count, BatchScratch& s) {
  const Prepared& m = b.model();
  const Conditions c(m);
  const int n = m.nv, tri = n * (n + 1) / 2;
  const double *q = r.q.data() + first * m.nq, *v = r.v.data() + first * n, *x = r.x.data() + first * n;
  std::vector<std::pair<int, std::vector<double>>> parts;
  const auto part = [&](int width) {
    parts.emplace_back(width, std::vector<double>(count * width, 7.0));
    return parts.size() - 1;
  };
  switch (method) {
    case Method::kInverseDynamics: b.InverseDynamics(c, q, v, x, count, parts[part(n)].second.data(), s); break;
    case Method::kGravity: b.Gravity(c, q, count, parts[part(n)].second.data(), s); break;
    case Method::kMassMatrix:
      b.MassMatrix(c, q, count, MatrixLayout::kPackedUpper, parts[part(tri)].second.data(), s);
      b.MassMatrix(c, q, count, MatrixLayout::kFull, parts[part(n * n)].second.data(), s);
      break;
    case Method::kEquationOfMotion: {
      part(n * n), part(n), part(n);
      EquationRows rows;
      rows.mass_matrix = parts[0].second.data();
      rows.velocity_torque = parts[1].second.data();
      rows.gravity = parts[2].second.data();
      b.EquationOfMotion(c, q, v, count, rows, s);
      break;
    }
    case Method::kForwardDynamics:
      part(n), part(1);
      {
        std::vector<int> singular(count);
        (void)b.ForwardDynamics(c, q, v, x, count, parts[0].second.data(), singular.data(), s);
        for (int k = 0; k < count; ++k) parts[1].second[k] = singular[k];
      }
      break;
    case Method::kJacobian:
      b.Jacobian(m.frames[m.tool_frame], Expression::kWorldAligned, q, count, parts[part(6 * n)].second.data(), s);
      break;
    case Method::kPathDynamics:
      part(n), part(n), part(n);
      b.PathDynamics(c, q, v, x, count, {parts[0].second.data(), parts[1].second.data(), parts[2].second.data()}, s);
      break;
  }
  std::vector<double> out;
  for (int k = 0; k < count; ++k)
    for (const auto& [width, values] : parts) out.insert(out.end(), values.begin() + k * width, values.begin() + (k + 1) * width);
  return out;
}

class CompiledTest : public ::testing::TestWithParam<int> {
 protected:
  const BatchKernels& kernels() const { return *AvailableKernels()[GetParam()]; }
  bool Compiles() const { return std::string(kernels().name) != "baseline"; }
};

std::vector<int> KernelIndices() {
  std::vector<int> out;
  for (size_t i = 0; i < AvailableKernels().size(); ++i) out.push_back(static_cast<int>(i));
  return out;
}

void Compare(const Model& model, const BatchKernels& kernels, unsigned seed, bool want_compiled) {
  const auto m = std::make_shared<const Prepared>(Prepare(model));
  const Batch plain(m, kernels);
  Batch compiled(m, kernels);
  const auto programs = Compile(*m, kernels);
  ASSERT_TRUE(compiled.Install(programs));
  BatchScratch scratch;
  const Asked rows = RandomRows(model, seed, 13);
  for (Method method : AllMethods()) {
    ASSERT_EQ(programs->report(method).compiled, want_compiled) << static_cast<int>(method) << " seed " << seed;
    ASSERT_EQ(compiled.KernelName(method), std::string(kernels.name) + (want_compiled ? " compiled" : " template"));
    const std::vector<double> want = Ask(plain, method, rows, 0, rows.count, scratch);
    const std::vector<double> got = Ask(compiled, method, rows, 0, rows.count, scratch);
    ExpectClose(got, want, Tolerance(method), method, seed);
    const size_t width = got.size() / rows.count;
    for (int first = 0; first < rows.count; first += 3)
      for (int count : {1, 2, 4, 5, 8}) {
        if (first + count > rows.count) continue;
        const std::vector<double> part = Ask(compiled, method, rows, first, count, scratch);
        for (size_t k = 0; k < part.size(); ++k) ASSERT_EQ(part[k], got[first * width + k]) << "cut at " << first << ", " << count;
      }
  }
}

TEST_P(CompiledTest, EqualsTheTemplateOnRandomTrees) {
  for (unsigned seed = 1; seed <= 80; ++seed)
    ASSERT_NO_FATAL_FAILURE(Compare(oracle::RandomTree(seed, oracle::VariedOptions(seed, seed % 8 == 0 ? 24 : 10)), kernels(), seed, Compiles()));
}

TEST_P(CompiledTest, TooLargeAProgramLeavesTheTemplate) {
  const Model model = oracle::RandomTree(5, {.max_joints = 8});
  const auto m = std::make_shared<const Prepared>(Prepare(model));
  for (const CompileLimits& limits : {CompileLimits{.record = {}, .max_instructions = 20}, CompileLimits{.record = {.max_nodes = 100, .tidy = true}}}) {
    Batch batch(m, kernels());
    const auto programs = Compile(*m, kernels(), limits);
    EXPECT_FALSE(programs->report(Method::kInverseDynamics).compiled);
    ASSERT_TRUE(batch.Install(programs));
    BatchScratch s;
    const Asked rows = RandomRows(model, 5, 3);
    EXPECT_EQ(Ask(batch, Method::kInverseDynamics, rows, 0, 3, s), Ask(Batch(m, kernels()), Method::kInverseDynamics, rows, 0, 3, s));
  }
}

TEST_P(CompiledTest, OtherConditionsTakeTheTemplate) {
  const Model model = oracle::RandomTree(11, {.max_joints = 6});
  const auto m = std::make_shared<const Prepared>(Prepare(model));
  Batch batch(m, kernels());
  ASSERT_TRUE(batch.Install(Compile(*m, kernels())));
  EXPECT_FALSE(batch.Install(Compile(*m, kernels()))) << "the first set stays";
  const Batch plain(m, kernels());
  const Asked r = RandomRows(model, 11, 5);
  std::vector<BodyInertia> heavier = m->inertias;
  for (BodyInertia& b : heavier) b.m *= 2;
  std::vector<Conditions> others(3, Conditions(*m));
  others[0].gravity = {1, 2, 3};
  others[1].terms.velocity = false;
  others[2].inertias = heavier.data();
  for (const Conditions& c : others) {
    std::vector<double> got(5 * m->nv), want(5 * m->nv);
    BatchScratch s;
    batch.InverseDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, got.data(), s);
    plain.InverseDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, want.data(), s);
    EXPECT_EQ(got, want);
  }
}

TEST_P(CompiledTest, FrictionCountsAsTheTermsSay) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model model = oracle::RandomTree(seed, {.max_joints = 6, .rotors = true, .friction = true});
    const auto m = std::make_shared<const Prepared>(Prepare(model));
    Batch batch(m, kernels());
    ASSERT_TRUE(batch.Install(Compile(*m, kernels())));
    const Batch plain(m, kernels());
    const Asked r = RandomRows(model, seed, 5);
    BatchScratch s;
    for (bool friction : {true, false}) {
      Conditions c(*m);
      c.terms.friction = friction;
      std::vector<double> got(5 * m->nv), want(5 * m->nv);
      batch.InverseDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, got.data(), s);
      plain.InverseDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, want.data(), s);
      ExpectClose(got, want, 1e-12, Method::kInverseDynamics, seed);
      EXPECT_TRUE(batch.ForwardDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, got.data(), nullptr, s));
      EXPECT_TRUE(plain.ForwardDynamics(c, r.q.data(), r.v.data(), r.x.data(), 5, want.data(), nullptr, s));
      ExpectClose(got, want, 1e-9, Method::kForwardDynamics, seed);
      batch.InverseDynamics(c, r.q.data(), nullptr, nullptr, 5, got.data(), s);
      plain.InverseDynamics(c, r.q.data(), nullptr, nullptr, 5, want.data(), s);
      ExpectClose(got, want, 1e-12, Method::kInverseDynamics, seed);
    }
  }
}

TEST_P(CompiledTest, SingularMassMatrixIsNamed) {
  Model model = oracle::RandomTree(3, {.max_joints = 5, .quaternion_joints = false, .planar_joints = false});
  for (Link& l : model.links) l.inertia.reset();
  const auto m = std::make_shared<const Prepared>(Prepare(model));
  Batch batch(m, kernels());
  ASSERT_TRUE(batch.Install(Compile(*m, kernels())));
  const Asked r = RandomRows(model, 3, 6);
  std::vector<double> a(6 * m->nv);
  std::vector<int> singular(6, -1);
  BatchScratch s;
  EXPECT_FALSE(batch.ForwardDynamics(Conditions(*m), r.q.data(), r.v.data(), r.x.data(), 6, a.data(), singular.data(), s));
  for (int k : singular) EXPECT_GE(k, 0);
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, CompiledTest, ::testing::ValuesIn(KernelIndices()),
                         [](const auto& tested) { return std::string(AvailableKernels()[tested.param]->name); });

}  // namespace
}  // namespace torqued::compile
