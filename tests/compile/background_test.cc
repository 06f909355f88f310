// Robots are compiled behind the callers' backs, answers are right before, during and after, and there is a switch.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>

#include "server/compile/background.h"
#include "server/compile/executable_memory.h"
#include "server/core/tree/prepare.h"
#include "tests/compile/questions.h"

namespace torqued::compile {
namespace {

std::shared_ptr<Batch> MakeBatch(unsigned seed) {
  return std::make_shared<Batch>(
      std::make_shared<const Prepared>(Prepare(oracle::RandomTree(seed, {.max_joints = 7, .quaternion_joints = false}))));
}
bool Compiles() { return std::string(ActiveKernels().name) != "baseline"; }

TEST(BackgroundCompiler, InstallsWhatWasSubmitted) {
  BackgroundCompiler compiler;
  std::vector<std::shared_ptr<Batch>> batches;
  for (unsigned seed = 1; seed <= 8; ++seed) compiler.Submit(batches.emplace_back(MakeBatch(seed)));
  compiler.Wait();
  EXPECT_EQ(compiler.compiled_count(), 8);
  EXPECT_GT(compiler.compile_seconds(), 0);
  for (const auto& b : batches) {
    EXPECT_EQ(b->KernelName(Method::kInverseDynamics), std::string(ActiveKernels().name) + (Compiles() ? " compiled" : " template"));
    EXPECT_EQ(b->InstructionCount(Method::kInverseDynamics) > 0, Compiles());
  }
}

TEST(BackgroundCompiler, TheSwitchLeavesTheTemplate) {
  BackgroundCompiler compiler(false);
  const auto batch = MakeBatch(1);
  compiler.Submit(batch);
  compiler.Wait();
  EXPECT_EQ(batch->KernelName(Method::kInverseDynamics), std::string(ActiveKernels().name) + " template");
  EXPECT_EQ(batch->InstructionCount(Method::kInverseDynamics), 0);
}

TEST(BackgroundCompiler, PassesOverWhatNobodyHolds) {
  BackgroundCompiler compiler;
  for (unsigned seed = 1; seed <= 4; ++seed) compiler.Submit(MakeBatch(seed));
  compiler.Wait();
  SUCCEED();
}

TEST(BackgroundCompiler, AnswersAreRightWhileItInstalls) {
  for (unsigned seed = 21; seed <= 26; ++seed) {
    const auto batch = MakeBatch(seed);
    const Prepared& m = batch->model();
    std::mt19937_64 random(seed);
    std::vector<double> q(m.nq), v(m.nv), a(m.nv), want(m.nv);
    std::uniform_real_distribution<double> uniform(-2, 2);
    for (auto* rows : {&q, &v, &a})
      for (double& x : *rows) x = uniform(random);
    BatchScratch scratch;
    batch->InverseDynamics(Conditions(m), q.data(), v.data(), a.data(), 1, want.data(), scratch);
    double scale = 1;
    for (double w : want) scale = std::max(scale, std::abs(w));

    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::thread caller([&] {
      BatchScratch own;
      std::vector<double> got(m.nv);
      for (int after = 0; after < 50; after += done.load()) {
        batch->InverseDynamics(Conditions(m), q.data(), v.data(), a.data(), 1, got.data(), own);
        for (int k = 0; k < m.nv; ++k) wrong += !(std::abs(got[k] - want[k]) <= 1e-12 * scale);
      }
    });
    {
      BackgroundCompiler compiler;
      compiler.Submit(batch);
      compiler.Wait();
    }
    done = true;
    caller.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ExecutableMemory, IsNeverWritableAndExecutable) {
  const std::vector<std::uint8_t> code(100, 0xc3);
  const auto memory = ExecutableMemory::Make({&code, &code});
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->piece(1)) % 64, 0u);
  std::ifstream maps("/proc/self/maps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    char rights[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    EXPECT_FALSE(rights[1] == 'w' && rights[2] == 'x') << line;
    const auto at = reinterpret_cast<std::uintptr_t>(memory->piece(0));
    if (begin <= at && at < end) {
      found = true;
      EXPECT_EQ(std::string(rights), "r-xp");
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace torqued::compile
