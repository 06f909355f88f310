#include "client/planning/profile.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

AxisState Evaluate(const Profile::Piece& piece, double t) {
  AxisState s;
  for (int k = 7; k >= 0; --k) s.p = s.p * t + piece.c[k];
  for (int k = 7; k >= 1; --k) s.v = s.v * t + k * piece.c[k];
  for (int k = 7; k >= 2; --k) s.a = s.a * t + k * (k - 1) * piece.c[k];
  for (int k = 7; k >= 3; --k) s.j = s.j * t + k * (k - 1) * (k - 2) * piece.c[k];
  return s;
}

}  // namespace

AxisState Profile::At(double t) const {
  if (count_ == 0 || t >= duration_) return goal_;
  if (!(t > 0)) {
    AxisState s = start_;
    s.j = Evaluate(pieces_[0], 0).j;
    return s;
  }
  int k = 0;
  while (k + 1 < count_ && t >= pieces_[k].duration) t -= pieces_[k++].duration;
  return Evaluate(pieces_[k], std::min(t, pieces_[k].duration));
}

AxisState Profile::Peaks() const {
  AxisState peak{0, std::max(std::abs(start_.v), std::abs(goal_.v)), std::abs(goal_.a), 0};
  if (count_ == 0) peak.a = std::max(peak.a, std::abs(start_.a));
  for (int k = 0; k < count_; ++k) {
    const Piece& piece = pieces_[k];
    bool high = false;
    for (int d = 4; d < 8; ++d) high = high || piece.c[d] != 0;
    const auto look = [&](double t) {
      const AxisState s = Evaluate(piece, t);
      peak.v = std::max(peak.v, std::abs(s.v));
      peak.a = std::max(peak.a, std::abs(s.a));
      peak.j = std::max(peak.j, std::abs(s.j));
    };
    const int steps = high ? 1000 : 1;
    for (int i = 0; i <= steps; ++i) look(piece.duration * i / steps);
    if (!high && piece.c[3] != 0) {  // v has its vertex where a = 0
      const double t = -piece.c[2] / (3 * piece.c[3]);
      if (t > 0 && t < piece.duration) look(t);
    }
  }
  return peak;
}

AxisState Profile::End() const { return count_ == 0 ? start_ : Evaluate(pieces_[count_ - 1], pieces_[count_ - 1].duration); }

void Profile::AddJerk(double duration, double jerk) {
  if (!(duration > 0)) return;
  const AxisState from = End();
  Piece piece;
  piece.duration = duration;
  piece.c[0] = from.p;
  piece.c[1] = from.v;
  piece.c[2] = from.a / 2;
  piece.c[3] = jerk / 6;
  AddPiece(piece);
}

void Profile::AddPiece(const Piece& piece) {
  if (!(piece.duration > 0) || count_ == kMaxPieces) return;
  pieces_[count_++] = piece;
  duration_ += piece.duration;
}

absl::StatusOr<Profile> PolynomialProfile(PolynomialKind kind, const AxisState& start, const AxisState& goal, double T) {
  for (double x : {start.p, start.v, start.a, goal.p, goal.v, T})
    if (!std::isfinite(x)) return absl::InvalidArgumentError("polynomial profile: not finite, want numbers");
  Profile out(start);
  out.SetGoal({goal.p, goal.v, 0, 0});
  if (T == 0 && start.p == goal.p && start.v == goal.v) return out;
  if (!(T > 0)) return absl::InvalidArgumentError(absl::StrCat("duration: ", T, ", want more than 0"));
  // In r = t / T: what the start's derivatives leave to do, as boundary value problem at r = 1.
  const double v0 = start.v * T, a0 = kind == PolynomialKind::kCubic ? 0 : start.a * T * T;
  const double A = goal.p - start.p - v0 - a0 / 2, B = goal.v * T - v0 - a0, C = -a0;
  std::array<double, 8> c{start.p, v0, a0 / 2, 0, 0, 0, 0, 0};
  switch (kind) {
    case PolynomialKind::kCubic:
      c[2] = 3 * A - B;
      c[3] = -2 * A + B;
      break;
    case PolynomialKind::kQuintic:
      c[3] = 10 * A - 4 * B + C / 2;
      c[4] = -15 * A + 7 * B - C;
      c[5] = 6 * A - 3 * B + C / 2;
      break;
    case PolynomialKind::kSeptic:
      c[4] = 35 * A - 15 * B + 2.5 * C;
      c[5] = -84 * A + 39 * B - 7 * C;
      c[6] = 70 * A - 34 * B + 6.5 * C;
      c[7] = -20 * A + 10 * B - 2 * C;
      break;
  }
  Profile::Piece piece;
  piece.duration = T;
  double power = 1;
  for (int k = 0; k < 8; ++k, power *= T) piece.c[k] = c[k] / power;
  out.AddPiece(piece);
  if (kind == PolynomialKind::kCubic) out.SetGoal({goal.p, goal.v, (2 * c[2] + 6 * c[3]) / (T * T), 0});
  return out;
}

absl::StatusOr<Profile> FastestPolynomial(PolynomialKind kind, const AxisState& start, const AxisState& goal,
                                          const AxisLimits& limits) {
  if (!(limits.velocity > 0) || !(limits.acceleration > 0) || !(limits.jerk > 0))
    return absl::InvalidArgumentError("limits: want velocity, acceleration and jerk more than 0 (infinite: none)");
  const double d = std::abs(goal.p - start.p);
  if (start.v == 0 && start.a == 0 && goal.v == 0) {
    // Peaks of v, a and j for d = T = 1.
    const struct { double v, a, j; } peaks[] = {{1.5, 6, 12}, {1.875, 10 / std::sqrt(3.0), 60}, {2.1875, 84 * std::sqrt(5.0) / 25, 52.5}};
    const auto& k = peaks[static_cast<int>(kind)];
    double T = std::max(k.v * d / limits.velocity, std::sqrt(k.a * d / limits.acceleration));
    // A cubic's jerk is infinite at its ends: only the inner value can be bounded.
    T = std::max(T, std::cbrt(k.j * d / limits.jerk));
    if (d > 0 && !(T > 0)) return absl::InvalidArgumentError("limits: none bounds the motion");
    return PolynomialProfile(kind, start, goal, T);
  }
  const auto within = [&](double T) {
    const absl::StatusOr<Profile> p = PolynomialProfile(kind, start, goal, T);
    if (!p.ok()) return false;
    const AxisState peak = p->Peaks();
    constexpr double kSlack = 1 + 1e-9;
    return peak.v <= limits.velocity * kSlack && peak.a <= limits.acceleration * kSlack && peak.j <= limits.jerk * kSlack;
  };
  double hi = 1e-6;
  while (hi < 1e7 && !within(hi)) hi *= 1.5;
  if (hi >= 1e7)
    return absl::InvalidArgumentError("polynomial profile: no duration keeps the limits (is the start beyond them?)");
  double lo = hi / 1.5;
  for (int k = 0; k < 50; ++k) {
    const double mid = 0.5 * (lo + hi);
    (within(mid) ? hi : lo) = mid;
  }
  return PolynomialProfile(kind, start, goal, hi);
}

}  // namespace torqued
