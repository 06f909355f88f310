// Which kernel answers how fast, beside other libraries, on the same states, in one run?
//
// usage: bench_kernels [--rounds N] [--csv] ROBOT.urdf|ROBOT.yaml[:floating]...
// Every contender of a question answers the same 1024 random states; a round goes through all contenders in turn, so that
// whatever else the machine does falls on all of them. Told: the best round and the median of all, per state; ratios are
// those of the best rounds (a busy machine interrupts long passes more often than short ones). Answers are compared with the double template before anything is timed. Rotors, friction and
// springs are left out of the robots, since not all contenders know them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "server/batch/instruction_set.h"
#include "server/core/tree/prepare.h"
#include "server/robots/load.h"
#include "tests/bench/contender.h"

namespace torqued::bench {

const char* NameOf(Question q) {
  switch (q) {
    case Question::kInverseDynamics: return "inverse dynamics";
    case Question::kMassMatrix: return "mass matrix";
    case Question::kForwardDynamics: return "forward dynamics";
    case Question::kJacobian: return "Jacobian";
    case Question::kPathDynamics: return "path dynamics";
    case Question::kGravity: return "gravity";
  }
  return "";
}

int WidthOf(Question q, int nv) {
  switch (q) {
    case Question::kMassMatrix: return nv * nv;
    case Question::kJacobian: return 6 * nv;
    case Question::kPathDynamics: return 3 * nv;
    default: return nv;
  }
}

namespace {

Robot Load(std::string path) {
  LoadOptions options;
  options.policy = Policy::kWarn;
  const std::string floating = ":floating";
  if (path.size() > floating.size() && path.ends_with(floating)) {
    options.base = BaseOption::kFloating;
    path.resize(path.size() - floating.size());
  }
  const absl::StatusOr<LoadedModel> loaded = LoadModelFile(path, options);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(loaded.status().message()).c_str());
    std::exit(5);
  }
  Robot r;
  r.model = loaded->model;
  r.name = r.model.name;
  r.model.rotors.clear();
  r.model.point_springs.clear();
  r.model.coordinate_springs.clear();
  for (Coordinate& c : r.model.coordinates) c.friction = {};
  if (r.model.FindLink(r.model.tool_frame) < 0) r.model.tool_frame = r.model.links.back().name;
  r.prepared = std::make_shared<const Prepared>(Prepare(r.model));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> angle(-3, 3), rate(-2, 2);
  const int nq = r.model.nq, nv = r.model.nv;
  for (int i = 0; i < kStates * nq; ++i) r.q.push_back(angle(random));
  for (int i = 0; i < kStates * nv; ++i) r.v.push_back(rate(random)), r.x.push_back(rate(random));
  for (int i = 0; i < kStates; ++i)
    for (const Coordinate& c : r.model.coordinates)
      if (c.kind == JointKind::kFloating || c.kind == JointKind::kSpherical)
        Eigen::Map<Eigen::Vector4d>(&r.q[i * nq + c.q_index + PositionCount(c.kind) - 4]).normalize();
  return r;
}

struct Timed {
  Contender contender;
  std::vector<double> ns;  // per state, per round
  double Best() const { return *std::min_element(ns.begin(), ns.end()); }
  double Median() const {
    std::vector<double> sorted = ns;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    return sorted[sorted.size() / 2];
  }
};

std::vector<Contender> AllContenders(const Robot& r, Question q) {
  std::vector<Contender> all = OurContenders(r, q);
  for (auto make : {KdlContenders, MujocoContenders, DartContenders})
    for (Contender& c : make(r, q)) all.push_back(std::move(c));
  return all;
}

void Measure(const Robot& r, Question q, int rounds, bool csv) {
  std::vector<Timed> timed;
  const size_t size = static_cast<size_t>(kStates) * WidthOf(q, r.model.nv);
  std::vector<double> want(size), got(size);
  for (Contender& c : AllContenders(r, q)) {
    std::vector<double>& rows = timed.empty() ? want : got;
    std::fill(rows.begin(), rows.end(), 0.0);
    c.pass(rows.data());
    double scale = 1e-300, worst = 0;
    for (double w : want) scale = std::max(scale, std::abs(w));
    for (size_t k = 0; k < size && !timed.empty(); ++k) worst = std::max(worst, std::abs(got[k] - want[k]) / scale);
    if (!(worst <= c.tolerance))
      std::fprintf(stderr, "%s, %s: %s differs from %s by %.2g of the largest value\n", r.name.c_str(), NameOf(q),
                   c.name.c_str(), timed.front().contender.name.c_str(), worst);
    timed.push_back({std::move(c), {}});
  }
  for (int round = 0; round < rounds; ++round)
    for (Timed& t : timed) {
      const auto start = std::chrono::steady_clock::now();
      t.contender.pass(got.data());
      t.ns.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kStates);
    }
  const double unit = timed.front().Best();
  for (const Timed& t : timed) {
    if (csv)
      std::printf("%s,%d,%s,%s,%.1f,%.1f,%.4f\n", r.name.c_str(), r.model.nv, NameOf(q), t.contender.name.c_str(), t.Best(),
                  t.Median(), t.Best() / unit);
    else
      std::printf("| %s (%d) | %s | %s | %.1f | %.1f | %.3f |\n", r.name.c_str(), r.model.nv, NameOf(q),
                  t.contender.name.c_str(), t.Best(), t.Median(), t.Best() / unit);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  int rounds = 31;
  bool csv = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--rounds") && i + 1 < argc) rounds = std::max(1, std::atoi(argv[++i]));
    else if (!std::strcmp(argv[i], "--csv")) csv = true;
    else paths.push_back(argv[i]);
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: bench_kernels [--rounds N] [--csv] ROBOT.urdf|ROBOT.yaml[:floating]...\n");
    return 5;
  }
  if (!csv) std::printf("| robot (v) | question | kernel | best ns | median ns | of double |\n|---|---|---|--:|--:|--:|\n");
  for (const std::string& path : paths) {
    const torqued::bench::Robot robot = torqued::bench::Load(path);
    for (torqued::bench::Question q : torqued::bench::kQuestions) torqued::bench::Measure(robot, q, rounds, csv);
  }
  return 0;
}
