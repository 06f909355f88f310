// How long does a time-optimal plan take: the solver alone, and the whole plan with dynamics in this process?
//
// usage: bench_planning [INTERVALS]     (random 6-joint arms and paths of the property test; default 500 intervals)
// Published to compare with: toppra's C++ solver, 0.85 ms for 6 joints at 500 points with velocity, acceleration and torque limits.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "client/planning/timing_problem.h"
#include "tests/planning/random_arms.h"

namespace torqued::bench {
namespace {

constexpr int kRounds = 21;

template <class Work>
double BestMs(const Work& work) {
  double best = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

struct Times {
  std::vector<double> once, solve, points, plan;
};

double Median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

void Measure(const test::RandomCase& c, int intervals, Times& times) {
  auto source = test::Local(c.model, c.options);
  const RobotFacts facts = source->Facts().value();
  const MotionLimits limits = ScaledLimits(facts, {}).value();
  TimingOptions options;
  options.intervals = intervals;
  const auto motion = TimePath(*source, c.path, options);
  if (!motion.ok() || motion->timed.rung != Rung::kGrid) return;
  std::shared_ptr<const PathGrid> grid;
  TimingProblem problem;
  if (!AskTimingProblem(*source, *c.path, facts, limits, options, intervals, grid, problem).ok()) return;
  TimeOptimalSolver solver;
  const double once = BestMs([&] { solver.SolveOnce(problem, {}); });
  const double solve = BestMs([&] { solver.Solve(problem, {}); });
  times.once.push_back(once);
  times.solve.push_back(solve);
  times.points.push_back(grid->intervals() + 1);
  times.plan.push_back(BestMs([&] { (void)TimePath(*source, c.path, options); }));
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  const int intervals = argc > 1 ? std::atoi(argv[1]) : 500;
  if (intervals < 2 || intervals > 100000) {
    std::fprintf(stderr, "INTERVALS: %s, want 2 to 100000\n", argv[1]);
    return 2;
  }
  const char* names[] = {"none", "dry", "dry and viscous"};
  std::printf("| friction | plans | points | one pass ms | solver ms | whole plan ms |\n|---|--:|--:|--:|--:|--:|\n");
  for (int friction = 0; friction < 3; ++friction) {
    torqued::bench::Times times;
    for (int seed = 1; times.once.size() < 12 && seed < 1000; ++seed) {
      const torqued::test::RandomCase c = torqued::test::DrawCase(seed);
      const std::string wanted = ": 6 joints, friction " + std::to_string(friction);
      if (c.what.find(wanted) != std::string::npos) torqued::bench::Measure(c, intervals, times);
    }
    using torqued::bench::Median;
    std::printf("| %s | %zu | %.0f | %.3f | %.3f | %.2f |\n", names[friction], times.once.size(), Median(times.points),
                Median(times.once), Median(times.solve), Median(times.plan));
  }
  return 0;
}
