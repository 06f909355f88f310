#include "client/planning/explain.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "client/planning/diagnose.h"

namespace torqued {

absl::StatusOr<Explanation> ExplainAt(const TimedPath& timed, double t) {
  if (!timed.grid) return absl::FailedPreconditionError("the plan does not move: there is nothing to explain");
  if (!(t >= 0 && t <= timed.duration_s() * (1 + 1e-9)))
    return absl::InvalidArgumentError(absl::StrFormat("at: %g s, want 0 to %g", t, timed.duration_s()));
  const PathGrid& grid = *timed.grid;
  const TimingProblem& p = timed.problem;
  const PathState at = PathStateAt(timed, t);
  const int n = grid.intervals();
  const int i = std::clamp(static_cast<int>(std::upper_bound(grid.s.begin(), grid.s.end(), at.s) - grid.s.begin()) - 1, 0, n - 1);
  Explanation out;
  out.t = t;
  out.s = at.s;
  out.path_speed = at.speed.value;
  out.path_acceleration = at.acceleration.value;
  out.fastest = std::sqrt(std::max(timed.solution.high[i], 0.0));
  out.slowest = std::sqrt(std::max(timed.solution.low[i], 0.0));
  const AccelerationRange range = RangeAt(timed.stages, i, Square(at.speed));
  out.least_acceleration = range.low;
  out.most_acceleration = range.high;
  const std::vector<BindingSpan> spans = BindingSpans(grid, timed.solution, timed.joint_names);
  for (const BindingSpan& span : spans)
    if (at.s >= span.s_from && at.s <= span.s_to) out.binding = span.what;
  Eigen::VectorXd q(grid.joint_count()), v(q), a(q);
  JointMotionAt(*timed.path, at, q.data(), v.data(), a.data());
  const ColumnWeights w = WeightsAt(grid, i, at.s);
  const double x = Square(at.speed).value;
  out.text = absl::StrFormat("t = %.4f s, s = %.5g of %.5g: path speed %.5g (at most %.5g%s), acceleration %.5g (allowed %.5g to %.5g)\n"
                             "bound by: %s\n",
                             t, at.s, grid.s.back(), out.path_speed, out.fastest,
                             out.slowest > 0 && p.m.size() > 0 && !FrictionVaries(p.friction)
                                 ? absl::StrFormat(", at least %.5g: no stop here", out.slowest) : "",
                             out.path_acceleration, range.low, range.high, out.binding);
  for (int j = 0; j < grid.joint_count(); ++j) {
    JointExplanation e;
    e.name = timed.joint_names[j];
    e.q = q(j), e.v = v(j), e.a = a(j);
    e.limit = p.limits.torque(j);
    if (p.m.size() > 0) {
      for (int k = 0; k < w.count; ++k) {
        e.from_acceleration += w.weight[k] * p.m(j, w.first + k) * at.acceleration.value;
        e.from_speed += w.weight[k] * p.c(j, w.first + k) * x;
        e.gravity += w.weight[k] * p.g(j, w.first + k);
      }
      e.friction = FrictionAt(p.friction[j], v(j), at.speed.value > 0 ? DirectionOn(grid, i, j) : 0);
      e.torque = e.from_acceleration + e.from_speed + e.gravity + e.friction;
      out.text += absl::StrFormat("  %s: torque %.5g of %.5g = %.5g acceleration %+.5g speed %+.5g gravity %+.5g friction; v %.5g, a %.5g\n",
                                  e.name, e.torque, e.limit, e.from_acceleration, e.from_speed, e.gravity, e.friction, e.v, e.a);
    } else {
      out.text += absl::StrFormat("  %s: v %.5g, a %.5g\n", e.name, e.v, e.a);
    }
    out.joints.push_back(e);
  }
  return out;
}

absl::StatusOr<Moment> ExplainMoment(DynamicsSource& source, const Trajectory& trajectory, const MotionLimits& limits, double t) {
  const absl::StatusOr<RobotFacts> facts = source.Facts();
  if (!facts.ok()) return facts.status();
  TrajectorySample at;
  SampleAt(trajectory, t, at);
  const int n = trajectory.joint_count();
  // Two columns of m = M q', c = M q'' + C q', g: with q' = v, q'' = a, and with q' = a.
  Eigen::MatrixXd q(n, 2), dq(n, 2), ddq(n, 2);
  q << at.q, at.q;
  dq << at.v, at.a;
  ddq << at.a, Eigen::VectorXd::Zero(n);
  const absl::StatusOr<PathCoefficients> k = source.PathDynamics(q, dq, ddq);
  if (!k.ok()) return k.status();
  // Drives that share joints share their friction too: it is what the full torque has more.
  const absl::StatusOr<TorqueAnswer> full = source.InverseDynamics(at.q, at.v, at.a);
  if (!full.ok()) return full.status();
  if (k->revision != facts->revision)
    return absl::AbortedError(absl::StrFormat("model revision changed from %s to %s while the motion was explained", facts->revision, k->revision));
  Moment out;
  out.t = t;
  for (int j = 0; j < n; ++j) {
    JointExplanation e;
    e.name = trajectory.joint_names[j];
    e.q = at.q(j), e.v = at.v(j), e.a = at.a(j);
    e.limit = limits.torque(j);
    e.from_acceleration = k->m(j, 1);
    e.from_speed = k->c(j, 0) - k->m(j, 1);
    e.gravity = k->g(j, 0);
    e.torque = full->tau(j, 0);
    e.friction = e.torque - e.from_acceleration - e.from_speed - e.gravity;
    const struct { const char* what; double value, limit; } used[] = {{"torque", e.torque, e.limit},
                                                                      {"speed", e.v, limits.velocity(j)},
                                                                      {"acceleration", e.a, limits.acceleration(j)}};
    for (const auto& u : used) {
      const double share = std::isfinite(u.limit) ? std::abs(u.value) / u.limit : 0;
      if (share <= out.nearest_share) continue;
      out.nearest_share = share;
      out.nearest = absl::StrFormat("%s of %s", u.what, e.name);
    }
    out.joints.push_back(std::move(e));
  }
  return out;
}

}  // namespace torqued
