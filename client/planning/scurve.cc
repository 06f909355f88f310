// Time-optimal moves of one axis under limits of velocity, acceleration and jerk, from any state.
//
// In units where A = J = 1. A *turn* from (v, a) to (w, 0) is the fastest change of speed: jerk d, hold, jerk -d. If the direct
// turn to the goal's speed ends short of the goal, the move must go further first: jerk +1 until a = a1, hold for t2, then
// the turn; larger (a1, t2) end further. They grow until the speed limit is just reached; beyond that the cruise grows, which is
// linear. So one number is sought, by a bracketed root: no list of cases, none to miss, continuous in everything. (If the direct
// turn ends beyond the goal, mirror.) Only for a goal that moves against the way to it the distance may rise, fall and rise
// again with that number: there the first crossing is looked for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "client/planning/profile.h"

namespace torqued {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Steps {  // jerks and their durations
  double jerk[12], time[12];
  int count = 0;
  void Add(double t, double j) {
    if (t > 0) jerk[count] = j, time[count] = t, ++count;
  }
  double Duration() const {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += time[k];
    return sum;
  }
};

void Advance(AxisState& s, double t, double j) {
  s.p += t * (s.v + t * (s.a / 2 + t * j / 6));
  s.v += t * (s.a + t * j / 2);
  s.a += t * j;
}

// From (v, a), |a| <= 1, to (w, 0).
void AddTurn(double v, double a, double w, Steps& out) {
  const double rest = v + 0.5 * a * std::abs(a);  // the speed after bringing a to zero
  // Rounding in w must not become a detour of the root of it.
  if (std::abs(w - rest) <= 4e-15 * (std::abs(v) + std::abs(w) + a * a)) return out.Add(std::abs(a), a > 0 ? -1 : 1);
  const double d = w >= rest ? 1 : -1;
  const double need = d * (w - v), a_d = d * a;
  double peak = std::sqrt(std::max(need + 0.5 * a_d * a_d, 0.0)), hold = 0;
  if (peak > 1) peak = 1, hold = need + 0.5 * a_d * a_d - 1;
  out.Add(peak - a_d, d);
  out.Add(hold, 0);
  out.Add(peak, -d);
}

AxisState Run(AxisState s, const Steps& steps) {
  for (int k = 0; k < steps.count; ++k) Advance(s, steps.time[k], steps.jerk[k]);
  return s;
}

// Brings a within +-1 and makes sure that the speed can still be kept within V.
void AddReturn(AxisState& s, double V, Steps& out) {
  const auto step = [&](double t, double j) {
    if (!(t > 0)) return;
    out.Add(t, j);
    Advance(s, t, j);
  };
  if (std::abs(s.a) > 1) {
    step(std::abs(s.a) - 1, s.a > 0 ? -1 : 1);
    s.a = s.a > 0 ? 1 : -1;
  }
  const double d = s.v + 0.5 * s.a * std::abs(s.a) > V ? 1 : s.v + 0.5 * s.a * std::abs(s.a) < -V ? -1 : 0;
  if (d == 0) return;
  // In the direction of the excess: brake until easing off would end exactly at V.
  if (d * s.a > 0) step(d * s.a, -d);
  const double a = d * s.a, excess = d * s.v - 0.5 * a * a - V;  // a <= 0
  if (!(excess > 0)) return;
  // Lowering a to -b costs  (b^2 - a^2)/2 of speed on the way, and b^2/2 - a^2/2 more is then in the easing: b^2 - a^2 = excess.
  const double b = std::min(std::sqrt(excess + a * a), 1.0);
  step(b + a, -d);
  step(excess - (b * b - a * a), 0);
}

// The root of an f with f(lo) < 0 <= f(hi), by Chandrupatla's method (1997): bisection that interpolates where it may.
template <class F>
double Root(const F& f, double lo, double f_lo, double hi, double f_hi) {
  double a = hi, b = lo, fa = f_hi, fb = f_lo, c = a, fc = fa, t = 0.5;
  for (int k = 0; k < 120; ++k) {
    const double x = a + t * (b - a), fx = f(x);
    if ((fx < 0) == (fa < 0)) c = a, fc = fa;
    else c = b, b = a, fc = fb, fb = fa;
    a = x, fa = fx;
    const double m = std::abs(fa) < std::abs(fb) ? a : b;
    const double least = 2e-16 * std::abs(m) + 1e-300, part = least / std::abs(b - c);
    if (part > 0.5 || fa == 0 || !(std::abs(b - a) > least)) return std::abs(fa) < std::abs(fb) ? a : b;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    else
      t = 0.5;
    t = std::clamp(t, part, 1 - part);
  }
  return a;
}

// The first x in [lo, hi] where f, negative at lo, reaches zero; false if it does not. f may have a few bumps.
template <class F>
bool FirstCrossing(const F& f, double lo, double f_lo, double hi, double& x) {
  constexpr int kSteps = 24;
  double at[kSteps + 1], value[kSteps + 1];
  at[0] = lo, value[0] = f_lo;
  const auto found = [&](double a, double fa, double b, double fb) {
    x = Root(f, a, fa, b, fb);
    return true;
  };
  for (int k = 1; k <= kSteps; ++k) {
    const double part = static_cast<double>(k) / kSteps;
    at[k] = lo + (hi - lo) * part * part * part;  // bumps are small near lo
    value[k] = f(at[k]);
    // A bump between samples: climb it by golden section.
    const int from = std::max(k - 2, 0);
    if (value[k - 1] >= value[from] && value[k - 1] >= value[k] && value[k - 1] < 0) {
      double a = at[from], b = at[k];
      const double golden = 0.6180339887498949;
      double c = b - golden * (b - a), d = a + golden * (b - a), fc = f(c), fd = f(d);
      for (int i = 0; i < 40; ++i) {
        if (fc >= 0) return found(at[from], value[from], c, fc);
        if (fd >= 0) return found(at[from], value[from], d, fd);
        if (fc > fd) b = d, d = c, fd = fc, c = b - golden * (b - a), fc = f(c);
        else a = c, c = d, fc = fd, d = a + golden * (b - a), fd = f(d);
      }
    }
    if (value[k] >= 0) return found(at[k - 1], value[k - 1], at[k], value[k]);
  }
  return false;
}

// Jerk +1 until a1, hold t2, turn to w.
Steps Further(const AxisState& s, double a1, double t2, double w) {
  Steps out;
  out.Add(a1 - s.a, 1);
  out.Add(t2, 0);
  const double v = s.v + 0.5 * (a1 * a1 - s.a * s.a) + t2 * a1;
  AddTurn(v, a1, w, out);
  return out;
}

// s within the limits, goal (D, w, 0), V the speed limit. Appends to out. D is known to within `rounding`: a moving goal that is
// met within it needs no loop.
void AddMove(AxisState s, double D, double w, double V, double rounding, Steps& out) {
  s.p = 0;
  Steps direct;
  AddTurn(s.v, s.a, w, direct);
  const double reach = Run(s, direct).p;
  const double sign = D >= reach ? 1 : -1;
  if (sign < 0) s.v = -s.v, s.a = -s.a, w = -w, D = -D;
  const auto append = [&](const Steps& steps) {
    for (int k = 0; k < steps.count; ++k) out.Add(steps.time[k], sign * steps.jerk[k]);
  };
  const double slack = w == 0 ? 0 : rounding + 2e-12 * (std::abs(D) + std::abs(reach));
  if (std::abs(D - sign * reach) <= slack) {
    Steps turn;
    AddTurn(s.v, s.a, w, turn);
    append(turn);
    return;
  }
  const auto miss = [&](double a1, double t2) { return Run(s, Further(s, a1, t2, w)).p - D; };

  const double f_0 = sign * reach - D;
  if (w < 0) {
    const double upper = std::max(std::min(1.0, std::sqrt(std::isinf(V) ? 1 : std::max(V - s.v + 0.5 * s.a * s.a, 0.0))), s.a);
    double a1 = 0;
    if (FirstCrossing([&](double a) { return miss(a, 0); }, s.a, f_0, upper, a1)) {
      append(Further(s, a1, 0, w));
      return;
    }
    const double longest = std::isinf(V) ? 0 : std::max(V - s.v + 0.5 * s.a * s.a - 1, 0.0);
    double t2 = 0;
    if (upper == 1 && longest > 0 &&
        FirstCrossing([&](double t) { return miss(1, t); }, 0, miss(1, 0), longest, t2)) {
      append(Further(s, 1, t2, w));
      return;
    }
  }

  // First a1 grows from a to the most that keeps the later peak speed within V.
  const double room = std::isinf(V) ? kInfinity : std::max(V - s.v + 0.5 * s.a * s.a, 0.0);
  const double most = std::max(std::min(1.0, std::sqrt(room)), s.a);
  const double at_most = miss(most, 0);
  if (at_most >= 0) {
    const double a1 = most > s.a ? Root([&](double a) { return miss(a, 0); }, s.a, f_0, most, at_most) : most;
    append(Further(s, a1, 0, w));
    return;
  }
  // Then the hold grows.
  double hold = std::isinf(V) ? 1 : std::max(room - 1, 0.0);
  if (most < 1) hold = 0;
  double at_hold = hold > 0 ? miss(most, hold) : at_most;
  if (std::isinf(V))
    while (at_hold < 0) at_hold = miss(most, hold *= 2);
  if (hold > 0 && at_hold >= 0) {
    const double t2 = Root([&](double t) { return miss(most, t); }, 0, at_most, hold, at_hold);
    append(Further(s, most, t2, w));
    return;
  }
  // Then the cruise: up to V, along, and on to w.
  Steps up, down;
  up.Add(most - s.a, 1);
  up.Add(hold, 0);
  up.Add(std::max(most, 0.0), -1);
  AddTurn(V, 0, w, down);
  AxisState peak = Run(s, up);
  peak.v = V, peak.a = 0;
  const double left = D - Run(peak, down).p;
  up.Add(std::max(left, 0.0) / V, 0);
  for (int k = 0; k < down.count; ++k) up.Add(down.time[k], down.jerk[k]);
  append(up);
}

struct Units {
  double time, length;  // T = A / J, L = A^3 / J^2
  double speed() const { return length / time; }
};

absl::Status Check(const AxisState& start, const AxisState& goal, const AxisLimits& limits) {
  for (double x : {start.p, start.v, start.a, goal.p, goal.v})
    if (!std::isfinite(x)) return absl::InvalidArgumentError("S-curve: start or goal is not finite, want numbers");
  if (!(limits.velocity > 0)) return absl::InvalidArgumentError(absl::StrCat("velocity limit: ", limits.velocity, ", want more than 0"));
  if (!(limits.acceleration > 0) || std::isinf(limits.acceleration))
    return absl::InvalidArgumentError(absl::StrCat("acceleration limit: ", limits.acceleration, ", want a number more than 0"));
  if (!(limits.jerk > 0)) return absl::InvalidArgumentError(absl::StrCat("jerk limit: ", limits.jerk, ", want more than 0"));
  if (std::abs(goal.v) > limits.velocity)
    return absl::InvalidArgumentError(absl::StrCat("goal velocity: ", goal.v, ", want at most ", limits.velocity));
  return absl::OkStatus();
}

Profile FromSteps(const AxisState& start, const AxisState& goal, const Steps& steps, const Units& unit) {
  Profile out(start);
  const double jerk = unit.length / (unit.time * unit.time * unit.time);
  for (int k = 0; k < steps.count; ++k) out.AddJerk(steps.time[k] * unit.time, steps.jerk[k] * jerk);
  out.SetGoal({goal.p, goal.v, 0, 0});
  return out;
}

AxisState Normal(const AxisState& s, const Units& unit) {
  return {0, s.v / unit.speed(), s.a * unit.time * unit.time / unit.length, 0};
}

}  // namespace

