// What do registration's steps buy? Operations and times of inverse dynamics with each step left out, and what compiling costs.
//
// usage: bench_preparation ROBOT.urdf|ROBOT.yaml...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "server/batch/batch.h"
#include "server/compile/compiler.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"

namespace torqued::bench {
namespace {

constexpr int kStates = 256, kRounds = 25;

// Median ns per state of the double template.
double TemplateTime(const Prepared& m) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<double> q(kStates * m.nq), v(kStates * m.nv), a(kStates * m.nv), tau(m.nv), rounds;
  for (auto* rows : {&q, &v, &a})
    for (double& x : *rows) x = uniform(random);
  Workspace<double> ws(m);
  const Conditions c(m);
  for (int r = 0; r < kRounds; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kStates; ++i) InverseDynamics(m, c, &q[i * m.nq], &v[i * m.nv], &a[i * m.nv], ws, tau.data());
    rounds.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kStates);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

int Operations(const Prepared& m, bool tidy) {
  compile::RecordLimits limits;
  limits.tidy = tidy;
  const compile::MadeProgram made = compile::Record(m, Conditions(m), Method::kInverseDynamics, limits);
  return made.ok ? made.program.body.OperationCount() : -1;
}

void Report(const std::string& path) {
  LoadOptions options;
  options.policy = Policy::kWarn;
  const absl::StatusOr<LoadedModel> loaded = LoadModelFile(path, options);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(loaded.status().message()).c_str());
    return;
  }
  const Prepared lumped = Prepare(loaded->model);
  const Prepared apart = Prepare(loaded->model, {.lump_fixed = false});
  const auto programs = compile::Compile(lumped, ActiveKernels());
  std::printf("| %s | %d | %d | %d | %d | %d | %.0f | %.0f | ", loaded->model.name.c_str(), lumped.body_count(),
              apart.body_count(), Operations(lumped, true), Operations(lumped, false), Operations(apart, true),
              TemplateTime(lumped), TemplateTime(apart));
  int instructions = 0;
  for (int k = 0; k < kMethodCount; ++k) instructions += programs->report(static_cast<Method>(k)).instructions;
  std::printf("%d | %.1f | %zu |\n", instructions, 1e3 * programs->compile_seconds(), programs->code_bytes() / 1024);
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  std::printf("| robot | bodies | with fixed links kept | operations | not tidied | fixed links kept | double ns | fixed links kept | "
              "instructions, all methods | compile ms | code KiB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (int i = 1; i < argc; ++i) torqued::bench::Report(argv[i]);
  return 0;
}
