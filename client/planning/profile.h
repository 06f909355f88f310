// How does one axis get from here to there in time? Piecewise polynomials: cubic, quintic, septic, trapezoid, S-curve.
//
// All are continuous in their inputs and scale with them: multiplying lengths by L and times by T multiplies p by L, v by L/T...
// The state at the end is the goal exactly. Trapezoid and S-curve are time-optimal for their limits.
#pragma once

#include <array>
#include <vector>

#include "absl/status/statusor.h"

namespace torqued {

struct AxisState {
  double p = 0;  // [rad] or [m]
  double v = 0;
  double a = 0;
  double j = 0;  // jerk; an output only
};

// Infinity: no such limit. All symmetric.
struct AxisLimits {
  double velocity = 0;
  double acceleration = 0;
  double jerk = 0;
};

class Profile {
 public:
  static constexpr int kMaxPieces = 16;

  struct Piece {
    double duration = 0;
    std::array<double, 8> c{};  // p(t) = sum c[k] t^k, t from the piece's start
  };

  explicit Profile(const AxisState& start) : start_(start), goal_(start) {}

  double duration() const { return duration_; }
  const AxisState& start() const { return start_; }
  const AxisState& goal() const { return goal_; }
  int piece_count() const { return count_; }
  const Piece& piece(int k) const { return pieces_[k]; }

  // Clamped to [0, duration]; at the end exactly the goal.
  AxisState At(double t) const;
  // Largest |v|, |a|, |j| over all pieces (of polynomials up to degree 7, by dense evaluation for degree above 3).
  AxisState Peaks() const;

  // For builders: appends constant jerk from the current end. Pieces without duration are dropped.
  void AddJerk(double duration, double jerk);
  void AddPiece(const Piece& piece);
  void SetGoal(const AxisState& goal) { goal_ = goal; }
  AxisState End() const;  // where the pieces lead, before rounding to the goal

 private:
  AxisState start_, goal_;
  std::array<Piece, kMaxPieces> pieces_;
  int count_ = 0;
  double duration_ = 0;
};

enum class PolynomialKind { kCubic, kQuintic, kSeptic };

// One polynomial over `duration` [s]: cubic meets p and v at both ends, quintic a too (0 at the goal), septic jerk 0 too.
// duration 0 is answered only where start and goal agree. INVALID_ARGUMENT.
absl::StatusOr<Profile> PolynomialProfile(PolynomialKind kind, const AxisState& start, const AxisState& goal, double duration);

// The shortest such polynomial within limits. From rest to rest by closed form (peaks 1.5, 1.875, 2.1875 d/T and 6, 5.7735,
// 7.5132 d/T^2), else by bisection. Missing limits are infinite; INVALID_ARGUMENT if none bounds the motion, or if the start
// or goal itself is beyond them.
absl::StatusOr<Profile> FastestPolynomial(PolynomialKind kind, const AxisState& start, const AxisState& goal,
                                          const AxisLimits& limits);

// Acceleration jumps between -A, 0, A. From any p, v (start.a is ignored) to any p, v with |goal.v| <= V. Starts beyond V
// brake first. INVALID_ARGUMENT: not finite, limits not positive, acceleration infinite, goal too fast.
absl::StatusOr<Profile> TrapezoidProfile(const AxisState& start, const AxisState& goal, const AxisLimits& limits);

// Jerk jumps between -J, 0, J. From any p, v, a to any p, v with a = 0 and |goal.v| <= V. Starts beyond the limits return
// within them first. Errors as above; jerk infinite gives the trapezoid.
absl::StatusOr<Profile> SCurveProfile(const AxisState& start, const AxisState& goal, const AxisLimits& limits);

// The same, arriving after exactly `duration` (at least the S-curve's own): slower by a lower cruise speed. NOT_FOUND where an
// axis in motion cannot be that much later (a later time may work).
absl::StatusOr<Profile> SCurveWithDuration(const AxisState& start, const AxisState& goal, const AxisLimits& limits,
                                           double duration);

// Several axes that arrive together: the slowest sets the time. Axes at their goal stay exactly there.
absl::StatusOr<std::vector<Profile>> SynchronisedSCurves(const std::vector<AxisState>& start,
                                                         const std::vector<AxisState>& goal,
                                                         const std::vector<AxisLimits>& limits);

// Velocity to rest as fast as the limits allow, wherever that ends (goal p is what comes out).
absl::StatusOr<Profile> StopProfile(const AxisState& start, const AxisLimits& limits);

}  // namespace torqued