absl::StatusOr<Profile> SCurveProfile(const AxisState& start, const AxisState& goal, const AxisLimits& limits) {
  if (absl::Status s = Check(start, goal, limits); !s.ok()) return s;
  if (std::isinf(limits.jerk)) return TrapezoidProfile(start, goal, limits);
  const double A = limits.acceleration, J = limits.jerk;
  const Units unit{A / J, A * A * A / (J * J)};
  Steps steps;
  AxisState s = Normal(start, unit);
  const double V = limits.velocity / unit.speed(), w = goal.v / unit.speed();
  AddReturn(s, V, steps);
  const double rounding = 4e-16 * (std::abs(goal.p) + std::abs(start.p)) / unit.length;
  AddMove(s, (goal.p - start.p) / unit.length - s.p, w, V, rounding, steps);
  return FromSteps(start, goal, steps, unit);
}

absl::StatusOr<Profile> StopProfile(const AxisState& start, const AxisLimits& limits) {
  if (absl::Status s = Check(start, {start.p, 0, 0, 0}, limits); !s.ok()) return s;
  Profile out(start);
  if (std::isinf(limits.jerk)) {
    Profile::Piece piece;
    piece.duration = std::abs(start.v) / limits.acceleration;
    piece.c = {start.p, start.v, (start.v > 0 ? -0.5 : 0.5) * limits.acceleration};
    out.AddPiece(piece);
  } else {
    const Units unit{limits.acceleration / limits.jerk,
                     limits.acceleration * limits.acceleration * limits.acceleration / (limits.jerk * limits.jerk)};
    Steps steps;
    AxisState s = Normal(start, unit);
    AddReturn(s, kInfinity, steps);
    AddTurn(s.v, s.a, 0, steps);
    out = FromSteps(start, start, steps, unit);
  }
  out.SetGoal({out.End().p, 0, 0, 0});
  return out;
}

