#include "client/planning/polynomial_path.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

using Piece = PolynomialPath::Piece;

Eigen::VectorXd FirstAt(const Piece& p, double r) {
  return p.col(1) + r * (2 * p.col(2) + r * (3 * p.col(3) + r * (4 * p.col(4) + r * 5 * p.col(5))));
}
Eigen::VectorXd SecondAt(const Piece& p, double r) {
  return 2 * p.col(2) + r * (6 * p.col(3) + r * (12 * p.col(4) + r * 20 * p.col(5)));
}

Eigen::VectorXd ThirdAt(const Piece& p, double r) { return 6 * p.col(3) + r * (24 * p.col(4) + r * 60 * p.col(5)); }

bool Differ(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double floor) {
  const double scale = std::max({a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>(), floor});
  return (a - b).lpNorm<Eigen::Infinity>() > 1e-7 * scale;
}

// Quintic on [0, h] from (q0, d0, e0) to (q1, d1, e1).
Piece Hermite(double h, const Eigen::VectorXd& q0, const Eigen::VectorXd& d0, const Eigen::VectorXd& e0,
              const Eigen::VectorXd& q1, const Eigen::VectorXd& d1, const Eigen::VectorXd& e1) {
  Piece p(q0.size(), 6);
  const Eigen::VectorXd A = q1 - q0 - h * d0 - h * h / 2 * e0;
  const Eigen::VectorXd B = h * (d1 - d0) - h * h * e0;
  const Eigen::VectorXd C = h * h * (e1 - e0);
  p.col(0) = q0;
  p.col(1) = d0;
  p.col(2) = e0 / 2;
  p.col(3) = (10 * A - 4 * B + C / 2) / (h * h * h);
  p.col(4) = (-15 * A + 7 * B - C) / (h * h * h * h);
  p.col(5) = (6 * A - 3 * B + C / 2) / (h * h * h * h * h);
  return p;
}

Piece Straight(const Eigen::VectorXd& q0, const Eigen::VectorXd& direction) {
  Piece p = Piece::Zero(q0.size(), 6);
  p.col(0) = q0;
  p.col(1) = direction;
  return p;
}

std::shared_ptr<const Path> Point(const Eigen::VectorXd& q) {
  return std::make_shared<PolynomialPath>(std::vector<double>{0, 0},
                                          std::vector<Piece>{Straight(q, Eigen::VectorXd::Zero(q.size()))});
}

absl::Status CheckWaypoints(const Eigen::MatrixXd& w) {
  if (w.rows() == 0 || w.cols() == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("waypoints: ", w.rows(), " joints x ", w.cols(), " points, want at least one of each"));
  for (int k = 0; k < w.cols(); ++k)
    for (int j = 0; j < w.rows(); ++j)
      if (!std::isfinite(w(j, k)))
        return absl::InvalidArgumentError(absl::StrCat("waypoints[", k, "], joint ", j, ": not finite, want a number"));
  return absl::OkStatus();
}

// Drops waypoints equal to their predecessor up to rounding; returns the kept indices.
std::vector<int> Distinct(const Eigen::MatrixXd& w, std::vector<std::string>& warnings) {
  const double scale = 1e-14 * std::max(w.cwiseAbs().maxCoeff(), 1e-300);
  std::vector<int> kept = {0};
  for (int k = 1; k < w.cols(); ++k) {
    if ((w.col(k) - w.col(kept.back())).lpNorm<Eigen::Infinity>() > scale)
      kept.push_back(k);
    else
      warnings.push_back(absl::StrCat("waypoint ", k, " equals waypoint ", kept.back(), ": merged"));
  }
  return kept;
}

}  // namespace

PolynomialPath::PolynomialPath(std::vector<double> knots, std::vector<Piece> pieces, bool fitted)
    : knots_(std::move(knots)), pieces_(std::move(pieces)) {
  double largest_third = 0;
  for (size_t k = 0; k < pieces_.size(); ++k)
    largest_third = std::max({largest_third, ThirdAt(pieces_[k], 0).norm(), ThirdAt(pieces_[k], knots_[k + 1] - knots_[k]).norm()});
  for (size_t k = 1; k < pieces_.size(); ++k) {
    const double h = knots_[k] - knots_[k - 1];
    const Eigen::VectorXd first = FirstAt(pieces_[k - 1], h);
    const bool kink = Differ(first, pieces_[k].col(1), 0);
    // A jump of the third derivative is worth a grid point, too; the small ones of a fine fit are not.
    if (kink || Differ(SecondAt(pieces_[k - 1], h), 2 * pieces_[k].col(2), first.norm() / length()) ||
        (!fitted && (ThirdAt(pieces_[k - 1], h) - 6 * pieces_[k].col(3)).norm() > 0.05 * largest_third))
      breaks_.push_back({knots_[k], kink});
  }
}

