#include "client/planning/diagnose.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/planning/interval_motion.h"

namespace torqued {
namespace {

// The first point that no admissible acceleration leads beyond, running as fast as the rows allow; -1 if the end is reached.
int FirstStall(const PathGrid& grid, const Stages& stages, PathSpeed start, RowOrigin& cause) {
  const int last = grid.intervals();
  for (int end : {0, last})
    if (stages.high[end] < 0) {  // not even standing still
      cause = stages.high_origin[end];
      return end;
    }
  double x = std::min(Square(start).value, stages.high[0]);
  for (int i = 0; i < grid.intervals(); ++i) {
    const double ds = grid.s[i + 1] - grid.s[i];
    const AccelerationRange range = RangeAt(stages, i, PathSpeedSq(x));
    cause = range.high_origin;
    const double u = std::min(range.high, (stages.high[i + 1] - x) / (2 * ds));
    const double next = x + 2 * ds * u;
    if (range.high < range.low || next < stages.low[i + 1] || !(next + x > 0)) return i;
    x = next;
  }
  return -1;
}

double LimitOf(const TimingProblem& p, RowOrigin origin) {
  if (origin.joint < 0) return 0;
  switch (origin.kind) {
    case LimitKind::kTorque: return p.limits.torque(origin.joint);
    case LimitKind::kAcceleration: return p.limits.acceleration(origin.joint);
    case LimitKind::kVelocity: return p.limits.velocity(origin.joint);
    default: return 0;
  }
}

}  // namespace

const char* LimitName(LimitKind kind) {
  switch (kind) {
    case LimitKind::kNone: return "none";
    case LimitKind::kTorque: return "torque";
    case LimitKind::kAcceleration: return "acceleration";
    case LimitKind::kVelocity: return "velocity";
    case LimitKind::kToolSpeed: return "tool speed";
    case LimitKind::kToolAcceleration: return "tool acceleration";
    case LimitKind::kStop: return "stop";
    case LimitKind::kWindow: return "friction window";
    case LimitKind::kSpeedCap: return "speed cap";
    case LimitKind::kEnd: return "what follows";
  }
  return "none";
}

Infeasibility Diagnose(TimingProblem problem, const SolveOptions& options, const std::vector<std::string>& joint_names) {
  const PathGrid& grid = *problem.grid;
  TimeOptimalSolver solver;
  const TimingSolution& solution = solver.SolveOnce(problem, options);
  RowOrigin cause;
  int place = FirstStall(grid, solver.stages(), options.start, cause);
  if (place < 0) {
    place = std::clamp(solution.failed_at, 0, grid.intervals());
    cause = solution.conflict_upper.joint >= 0 ? solution.conflict_upper : solution.conflict_lower;
  }
  Infeasibility why;
  why.s = grid.s[place];
  why.share = why.s / grid.s.back();
  const Eigen::VectorXd q = grid.q.col(grid.right[place]);
  why.q.assign(q.data(), q.data() + q.size());
  if (cause.joint >= 0) why.joint = joint_names[cause.joint];
  why.limit_kind = LimitName(cause.kind);
  why.limit = LimitOf(problem, cause);

  const auto works = [&](double factor) {
    problem.torque_factor = factor;
    problem.tighten = {};
    return solver.Solve(problem, options).feasible;
  };
  if (problem.m.size() > 0) {
    double hi = 1;
    while (hi < 1e4 && !works(hi)) hi *= 2;
    if (hi < 1e4) {
      double lo = std::max(1.0, hi / 2);
      for (int step = 0; step < 24 && hi - lo > 1e-5 * hi; ++step) {
        const double mid = 0.5 * (lo + hi);
        (works(mid) ? hi : lo) = mid;
      }
      why.smallest_factor = hi;
      why.needed = cause.kind == LimitKind::kTorque ? hi * why.limit : 0;
    }
  }
  return why;
}

TimingSolution UniformTiming(const TimingProblem& problem, const Stages& stages) {
  const PathGrid& grid = *problem.grid;
  const int n = grid.intervals();
  TimingSolution out;
  out.x.assign(n + 1, 0);
  std::vector<double> stops = {grid.s.front()};
  for (int i = 1; i < n; ++i)
    if (grid.must_stop[i]) stops.push_back(grid.s[i]);
  stops.push_back(grid.s.back());
  size_t leg = 0;
  for (int i = 1; i < n; ++i) {
    while (grid.s[i] > stops[leg + 1]) ++leg;
    out.x[i] = std::min(grid.s[i] - stops[leg], stops[leg + 1] - grid.s[i]);
  }
  double alpha = HUGE_VAL;
  const auto bound = [&](double shape, double h) {  // alpha shape <= h
    if (shape > 0) alpha = std::min(alpha, h / shape);
    else if (h < 0) alpha = -1;
  };
  for (int i = 0; i < n; ++i) {
    const double u = (out.x[i + 1] - out.x[i]) / (2 * (grid.s[i + 1] - grid.s[i]));
    for (int r = stages.upper_begin[i]; r < stages.upper_begin[i + 1]; ++r)
      bound(u + stages.upper[r].b * out.x[i], stages.upper[r].h);
    for (int r = stages.lower_begin[i]; r < stages.lower_begin[i + 1]; ++r)
      bound(-u - stages.lower[r].b * out.x[i], -stages.lower[r].h);
  }
  for (int i = 0; i <= n; ++i) bound(out.x[i], stages.high[i]);
  out.feasible = alpha > 0 && std::isfinite(alpha);
  if (!out.feasible) return out;
  out.u.resize(n);
  out.lean.assign(n, 0);
  out.binding.assign(n, RowOrigin{});
  for (double& x : out.x) x *= alpha;
  for (int i = 0; i < n; ++i) {
    const double ds = grid.s[i + 1] - grid.s[i];
    out.u[i] = (out.x[i + 1] - out.x[i]) / (2 * ds);
    out.duration_s += IntervalMotion(ds, out.x[i], out.u[i], 0).duration();
  }
  out.low.assign(n + 1, 0);
  out.high = out.x;
  return out;
}

std::vector<NotHoldable> FindNotHoldable(const TimingProblem& p) {
  std::vector<NotHoldable> out;
  if (p.g.size() == 0) return out;
  const PathGrid& grid = *p.grid;
  for (int j = 0; j < grid.joint_count(); ++j) {
    bool inside = false;
    for (int i = 0; i <= grid.intervals(); ++i) {
      const bool heavy = std::abs(p.g(j, grid.right[i])) > p.limits.torque(j);
      if (heavy && !inside) out.push_back({grid.s[i], grid.s[i], j});
      if (heavy) out.back().s_to = grid.s[i];
      inside = heavy;
    }
  }
  return out;
}

std::vector<BindingSpan> BindingSpans(const PathGrid& grid, const TimingSolution& solution,
                                      const std::vector<std::string>& joint_names) {
  std::vector<BindingSpan> spans;
  for (int i = 0; i < grid.intervals(); ++i) {
    const RowOrigin origin = solution.binding[i];
    std::string what = LimitName(origin.kind);
    if (origin.joint >= 0) absl::StrAppend(&what, " ", joint_names[origin.joint]);
    if (origin.joint >= 0 && origin.kind != LimitKind::kVelocity) absl::StrAppend(&what, origin.sign > 0 ? " +" : " -");
    if (!spans.empty() && spans.back().what == what)
      spans.back().s_to = grid.s[i + 1];
    else
      spans.push_back({grid.s[i], grid.s[i + 1], std::move(what)});
  }
  return spans;
}

}  // namespace torqued