absl::StatusOr<Profile> SCurveWithDuration(const AxisState& start, const AxisState& goal, const AxisLimits& limits,
                                           double duration) {
  absl::StatusOr<Profile> fastest = SCurveProfile(start, goal, limits);
  if (!fastest.ok()) return fastest;
  if (duration <= fastest->duration() * (1 + 1e-12)) return fastest;
  if (std::isinf(limits.jerk)) return absl::InvalidArgumentError("jerk limit: want a number to arrive at a given time");
  const double A = limits.acceleration, J = limits.jerk;
  const Units unit{A / J, A * A * A / (J * J)};
  Steps back;
  AxisState s = Normal(start, unit);
  AddReturn(s, limits.velocity / unit.speed(), back);
  const double T = duration / unit.time - back.Duration();
  const double D = (goal.p - start.p) / unit.length - s.p, w = goal.v / unit.speed();
  const double V = std::isinf(limits.velocity) ? 2 * fastest->Peaks().v / unit.speed() + 1 : limits.velocity / unit.speed();
  AxisState from = s;
  from.p = 0;
  // Turn to the cruise speed c, cruise for what is left of T, turn to w: the end as a function of c.
  const auto through = [&](double c, Steps& steps) {
    steps.count = 0;
    Steps second;
    AddTurn(from.v, from.a, c, steps);
    AddTurn(c, 0, w, second);
    const double cruise = T - steps.Duration() - second.Duration();
    steps.Add(cruise, 0);
    for (int k = 0; k < second.count; ++k) steps.Add(second.time[k], second.jerk[k]);
    return cruise;
  };
  Steps steps;
  const auto miss = [&](double c) {
    through(c, steps);
    return Run(from, steps).p - D;
  };
  // The cruise speeds with time left form an interval around the speeds of start and goal; its ends by bisection.
  const double inner = std::clamp(from.v + 0.5 * from.a * std::abs(from.a), -V, V);
  if (!(through(inner, steps) >= 0))
    return absl::NotFoundError("S-curve: no cruise speed arrives at the given time");
  const auto end_of = [&](double outer) {
    if (through(outer, steps) >= 0) return outer;
    double in = inner, out = outer;
    for (int k = 0; k < 100 && in != out; ++k) {
      const double mid = 0.5 * (in + out);
      if (mid == in || mid == out) break;
      (through(mid, steps) >= 0 ? in : out) = mid;
    }
    return in;
  };
  double lo = end_of(-V), hi = end_of(V);
  const double f_lo = miss(lo), f_hi = miss(hi);
  const double slack = 1e-9 * (std::abs(D) + std::abs(f_lo) + std::abs(f_hi));
  double c;
  if (f_lo < 0 && f_hi >= 0) c = Root(miss, lo, f_lo, hi, f_hi);
  else if (std::abs(f_hi) <= slack) c = hi;
  else if (std::abs(f_lo) <= slack) c = lo;
  else return absl::NotFoundError("S-curve: no cruise speed arrives at the given time");
  if (through(c, steps) < -1e-12 * T) return absl::NotFoundError("S-curve: no cruise speed arrives at the given time");
  Steps all = back;
  for (int k = 0; k < steps.count; ++k) all.Add(steps.time[k], steps.jerk[k]);
  return FromSteps(start, goal, all, unit);
}

}  // namespace torqued