void PolynomialPath::Evaluate(double s, Side side, double* q, double* dq, double* ddq) const {
  const auto first = knots_.begin() + 1, last = knots_.end() - 1;
  const auto it = side == Side::kRight ? std::upper_bound(first, last, s) : std::lower_bound(first, last, s);
  const int k = static_cast<int>(it - knots_.begin()) - 1;
  const Piece& p = pieces_[k];
  const double r = s - knots_[k];
  for (int j = 0; j < p.rows(); ++j) {
    q[j] = p(j, 0) + r * (p(j, 1) + r * (p(j, 2) + r * (p(j, 3) + r * (p(j, 4) + r * p(j, 5)))));
    dq[j] = p(j, 1) + r * (2 * p(j, 2) + r * (3 * p(j, 3) + r * (4 * p(j, 4) + r * 5 * p(j, 5))));
    ddq[j] = 2 * p(j, 2) + r * (6 * p(j, 3) + r * (12 * p(j, 4) + r * 20 * p(j, 5)));
  }
}

absl::StatusOr<BuiltPath> JointLine(const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  if (from.size() != to.size())
    return absl::InvalidArgumentError(absl::StrCat("to: ", to.size(), " values, want ", from.size(), " as in from"));
  Eigen::MatrixXd w(from.size(), 2);
  w << from, to;
  if (absl::Status s = CheckWaypoints(w); !s.ok()) return s;
  const double length = (to - from).norm();
  if (length == 0) return BuiltPath{Point(from), {}};
  return BuiltPath{std::make_shared<PolynomialPath>(std::vector<double>{0, length},
                                                    std::vector<Piece>{Straight(from, (to - from) / length)}),
                   {}};
}

absl::StatusOr<BuiltPath> JointSpline(const Eigen::MatrixXd& waypoints, SplineKind kind) {
  if (absl::Status s = CheckWaypoints(waypoints); !s.ok()) return s;
  BuiltPath out;
  const std::vector<int> kept = Distinct(waypoints, out.warnings);
  const int n = static_cast<int>(kept.size()), joints = static_cast<int>(waypoints.rows());
  if (n == 1) {
    out.path = Point(waypoints.col(0));
    return out;
  }
  std::vector<double> s(n, 0);
  Eigen::MatrixXd w(joints, n);
  for (int k = 0; k < n; ++k) w.col(k) = waypoints.col(kept[k]);
  for (int k = 1; k < n; ++k) s[k] = s[k - 1] + (w.col(k) - w.col(k - 1)).norm();

  // Second derivatives of the natural cubic spline: a tridiagonal system, the same for all joints.
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(joints, n);
  std::vector<double> pivot(n, 0);
  for (int k = 1; k + 1 < n; ++k) {
    const double h0 = s[k] - s[k - 1], h1 = s[k + 1] - s[k];
    const Eigen::VectorXd rhs = 6 * ((w.col(k + 1) - w.col(k)) / h1 - (w.col(k) - w.col(k - 1)) / h0);
    const double carry = k == 1 ? 0 : h0 / pivot[k - 1];
    pivot[k] = 2 * (h0 + h1) - carry * h0;
    e.col(k) = rhs - carry * e.col(k - 1);
  }
  for (int k = n - 2; k >= 1; --k) e.col(k) = (e.col(k) - (s[k + 1] - s[k]) * e.col(k + 1)) / pivot[k];
  Eigen::MatrixXd d(joints, n);
  for (int k = 0; k < n; ++k) {
    const int i = std::min(k, n - 2);
    const double h = s[i + 1] - s[i];
    const Eigen::VectorXd chord = (w.col(i + 1) - w.col(i)) / h;
    d.col(k) = k < n - 1 ? Eigen::VectorXd(chord - h / 6 * (2 * e.col(i) + e.col(i + 1)))
                         : Eigen::VectorXd(chord + h / 6 * (e.col(i) + 2 * e.col(i + 1)));
  }
  if (kind == SplineKind::kQuintic) {
    // Smoother joints: second derivatives averaged from both neighbours' chords instead of the cubic's own.
    Eigen::MatrixXd smooth = e;
    for (int k = 1; k + 1 < n; ++k) smooth.col(k) = (d.col(k + 1) - d.col(k - 1)) / (s[k + 1] - s[k - 1]);
    e = smooth;
  }
  out.path = HermitePath(s, w, d, e);
  return out;
}

