#include "client/planning/time_optimal.h"

#include <algorithm>
#include <cmath>

#include "client/planning/interval_motion.h"

namespace torqued {
namespace {

constexpr double kStraight = 0.6;  // how much the slope of u may change, relative to itself, to be followed

struct Active {
  double gap;    // width of the u-range at x; negative: empty
  double slope;  // of the active pair: gap(y) <= gap + slope (y - x) everywhere
  double zero;   // where that line is zero, from the pair itself: as exact near 0 as it is far from x
  double size;   // magnitude of the numbers involved
  int upper, lower;  // rows; -1, -2: reaching K of the next point
};

// Rows of interval i, and x + 2 ds u inside [next_low, next_high].
struct Stage {
  const Row *upper, *upper_end, *lower, *lower_end;
  double next_low, next_high, inverse_2ds;

  Active At(double x) const {
    double high = (next_high - x) * inverse_2ds, low = (next_low - x) * inverse_2ds;
    double high_h = next_high * inverse_2ds, low_h = next_low * inverse_2ds, high_b = inverse_2ds, low_b = inverse_2ds;
    int high_at = -1, low_at = -1;
    for (const Row* r = upper; r != upper_end; ++r) {
      const double u = r->h - r->b * x;
      if (u < high) high = u, high_h = r->h, high_b = r->b, high_at = static_cast<int>(r - upper);
    }
    for (const Row* r = lower; r != lower_end; ++r) {
      const double u = r->h - r->b * x;
      if (u > low) low = u, low_h = r->h, low_b = r->b, low_at = static_cast<int>(r - lower);
    }
    return {high - low, low_b - high_b, (high_h - low_h) / (high_b - low_b), std::abs(high) + std::abs(low), high_at, low_at};
  }
};

// The largest (smallest) x in [low, high] with an admissible u; NaN if there is none. `last` is the pair that was active.
double Largest(const Stage& stage, double low, double high, double relax, Active& last) {
  double x = high;
  for (int step = 0; step < 64; ++step) {
    last = stage.At(x);
    if (last.gap >= -(1e-13 + relax) * last.size) return x;
    if (!(last.slope < 0)) return NAN;
    const double next = last.zero;
    if (next >= x) return x;  // the step is below rounding
    if (next < low) {
      if (x == low) return NAN;
      x = low;
      continue;
    }
    x = next;
  }
  return NAN;
}

double Smallest(const Stage& stage, double low, double high, double relax, Active& last) {
  double x = low;
  for (int step = 0; step < 64; ++step) {
    last = stage.At(x);
    if (last.gap >= -(1e-13 + relax) * last.size) return x;
    if (!(last.slope > 0)) return NAN;
    const double next = last.zero;
    if (next <= x) return x;
    if (next > high) {
      if (x == high) return NAN;
      x = high;
      continue;
    }
    x = next;
  }
  return NAN;
}

Stage StageOf(const Stages& s, int i, double next_low, double next_high, double ds) {
  return {s.upper.data() + s.upper_begin[i], s.upper.data() + s.upper_begin[i + 1], s.lower.data() + s.lower_begin[i],
          s.lower.data() + s.lower_begin[i + 1], next_low, next_high, 1 / (2 * ds)};
}

}  // namespace

AccelerationRange RangeAt(const Stages& s, int i, PathSpeedSq x) {
  AccelerationRange range{-HUGE_VAL, HUGE_VAL, {}, {}};
  for (int r = s.upper_begin[i]; r < s.upper_begin[i + 1]; ++r) {
    const double u = s.upper[r].h - s.upper[r].b * x.value;
    if (u < range.high) range.high = u, range.high_origin = s.upper_origin[r];
  }
  for (int r = s.lower_begin[i]; r < s.lower_begin[i + 1]; ++r) {
    const double u = s.lower[r].h - s.lower[r].b * x.value;
    if (u > range.low) range.low = u, range.low_origin = s.lower_origin[r];
  }
  return range;
}

bool TimeOptimalSolver::Backward(const PathGrid& grid, const SolveOptions& options) {
  const int n = grid.intervals();
  TimingSolution& out = solution_;
  out.low.resize(n + 1);
  out.high.resize(n + 1);
  const double end = Square(options.end).value;
  const auto fail = [&](int at, RowOrigin upper, RowOrigin lower) {
    out.failed_at = at;
    out.conflict_upper = upper;
    out.conflict_lower = lower;
    return false;
  };
  if (end > stages_.high[n] * (1 + 1e-12)) return fail(n, stages_.high_origin[n], {});
  out.low[n] = out.high[n] = std::min(end, stages_.high[n]);
  for (int i = n - 1; i >= 0; --i) {
    const Stage stage = StageOf(stages_, i, out.low[i + 1], out.high[i + 1], grid.s[i + 1] - grid.s[i]);
    const auto origin = [&](int row, bool upper) {
      if (row < 0) return RowOrigin{LimitKind::kEnd, -1, 0};
      return upper ? stages_.upper_origin[stages_.upper_begin[i] + row] : stages_.lower_origin[stages_.lower_begin[i] + row];
    };
    if (stages_.high[i] < stages_.low[i]) return fail(i, stages_.high_origin[i], {});
    Active active{};
    const double high = Largest(stage, stages_.low[i], stages_.high[i], options.relax, active);
    if (std::isnan(high)) return fail(i, origin(active.upper, true), origin(active.lower, false));
    const double low = Smallest(stage, stages_.low[i], high, options.relax, active);
    out.high[i] = high;
    out.low[i] = std::isnan(low) ? high : low;
  }
  const double start = Square(options.start).value;
  const double slack = (1e-9 + options.relax) * std::max(out.high[0], start);
  if (start < out.low[0] - slack) return fail(0, {LimitKind::kEnd, -1, 0}, {LimitKind::kEnd, -1, 0});
  if (start > out.high[0] + slack) return fail(0, stages_.high_origin[0], {});
  return true;
}

bool TimeOptimalSolver::Forward(const TimingProblem& problem, const SolveOptions& options) {
  const PathGrid& grid = *problem.grid;
  const int n = grid.intervals();
  TimingSolution& out = solution_;
  out.lean.assign(n, 0);
  out.x.resize(n + 1);
  out.u.resize(n);
  out.binding.resize(n);
  out.x[0] = std::clamp(Square(options.start).value, out.low[0], out.high[0]);
  out.duration_s = 0;
  for (int i = 0; i < n; ++i) {
    const double ds = grid.s[i + 1] - grid.s[i], x = out.x[i];
    const Stage stage = StageOf(stages_, i, out.low[i + 1], out.high[i + 1], ds);
    const Active active = stage.At(x);
    double u;
    if (active.upper >= 0) {
      const Row& row = stage.upper[active.upper];
      u = row.h - row.b * x;
      out.binding[i] = stages_.upper_origin[stages_.upper_begin[i] + active.upper];
    } else {
      u = (out.high[i + 1] - x) * stage.inverse_2ds;
      // K of the next point holds u down: because of a cap there, or because of what comes after.
      const bool cap = out.high[i + 1] >= stages_.high[i + 1];
      out.binding[i] = cap ? stages_.high_origin[i + 1] : RowOrigin{LimitKind::kEnd, -1, 0};
    }
    double next = x + 2 * ds * u;
    next = std::clamp(next, out.low[i + 1], out.high[i + 1]);
    if (!(next + x > 0)) {  // it cannot get under way
      out.failed_at = i;
      const AccelerationRange range = RangeAt(stages_, i, PathSpeedSq(x));
      out.conflict_upper = range.high_origin;
      out.conflict_lower = range.low_origin;
      return false;
    }
    out.x[i + 1] = next;
    out.u[i] = (next - x) / (2 * ds);
    if (!problem.lean.empty()) out.lean[i] = problem.lean[i];
    out.duration_s += IntervalMotion(ds, x, out.u[i], out.lean[i]).duration();
  }
  // Braking is bound by the rows that stop u from being smaller.
  for (int i = 0; i < n; ++i) {
    if (out.binding[i].kind != LimitKind::kEnd) continue;
    const AccelerationRange range = RangeAt(stages_, i, PathSpeedSq(out.x[i]));
    const double width = std::abs(range.low) + std::abs(out.u[i]);
    if (out.u[i] - range.low <= 1e-3 * width) out.binding[i] = range.low_origin;
  }
  return true;
}

void TimeOptimalSolver::Pass(const TimingProblem& problem, const SolveOptions& options) {
  BuildStages(problem, window_, stages_);
  solution_.failed_at = -1;
  ++solution_.passes;
  solution_.feasible = stages_.x_scale > 0 && Backward(*problem.grid, options) && Forward(problem, options);
}

const TimingSolution& TimeOptimalSolver::SolveOnce(const TimingProblem& problem, const SolveOptions& options) {
  solution_.passes = 0;
  window_.viscous = false;
  Pass(problem, options);
  return solution_;
}

namespace {

void TorqueExcess(const TimingProblem& p, const TimingSolution& solution, double scale, Eigen::MatrixXd& excess) {
  const PathGrid& grid = *p.grid;
  const int n = grid.intervals(), joints = grid.joint_count();
  if (p.m.size() == 0) return;
  for (int i = 0; i < n; ++i) {
    const double ds = grid.s[i + 1] - grid.s[i];
    const ColumnWeights middle = WeightsAt(grid, i, 0.5 * (grid.s[i] + grid.s[i + 1]));
    for (int part = 0; part < 3; ++part) {
      ColumnWeights w = middle;
      double x = solution.x[i], u = solution.u[i] + (part - 1) * solution.lean[i];
      if (part == 1) {
        x += (solution.u[i] - 0.5 * solution.lean[i]) * ds;
      } else {
        w.count = 1;
        w.first = part == 0 ? grid.right[i] : grid.left[i + 1];
        w.weight[0] = 1;
        if (part == 2) x = solution.x[i + 1];
      }
      x = std::max(x, 0.0) * scale * scale;
      u *= scale * scale;
      const double speed = std::sqrt(x);
      for (int j = 0; j < joints; ++j) {
        const double limit = p.limits.torque(j) * p.torque_factor;
        if (std::isinf(limit)) continue;
        double tau = 0, rate = 0;
        for (int k = 0; k < w.count; ++k) {
          const int column = w.first + k;
          tau += w.weight[k] * (p.m(j, column) * u + p.c(j, column) * x + p.g(j, column));
          rate += w.weight[k] * grid.dq(j, column);
        }
        tau += FrictionAt(p.friction[j], rate * speed, DirectionOn(grid, i, j));
        excess(j, i) = std::max(excess(j, i), std::abs(tau) / limit - 1);
      }
    }
  }
}

void AccelerationExcess(const TimingProblem& p, const TimingSolution& solution, Eigen::MatrixXd& excess,
                        Eigen::MatrixXd& tool_excess) {
  const PathGrid& grid = *p.grid;
  for (int i = 0; i < grid.intervals(); ++i) {
    const double u = solution.u[i], x = solution.x[i] + (u - 0.5 * solution.lean[i]) * (grid.s[i + 1] - grid.s[i]);
    for (int j = 0; j < grid.joint_count(); ++j) {
      const double a = grid.middle_dq(j, i) * u + grid.middle_ddq(j, i) * std::max(x, 0.0);
      excess(j, i) = std::max(0.0, std::abs(a) / p.limits.acceleration(j) - 1);
    }
    if (p.tool.acceleration > 0) {
      const Eigen::Vector3d a = p.tool.middle_dp.col(i) * u + p.tool.middle_ddp.col(i) * std::max(x, 0.0);
      tool_excess(0, i) = std::max(0.0, a.norm() / p.tool.acceleration - 1);
    }
  }
}

}  // namespace

void MeasureExcess(const TimingProblem& p, const TimingSolution& solution, double scale, Tightening& excess) {
  const int n = p.grid->intervals();
  excess.torque.setZero(p.grid->joint_count(), n);
  excess.acceleration.setZero(p.grid->joint_count(), n);
  excess.tool.setZero(1, n);
  excess.speed.setZero(1, n);
  TorqueExcess(p, solution, scale, excess.torque);
  AccelerationExcess(p, solution, excess.acceleration, excess.tool);
}

void TimeOptimalSolver::Linearise(const TimingSolution& at, double tangent_factor, double span, bool from_zero) {
  const int points = static_cast<int>(at.x.size());
  const double top = *std::max_element(at.x.begin(), at.x.end());
  window_.tangent.resize(points);
  window_.low.resize(points);
  window_.high.resize(points);
  for (int i = 0; i < points; ++i) {
    window_.tangent[i] = std::max(at.x[i] * tangent_factor, 1e-6 * top);
    window_.low[i] = from_zero ? 0 : at.x[i] / span;
    window_.high[i] = at.x[i] * span;
  }
  window_.viscous = true;
}

// The slope of u where it is locally straight; zero at switches, at chatter, and where an end is nearly at rest.
void TimeOptimalSolver::Lean(const PathGrid& grid, std::vector<double>& lean) const {
  const int n = grid.intervals();
  const std::vector<double>&u = solution_.u, &x = solution_.x;
  lean.assign(n, 0);
  for (int i = 0; i < n; ++i) {
    const auto inside = [&](int k) { return k >= 0 && k < n && grid.section[k] == grid.section[i]; };
    const auto length = [&](int k) { return grid.s[k + 1] - grid.s[k]; };
    // Of u from the middle of interval k to the middle of the next.
    const auto slope = [&](int k) { return 2 * (u[k + 1] - u[k]) / (length(k) + length(k + 1)); };
    const int a = inside(i - 1) ? i - 1 : i, b = inside(i + 1) ? i + 1 : i;
    if (a == b) continue;
    const double mean = 2 * (u[b] - u[a]) / (length(a) + length(b) + (b - a == 2 ? 2 * length(i) : 0));
    bool straight = true;
    // Neighbouring slopes of u must be alike: a switch is steep in one place only.
    for (int k = a - 1; k <= b && straight; ++k)
      if (inside(k - 1) && inside(k) && inside(k + 1)) straight = std::abs(slope(k) - slope(k - 1)) <= kStraight * std::abs(mean);
    if (!straight) continue;
    const double ds = length(i), value = 0.5 * ds * mean;
    if (IntervalMotion::Allows(ds, x[i], u[i], value)) lean[i] = value;
  }
}

const TimingSolution& TimeOptimalSolver::Solve(TimingProblem& problem, const SolveOptions& options) {
  problem.lean.clear();
  SolveOnce(problem, options);
  if (!solution_.feasible) {
    // Constant u costs margin of first order: where that makes the difference, lean as the relaxed solution does.
    problem.start_only = true;
    TimingSolution strict = solution_;
    Pass(problem, options);
    problem.start_only = false;
    if (solution_.feasible) {
      Lean(*problem.grid, problem.lean);
      Pass(problem, options);
    }
    if (!solution_.feasible) {
      problem.lean.clear();
      solution_ = std::move(strict);
      return solution_;
    }
  }
  const auto again = [&](double tangent_factor, double span, bool from_zero) {
    kept_ = solution_;
    if (FrictionVaries(problem.friction)) Linearise(kept_, tangent_factor, span, from_zero);
    Lean(*problem.grid, problem.lean);
    Pass(problem, options);
    if (solution_.feasible) return true;
    std::swap(solution_, kept_);
    solution_.passes = kept_.passes;
    problem.lean = solution_.lean;
    return false;
  };
  if (!FrictionVaries(problem.friction)) {
    again(1, 1, false);
    return solution_;
  }
  // The first speeds ignore viscous friction: linearise lower until the rows admit a solution.
  bool found = false;
  for (double factor : {1.0, 0.25, 0.04, 0.005}) {
    found = again(factor, 4, true);
    if (found) break;
  }
  if (!found) {
    solution_.feasible = false;
    solution_.failed_at = kept_.failed_at;
    solution_.conflict_upper = kept_.conflict_upper;
    solution_.conflict_lower = kept_.conflict_lower;
    return solution_;
  }
  for (double span : {2.0, 1.25, 1.06}) {
    const double before = solution_.duration_s;
    if (!again(1, span, false) || solution_.duration_s > before * (1 - 1e-4)) break;
  }
  return solution_;
}

}  // namespace torqued
