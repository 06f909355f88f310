#include "client/planning/stop_table.h"

#include <algorithm>
#include <cmath>

#include "client/planning/interval_motion.h"

namespace torqued {
namespace {

// Direction of motion at a point: of the interval that starts there (the last: that ends there).
int DirectionAt(const TimedPath& timed, int point, int joint) {
  return DirectionOn(*timed.grid, std::min(point, timed.grid->intervals() - 1), joint);
}

}  // namespace

PathAcceleration StopTable::BrakeAt(double at_s, PathSpeed v) const {
  const int n = static_cast<int>(s.size()) - 1;
  if (n < 1) return PathAcceleration(0);
  const int i = std::clamp(static_cast<int>(std::upper_bound(s.begin(), s.end(), at_s) - s.begin()) - 1, 0, n - 1);
  const double r = std::clamp((at_s - s[i]) / (s[i + 1] - s[i]), 0.0, 1.0), x_now = Square(v).value;
  const auto at = [&](int point) {
    if (!(x[point] > 0)) return brake[point * kSpeeds];
    const double place = std::clamp(x_now / x[point], 0.0, 1.0) * (kSpeeds - 1);
    const int k = std::min(static_cast<int>(place), kSpeeds - 2);
    const double* b = &brake[point * kSpeeds + k];
    return b[0] + (place - k) * (b[1] - b[0]);
  };
  return PathAcceleration((1 - r) * at(i) + r * at(i + 1));
}

StopTable BuildStopTable(const TimedPath& timed) {
  StopTable table;
  if (!timed.grid) return table;
  const PathGrid& grid = *timed.grid;
  const int n = grid.intervals();
  table.s = grid.s;
  table.x = timed.solution.x;
  table.brake.resize((n + 1) * StopTable::kSpeeds);
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < StopTable::kSpeeds; ++k) {
      const PathSpeedSq x(table.x[i] * k / (StopTable::kSpeeds - 1));
      table.brake[i * StopTable::kSpeeds + k] = RangeAt(timed.stages, std::min(i, n - 1), x).low;
    }
  table.stop_s.resize(n + 1);
  table.stop_time_s.resize(n + 1);
  table.possible.resize(n + 1);
  for (int i = 0; i <= n; ++i) {
    double x = table.x[i], t = 0, end = grid.s[i];
    table.possible[i] = x == 0 || (i < n && RangeAt(timed.stages, i, PathSpeedSq(x)).low < 0);
    for (int k = i; k < n && x > 0; ++k) {
      const double ds = grid.s[k + 1] - grid.s[k];
      // Never slower to brake than the plan itself, which ends at rest or at its end.
      const double planned = (table.x[k + 1] - table.x[k]) / (2 * ds);
      const double u = std::min(RangeAt(timed.stages, k, PathSpeedSq(x)).low, x >= table.x[k] ? planned : HUGE_VAL);
      const double limited = std::min(u, (table.x[k + 1] - x) / (2 * ds));
      const double next = x + 2 * ds * limited;
      if (next <= 0) {
        end = grid.s[k] - x / (2 * limited);
        t += std::sqrt(x) / -limited;
        x = 0;
        break;
      }
      t += 2 * ds / (std::sqrt(x) + std::sqrt(next));
      x = next;
      end = grid.s[k + 1];
    }
    table.stop_s[i] = end;
    table.stop_time_s[i] = t;
  }
  return table;
}