Piece HermitePiece(double h, const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& ddq) {
  return Hermite(h, q.col(0), dq.col(0), ddq.col(0), q.col(1), dq.col(1), ddq.col(1));
}

std::shared_ptr<const Path> HermitePath(const std::vector<double>& s, const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                        const Eigen::MatrixXd& ddq) {
  std::vector<Piece> pieces;
  for (size_t k = 0; k + 1 < s.size(); ++k)
    pieces.push_back(
        Hermite(s[k + 1] - s[k], q.col(k), dq.col(k), ddq.col(k), q.col(k + 1), dq.col(k + 1), ddq.col(k + 1)));
  return std::make_shared<PolynomialPath>(s, std::move(pieces));
}

absl::StatusOr<BuiltPath> Polyline(const Eigen::MatrixXd& waypoints, const std::vector<BlendSize>& blends) {
  if (absl::Status s = CheckWaypoints(waypoints); !s.ok()) return s;
  if (static_cast<int>(blends.size()) != waypoints.cols())
    return absl::InvalidArgumentError(
        absl::StrCat("blends: ", blends.size(), " values, want ", waypoints.cols(), " as waypoints"));
  BuiltPath out;
  const std::vector<int> kept = Distinct(waypoints, out.warnings);
  const int n = static_cast<int>(kept.size());
  if (n == 1) {
    out.path = Point(waypoints.col(0));
    return out;
  }
  std::vector<Eigen::VectorXd> direction(n - 1);
  std::vector<double> span(n - 1), cut(n, 0);
  for (int k = 0; k + 1 < n; ++k) {
    const Eigen::VectorXd d = waypoints.col(kept[k + 1]) - waypoints.col(kept[k]);
    span[k] = d.norm();
    direction[k] = d / span[k];
  }
  for (int k = 1; k + 1 < n; ++k) {
    const BlendSize& want = blends[kept[k]];
    const double turn = (direction[k] - direction[k - 1]).norm();  // 0 straight on, 2 straight back
    if (turn < 1e-12 || turn > 2 - 1e-6) continue;
    // Half-way the quintic passes the corner at (r/2 - 5 h/32) |t2 - t1| with h = 2 r.
    double r = want.max_deviation > 0 ? want.max_deviation / (0.1875 * turn) : want.radius;
    if (!(r >= 0) || !std::isfinite(r))
      return absl::InvalidArgumentError(absl::StrCat("blends[", kept[k], "]: want a radius or deviation >= 0"));
    // Neighbouring corners share a segment; an end has no corner.
    const double room = std::min(k == 1 ? span[k - 1] : 0.5 * span[k - 1], k + 2 == n ? span[k] : 0.5 * span[k]);
    if (r > room) {
      out.warnings.push_back(absl::StrCat("blend at waypoint ", kept[k], ": ", r, " cut to ", room,
                                          ", what its segments have room for"));
      r = room;
    }
    cut[k] = r;
  }
  std::vector<double> knots = {0};
  std::vector<Piece> pieces;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(waypoints.rows());
  for (int k = 0; k + 1 < n; ++k) {
    const Eigen::VectorXd from = waypoints.col(kept[k]) + cut[k] * direction[k];
    const double straight = span[k] - cut[k] - cut[k + 1];
    if (straight > 1e-12 * span[k]) {
      pieces.push_back(Straight(from, direction[k]));
      knots.push_back(knots.back() + straight);
    }
    if (k + 2 < n && cut[k + 1] > 0) {
      const double r = cut[k + 1], h = 2 * r;
      pieces.push_back(Hermite(h, waypoints.col(kept[k + 1]) - r * direction[k], direction[k], none,
                               waypoints.col(kept[k + 1]) + r * direction[k + 1], direction[k + 1], none));
      knots.push_back(knots.back() + h);
    }
  }
  out.path = std::make_shared<PolynomialPath>(std::move(knots), std::move(pieces));
  return out;
}

}  // namespace torqued
