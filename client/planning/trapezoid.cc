// Trapezoids, and several axes that arrive together.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/planning/profile.h"

namespace torqued {
namespace {

void AddAcceleration(Profile& out, double duration, double a) {
  const AxisState from = out.End();
  Profile::Piece piece;
  piece.duration = duration;
  piece.c = {from.p, from.v, a / 2};
  out.AddPiece(piece);
}

}  // namespace

absl::StatusOr<Profile> TrapezoidProfile(const AxisState& start, const AxisState& goal, const AxisLimits& limits) {
  for (double x : {start.p, start.v, goal.p, goal.v})
    if (!std::isfinite(x)) return absl::InvalidArgumentError("trapezoid: start or goal is not finite, want numbers");
  const double V = limits.velocity, A = limits.acceleration;
  if (!(V > 0)) return absl::InvalidArgumentError(absl::StrCat("velocity limit: ", V, ", want more than 0"));
  if (!(A > 0) || std::isinf(A))
    return absl::InvalidArgumentError(absl::StrCat("acceleration limit: ", A, ", want a number more than 0"));
  if (std::abs(goal.v) > V) return absl::InvalidArgumentError(absl::StrCat("goal velocity: ", goal.v, ", want at most ", V));
  Profile out({start.p, start.v, 0, 0});
  out.SetGoal({goal.p, goal.v, 0, 0});
  double v = start.v, d = goal.p - start.p;
  const double w = goal.v;
  if (std::abs(v) > V) {
    const double t = (std::abs(v) - V) / A, sign = v > 0 ? 1 : -1;
    AddAcceleration(out, t, -sign * A);
    d -= sign * t * 0.5 * (std::abs(v) + V);
    v = sign * V;
  }
  // Straight to the goal's speed: short of the goal, go up first; beyond it, down first.
  const double turn = std::abs(w - v) / A * 0.5 * (v + w);
  if (d == turn) {
    AddAcceleration(out, std::abs(w - v) / A, w > v ? A : -A);
    return out;
  }
  const double sign = d > turn ? 1 : -1;
  const double vs = sign * v, ws = sign * w, ds = sign * d;
  double peak = std::sqrt(std::max(A * ds + 0.5 * (vs * vs + ws * ws), 0.0)), cruise = 0;
  if (peak > V) {
    peak = V;
    cruise = (ds - (2 * V * V - vs * vs - ws * ws) / (2 * A)) / V;
  }
  peak = std::max({peak, vs, ws});
  AddAcceleration(out, (peak - vs) / A, sign * A);
  AddAcceleration(out, cruise, 0);
  AddAcceleration(out, (peak - ws) / A, -sign * A);
  return out;
}

absl::StatusOr<std::vector<Profile>> SynchronisedSCurves(const std::vector<AxisState>& start,
                                                         const std::vector<AxisState>& goal,
                                                         const std::vector<AxisLimits>& limits) {
  const size_t n = start.size();
  if (goal.size() != n || limits.size() != n)
    return absl::InvalidArgumentError(
        absl::StrCat("axes: ", n, " starts, ", goal.size(), " goals, ", limits.size(), " limits, want the same number"));
  double duration = 0, longest_search = 0;
  std::vector<Profile> out;
  for (size_t k = 0; k < n; ++k) {
    absl::StatusOr<Profile> p = SCurveProfile(start[k], goal[k], limits[k]);
    if (!p.ok()) return absl::Status(p.status().code(), absl::StrCat("axis ", k, ": ", p.status().message()));
    duration = std::max(duration, p->duration());
    longest_search += p->duration();
    out.push_back(*std::move(p));
  }
  // Axes that start in motion may have to skip some durations: the next later one is tried.
  for (double T = duration; T <= 4 * longest_search + duration; T += 0.02 * duration) {
    bool all = true;
    std::vector<Profile> at_once;
    for (size_t k = 0; k < n && all; ++k) {
      const bool rests = start[k].p == goal[k].p && start[k].v == 0 && start[k].a == 0 && goal[k].v == 0;
      if (rests || (T == duration && out[k].duration() >= duration * (1 - 1e-12))) {
        at_once.push_back(out[k]);
        continue;
      }
      absl::StatusOr<Profile> p = SCurveWithDuration(start[k], goal[k], limits[k], T);
      if (!p.ok() && p.status().code() != absl::StatusCode::kNotFound) return p.status();
      all = p.ok();
      if (all) at_once.push_back(*std::move(p));
    }
    if (all) return at_once;
    if (duration == 0) break;
  }
  return absl::FailedPreconditionError("axes in motion cannot arrive together");
}

}  // namespace torqued
