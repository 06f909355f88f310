// Which accelerations u does each interval of a path allow at a given squared speed x? Linear rows, made from coefficients.
//
// On interval i the path acceleration runs from u - lean to u + lean, linear in s, so x_end = x + 2 ds u. The lean is known
// before: zero in a first pass, then the slope that u was seen to have, which makes the scheme of second order. Every limit
// holds at both ends (holding it at points only breaks it by percents in between):
//   torque        |m (u -+ lean) + c x + g + friction| <= T,   at the start, and at the end with x_end for x
//   acceleration  |q' (u -+ lean) + q'' x| <= A                likewise
//   tool          |p' u + p'' x| <= a_tool           as a polygon of 16 sides inside the circle
//   speed         |q'| sqrt(x) <= V                  a cap on x at the points, and a row for x half-way
// Friction of joint j moving with sign d: d F(|q'| sqrt(x)), F = viscous v + level(v) s(v). sqrt(x) is replaced by what keeps
// the row linear and safe: the tangent at a known x where it loads the limit, the chord over the window [x_low, x_high]
// where it relieves it. The window is enforced. Rows are then  u <= h - b x  and  u >= h - b x.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "client/planning/dynamics_source.h"
#include "client/planning/grid.h"
#include "client/planning/limits.h"

namespace torqued {

enum class LimitKind : std::uint8_t {
  kNone, kTorque, kAcceleration, kVelocity, kToolSpeed, kToolAcceleration, kStop, kWindow, kSpeedCap, kEnd
};

struct RowOrigin {
  LimitKind kind = LimitKind::kNone;
  std::int16_t joint = -1;
  std::int8_t sign = 0;  // +1: the upper limit binds
};

struct Row {
  double h, b;
};

// Speeds to stay under along s, besides the joints' own: e.g. a slower second line of a blended pair.
struct SpeedCap {
  double s_from = 0, s_to = 0;
  double path_speed = 0;  // [unit of s per s]
};

// The tool's path derivatives at each column of the grid, and its limits. Empty matrices: no tool limits.
struct ToolMotion {
  Eigen::Matrix3Xd dp, ddp;                // derivatives of the tool point by s [m], [m]
  Eigen::Matrix3Xd middle_dp, middle_ddp;  // half-way along each interval
  double speed = 0;          // [m/s]; 0: none
  double acceleration = 0;   // [m/s^2]; 0: none
};

// Where the last pass was: friction is linearised there.
struct FrictionWindow {
  bool viscous = false;  // false: the part that depends on speed is left out
  std::vector<double> tangent, low, high;  // per grid point, values of x
};

// Parts of limits that are not to be used, per interval: rows are joints (tool, speed: one row). 0 x 0: none.
struct Tightening {
  Eigen::MatrixXd torque, acceleration, tool, speed;  // speed: of sdot^2
};

struct TimingProblem {
  const PathGrid* grid = nullptr;
  Eigen::MatrixXd m, c, g;  // per column; 0 x 0: no torque rows
  MotionLimits limits;
  std::vector<Friction> friction;
  ToolMotion tool;
  std::vector<SpeedCap> caps;
  double torque_factor = 1;       // all torque limits times this
  Tightening tighten;
  std::vector<double> lean;       // per interval; empty: zero
  bool rest_start = false, rest_end = false;  // it stands still there: gravity must be held, dry friction may be anything
  bool start_only = false;        // rows at the starts of intervals only: a relaxation, for the lower bound
};

struct Stages {
  std::vector<int> upper_begin, lower_begin;  // per interval, one past the end at the back
  std::vector<Row> upper, lower;
  std::vector<RowOrigin> upper_origin, lower_origin;
  std::vector<double> low, high;              // per grid point: bounds on x
  std::vector<RowOrigin> high_origin;
  double x_scale = 0, u_scale = 0;            // natural sizes of x and u for this problem
  std::vector<double> largest_m, largest_rate;  // per joint, along the grid: |m|, |q'|
  double largest_tool_rate = 0;               // |p'|
};

// Reuses the capacity of `out`: no allocation after the first call for a grid.
void BuildStages(const TimingProblem& problem, const FrictionWindow& window, Stages& out);

// True where friction of any joint depends on speed beyond its sign.
bool FrictionVaries(const std::vector<Friction>& friction);

// Friction torque of a joint that moves at v, with the direction given (for v = 0).
double FrictionAt(const Friction& f, double v, int direction);

// Direction in which joint j moves on interval i: -1, 0, 1 (0: it does not move).
int DirectionOn(const PathGrid& grid, int interval, int joint);

}  // namespace torqued
