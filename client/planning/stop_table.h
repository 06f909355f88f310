// How does the robot stop on its path, from anywhere? And how far may its speed be overridden? From the plan's own coefficients:
// no server is asked.
//
// Stop table: for each grid point and for five speeds up to the planned one, the strongest braking that keeps every torque. The
// bound is convex in x = sdot^2, so that reading between the five values brakes a little less, never more, than allowed.
//
// Override sigma in [0, 1] runs the same path at sigma times the planned speed; per joint
//     tau(sigma) = A + B sigma + C sigma^2,  A = g + dry friction, B = viscous friction, C = m u + c x.
// Between 0 and 1 the extreme may lie at the vertex -B / 2C. Ramps add m sdot dsigma/dt, which the torque left bounds.
#pragma once

#include <string>
#include <vector>

#include "client/planning/path_timing.h"

namespace torqued {

struct StopTable {
  static constexpr int kSpeeds = 5;  // x = planned x times 0, 1/4, 1/2, 3/4, 1
  std::vector<double> s;             // grid points
  std::vector<double> x;             // planned sdot^2
  std::vector<double> brake;         // [point * kSpeeds + k]: smallest admissible sddot (negative: braking)
  std::vector<double> stop_s;        // where the fastest stop from the planned speed ends; the path's end at the latest
  std::vector<double> stop_time_s;   // how long it takes
  std::vector<char> possible;        // false: no braking is admissible here; the stop begins further on

  // Smallest admissible sddot at s with speed v [allocation-free, logarithmic in the points].
  PathAcceleration BrakeAt(double at_s, PathSpeed v) const;
};

// Empty for a path of no length.
StopTable BuildStopTable(const TimedPath& timed);

// Samples of the fastest stop on the path from the plan's state at time t. Ends at rest on the path.
Trajectory StopOnPath(const TimedPath& timed, const StopTable& table, double t, double cycle_s);

struct OverrideTorque {
  double A = 0, B = 0, C = 0;  // [Nm] or [N]
  double At(double sigma) const { return A + sigma * (B + sigma * C); }
  // Largest |tau| for sigma in [0, 1], and where.
  double Worst(double* sigma) const;
};
// REQUIRES: a plan with torque coefficients; 0 <= point < grid points.
OverrideTorque OverrideTorqueAt(const TimedPath& timed, int point, int joint);

// For each joint: the largest ratio of torque to limit over all points and sigma in [0, 1], and at which.
struct OverrideCheck {
  int joint = 0;
  double ratio = 0, s = 0, sigma = 0;
};
std::vector<OverrideCheck> CheckOverride(const TimedPath& timed);

// Admissible d sigma / dt [1/s] at a grid point and override: what the torque left allows. low <= high; low > 0 or high < 0 say that
// the override cannot be held there.
struct RampRange {
  double low = 0, high = 0;
};
RampRange OverrideRamp(const TimedPath& timed, int point, double sigma);

}  // namespace torqued