Trajectory StopOnPath(const TimedPath& timed, const StopTable& table, double t, double cycle_s) {
  Trajectory out;
  out.joint_names = timed.joint_names;
  std::vector<PathState> states;
  PathState at = PathStateAt(timed, t);
  const double length = timed.path->length();
  // At most as many cycles as the whole plan has, and some for the ramp.
  const int most = static_cast<int>(2 * timed.duration_s() / cycle_s) + 1000;
  while (static_cast<int>(states.size()) < most && at.speed.value > 0 && at.s < length) {
    at.acceleration = table.BrakeAt(at.s, at.speed);
    states.push_back(at);
    const double v = at.speed.value, u = at.acceleration.value;
    const double h = u < 0 ? std::min(cycle_s, -v / u) : cycle_s;
    at.s = std::min(at.s + h * (v + 0.5 * h * u), length);
    at.speed.value = h < cycle_s ? 0 : std::max(v + h * u, 0.0);
  }
  at.speed.value = 0;
  at.acceleration.value = 0;
  states.push_back(at);
  const int joints = timed.path->joint_count(), n = static_cast<int>(states.size());
  out.q.resize(joints, n);
  out.v.resize(joints, n);
  out.a.resize(joints, n);
  for (int k = 0; k < n; ++k) {
    out.time_s.push_back(k * cycle_s);
    JointMotionAt(*timed.path, states[k], out.q.col(k).data(), out.v.col(k).data(), out.a.col(k).data());
  }
  return out;
}

double OverrideTorque::Worst(double* sigma) const {
  double best = std::abs(A), where = 0;
  const auto look = [&](double s) {
    if (std::abs(At(s)) > best) best = std::abs(At(s)), where = s;
  };
  look(1);
  if (C != 0) {
    const double vertex = -B / (2 * C);
    if (vertex > 0 && vertex < 1) look(vertex);
  }
  if (sigma) *sigma = where;
  return best;
}

OverrideTorque OverrideTorqueAt(const TimedPath& timed, int point, int joint) {
  const TimingProblem& p = timed.problem;
  const PathGrid& grid = *timed.grid;
  const int n = grid.intervals(), i = std::min(point, n - 1), column = point < n ? grid.right[point] : grid.left[n];
  const double x = timed.solution.x[point];
  const double u = timed.solution.u[i] + (point < n ? -1 : 1) * timed.solution.lean[i];
  const Friction& f = p.friction[joint];
  const double v = grid.dq(joint, column) * std::sqrt(x);
  const double viscous = f.viscous * v;
  return {p.g(joint, column) + FrictionAt(f, v, DirectionAt(timed, point, joint)) - viscous, viscous,
          p.m(joint, column) * u + p.c(joint, column) * x};
}

std::vector<OverrideCheck> CheckOverride(const TimedPath& timed) {
  std::vector<OverrideCheck> out;
  if (!timed.grid || timed.problem.m.size() == 0) return out;
  for (int j = 0; j < timed.grid->joint_count(); ++j) {
    OverrideCheck worst{j, 0, 0, 0};
    for (int i = 0; i <= timed.grid->intervals(); ++i) {
      double sigma = 0;
      const double ratio = OverrideTorqueAt(timed, i, j).Worst(&sigma) / timed.problem.limits.torque(j);
      if (ratio > worst.ratio) worst = {j, ratio, timed.grid->s[i], sigma};
    }
    out.push_back(worst);
  }
  return out;
}

RampRange OverrideRamp(const TimedPath& timed, int point, double sigma) {
  RampRange range{-HUGE_VAL, HUGE_VAL};
  const PathGrid& grid = *timed.grid;
  if (timed.problem.m.size() == 0) return range;
  const int column = point < grid.intervals() ? grid.right[point] : grid.left[point];
  const double speed = std::sqrt(timed.solution.x[point]);
  for (int j = 0; j < grid.joint_count(); ++j) {
    const double limit = timed.problem.limits.torque(j), a = timed.problem.m(j, column) * speed;
    if (std::isinf(limit) || a == 0) continue;
    const double tau = OverrideTorqueAt(timed, point, j).At(sigma);
    const double one = (limit - tau) / a, other = (-limit - tau) / a;
    range.low = std::max(range.low, std::min(one, other));
    range.high = std::min(range.high, std::max(one, other));
  }
  return range;
}

}  // namespace torqued
