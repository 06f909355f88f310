// How fast can a path be run? Two passes over linear stages: which x can still end well, then as fast as that allows.
//
// Backward: K_i = [low, high], the x = sdot^2 at point i from which some u reaches K_(i+1). For fixed x the admissible u are
// an interval whose width is concave and piecewise linear in x; its zero is found by Newton steps on the active pair of rows,
// which is exact after a few steps and needs no linear programming. K may have a lower bound above zero: a place that can be
// passed but not held. Forward: from x_0 the largest u that stays inside K. Duration: interval_motion.h, which is
// 2 ds / (sqrt(x_i) + sqrt(x_i+1)) where u does not lean.
//
// Source of the two passes: Pham and Pham 2018, "A new approach to time-optimal path parameterization based on reachability
// analysis"; departures: no LP solver, u leans within an interval, friction rows are linearised, both as stages.h says and
// passed again until they are tight.
#pragma once

#include <vector>

#include "client/planning/stages.h"
#include "client/planning/units.h"

namespace torqued {

struct TimingSolution {
  bool feasible = false;
  double duration_s = 0;
  std::vector<double> x;         // sdot^2 per point
  std::vector<double> u;         // mean sddot per interval
  std::vector<double> lean;      // sddot at the end of the interval minus u (and u minus sddot at its start)
  std::vector<double> low, high;  // K per point
  std::vector<RowOrigin> binding;  // per interval: what keeps u from being larger
  int passes = 0;
  // Where feasible is false: the first interval (from the end) without any admissible x, or 0 where the start speed is not in K.
  int failed_at = -1;
  RowOrigin conflict_upper, conflict_lower;
};

struct SolveOptions {
  PathSpeed start{0}, end{0};
  double relax = 0;  // relative slack in every row (a rung of the fallback ladder)
};

// Holds all scratch: after the first call for a grid of that size nothing is allocated inside the passes.
class TimeOptimalSolver {
 public:
  // All passes. problem.lean is set by the solver. REQUIRES: a grid with >= 2 intervals.
  const TimingSolution& Solve(TimingProblem& problem, const SolveOptions& options);

  // One build, one pass backward and one forward, without the part of friction that depends on speed.
  const TimingSolution& SolveOnce(const TimingProblem& problem, const SolveOptions& options);

  // Rows of the last solve: what the stop table and explanations read.
  const Stages& stages() const { return stages_; }

 private:
  bool Backward(const PathGrid& grid, const SolveOptions& options);
  bool Forward(const TimingProblem& problem, const SolveOptions& options);
  void Pass(const TimingProblem& problem, const SolveOptions& options);
  void Linearise(const TimingSolution& at, double tangent_factor, double span, bool from_zero);
  void Lean(const PathGrid& grid, std::vector<double>& lean) const;

  Stages stages_;
  FrictionWindow window_;
  TimingSolution solution_, kept_;
};

// The range of u that rows of interval i allow at x, without regard to what comes after.
struct AccelerationRange {
  double low = 0, high = 0;
  RowOrigin low_origin, high_origin;
};
AccelerationRange RangeAt(const Stages& stages, int interval, PathSpeedSq x);

// By which part limits are passed within intervals (0: not at all), with the motion run at `scale` of its speed (rounding to cycles
// slows it a little): torques at both ends and half-way, from interpolated coefficients; accelerations of joints and tool
// half-way, from the path itself. Speeds are left to the rows: zero.
void MeasureExcess(const TimingProblem& problem, const TimingSolution& solution, double scale, Tightening& excess);

}  // namespace torqued
