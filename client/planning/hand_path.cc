#include "client/planning/hand_path.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

// A circle about `centre` from the x axis of (x, y) on: s = radius angle.
class ArcPoint final : public Path {
 public:
  ArcPoint(const Eigen::Vector3d& centre, const Eigen::Vector3d& x, const Eigen::Vector3d& y, double radius, double angle)
      : centre_(centre), x_(x), y_(y), radius_(radius), length_(radius * angle) {}
  int joint_count() const override { return 3; }
  double length() const override { return length_; }
  const std::vector<Break>& breaks() const override { return breaks_; }
  void Evaluate(double s, Side, double* q, double* dq, double* ddq) const override {
    const double c = std::cos(s / radius_), d = std::sin(s / radius_);
    for (int k = 0; k < 3; ++k) {
      q[k] = centre_[k] + radius_ * (c * x_[k] + d * y_[k]);
      dq[k] = -d * x_[k] + c * y_[k];
      ddq[k] = -(c * x_[k] + d * y_[k]) / radius_;
    }
  }

 private:
  Eigen::Vector3d centre_, x_, y_;
  double radius_, length_;
  std::vector<Break> breaks_;
};

absl::Status CheckPose(const char* name, const Eigen::Isometry3d& X) {
  if (!X.matrix().allFinite()) return absl::InvalidArgumentError(absl::StrCat(name, ": not finite, want a pose"));
  if ((X.linear().transpose() * X.linear() - Eigen::Matrix3d::Identity()).norm() > 1e-6)
    return absl::InvalidArgumentError(absl::StrCat(name, ": its axes are not orthonormal, want a rotation"));
  return absl::OkStatus();
}

// World axis and angle in [0, pi] that take R0 to R1.
HandPath::Turn TurnBetween(const Eigen::Matrix3d& R0, const Eigen::Matrix3d& R1) {
  Eigen::Quaterniond d(R1 * R0.transpose());
  if (d.w() < 0) d.coeffs() = -d.coeffs();  // the shorter way
  HandPath::Turn turn;
  const double sine = d.vec().norm();
  turn.angle = 2 * std::atan2(sine, d.w());
  if (sine > 1e-15) turn.axis = d.vec() / sine;
  return turn;
}

class PointOfHand final : public ToolPath {
 public:
  explicit PointOfHand(std::shared_ptr<const Path> point) : point_(std::move(point)) {}
  void Derivatives(double s, Side side, Eigen::Vector3d& dp, Eigen::Vector3d& ddp) const override {
    Eigen::Vector3d p;
    point_->Evaluate(std::min(s, point_->length()), side, p.data(), dp.data(), ddp.data());
  }

 private:
  std::shared_ptr<const Path> point_;
};

}  // namespace

Eigen::Isometry3d HandPath::PoseAt(double s) const {
  Eigen::Vector3d p, dp, ddp;
  point->Evaluate(s, Side::kRight, p.data(), dp.data(), ddp.data());
  Eigen::Matrix3d R = R_start;
  for (const Turn& t : turns) {
    double r = std::clamp((s - t.s_from) / (t.s_to - t.s_from), 0.0, 1.0);
    if (t.smooth) r = r * r * r * (10 - r * (15 - 6 * r));
    R = Eigen::AngleAxisd(r * t.angle, t.axis).toRotationMatrix() * R;
  }
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = R;
  X.translation() = p;
  return X;
}

Eigen::Matrix<double, 6, 1> HandPath::TwistAt(double s, Side side) const {
  Eigen::Vector3d p, dp, ddp, w = Eigen::Vector3d::Zero();
  point->Evaluate(s, side, p.data(), dp.data(), ddp.data());
  for (const Turn& t : turns) {
    const double r = (s - t.s_from) / (t.s_to - t.s_from);
    if (r < 0 || r > 1) continue;
    const double rate = t.smooth ? 30 * r * r * (1 - r) * (1 - r) : 1;
    w += rate * t.angle / (t.s_to - t.s_from) * t.axis;
  }
  Eigen::Matrix<double, 6, 1> twist;
  twist << dp, w;
  return twist;
}

Eigen::Matrix<double, 6, 1> HandPath::TwistRateAt(double s, Side side) const {
  Eigen::Vector3d p, dp, ddp, w = Eigen::Vector3d::Zero();
  point->Evaluate(s, side, p.data(), dp.data(), ddp.data());
  for (const Turn& t : turns) {
    const double span = t.s_to - t.s_from, r = (s - t.s_from) / span;
    if (r < 0 || r > 1 || !t.smooth) continue;
    w += 60 * r * (1 - r) * (1 - 2 * r) * t.angle / (span * span) * t.axis;
  }
  Eigen::Matrix<double, 6, 1> rate;
  rate << ddp, w;
  return rate;
}

absl::StatusOr<HandPath> HandLine(const Eigen::Isometry3d& from, const Eigen::Isometry3d& to) {
  absl::Status status = CheckPose("from", from);
  status.Update(CheckPose("to", to));
  if (!status.ok()) return status;
  HandPath out;
  out.R_start = from.linear();
  HandPath::Turn turn = TurnBetween(from.linear(), to.linear());
  const double distance = (to.translation() - from.translation()).norm();
  absl::StatusOr<BuiltPath> line = JointLine(from.translation(), to.translation());
  if (!line.ok()) return line.status();
  out.point = line->path;
  if (turn.angle < 1e-12) return out;
  turn.s_to = distance;
  if (distance < 1e-9 * turn.angle) {  // only turns: s is the angle
    PolynomialPath::Piece piece = PolynomialPath::Piece::Zero(3, 6);
    piece.col(0) = from.translation();
    piece.col(1) = (to.translation() - from.translation()) / turn.angle;
    out.point = std::make_shared<PolynomialPath>(std::vector<double>{0, turn.angle}, std::vector<PolynomialPath::Piece>{piece});
    turn.s_to = turn.angle;
  }
  out.turns.push_back(turn);
  return out;
}

absl::StatusOr<HandPath> HandArc(const Eigen::Isometry3d& from, const Eigen::Vector3d& via, const Eigen::Isometry3d& to) {
  absl::Status status = CheckPose("from", from);
  status.Update(CheckPose("to", to));
  if (!via.allFinite()) status.Update(absl::InvalidArgumentError("via: not finite, want a point"));
  if (!status.ok()) return status;
  const Eigen::Vector3d a = from.translation(), u = via - a, v = to.translation() - a;
  const Eigen::Vector3d normal = u.cross(v);
  const double area = normal.norm();
  if (area < 1e-9 * u.norm() * v.norm() || u.norm() == 0 || v.norm() == 0)
    return absl::InvalidArgumentError("via: start, via and goal lie on one line, want three points of a circle");
  const Eigen::Vector3d centre = a + (v.squaredNorm() * u - u.squaredNorm() * v).cross(normal) * (-0.5 / (area * area)) ;
  const double radius = (a - centre).norm();
  const Eigen::Vector3d x = (a - centre) / radius, y = (normal / area).cross(x);
  const auto angle_of = [&](const Eigen::Vector3d& p) {
    const double angle = std::atan2((p - centre).dot(y), (p - centre).dot(x));
    return angle < 0 ? angle + 2 * 3.14159265358979323846 : angle;
  };
  HandPath out;
  out.R_start = from.linear();
  out.point = std::make_shared<ArcPoint>(centre, x, y, radius, angle_of(to.translation()));
  HandPath::Turn turn = TurnBetween(from.linear(), to.linear());
  turn.s_to = out.length();
  if (turn.angle > 1e-12) out.turns.push_back(turn);
  return out;
}

absl::StatusOr<HandPath> HandPolyline(
    const std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>& poses,
    const std::vector<BlendSize>& blends) {
  Eigen::MatrixXd points(3, poses.size());
  for (size_t k = 0; k < poses.size(); ++k) {
    if (absl::Status s = CheckPose("waypoint", poses[k]); !s.ok()) return s;
    points.col(k) = poses[k].translation();
  }
  absl::StatusOr<BuiltPath> line = Polyline(points, blends);
  if (!line.ok()) return line.status();
  HandPath out;
  out.point = line->path;
  out.warnings = line->warnings;
  out.R_start = poses.front().linear();
  // The straight part of each segment: where the point path passes between blends, by nearest length.
  const auto* polyline = static_cast<const PolynomialPath*>(line->path.get());
  size_t knot = 0;
  for (size_t k = 0; k + 1 < poses.size(); ++k) {
    HandPath::Turn turn = TurnBetween(poses[k].linear(), poses[k + 1].linear());
    const Eigen::Vector3d d = points.col(k + 1) - points.col(k);
    if (d.norm() == 0) {
      if (turn.angle > 1e-12)
        return absl::InvalidArgumentError(
            absl::StrCat("waypoint ", k + 1, ": turns in place, want a line of its own for a turn without way"));
      continue;
    }
    // The piece that lies on this segment.
    for (; knot + 1 < polyline->knots().size(); ++knot) {
      const double middle = 0.5 * (polyline->knots()[knot] + polyline->knots()[knot + 1]);
      Eigen::Vector3d p, dp, ddp;
      polyline->Evaluate(middle, Side::kRight, p.data(), dp.data(), ddp.data());
      if (ddp.norm() < 1e-9 && dp.cross(d).norm() < 1e-9 * d.norm() && (p - points.col(k)).cross(d).norm() < 1e-9 * d.squaredNorm())
        break;
    }
    if (turn.angle < 1e-12) continue;
    if (knot + 1 >= polyline->knots().size())
      return absl::InvalidArgumentError(absl::StrCat("waypoint ", k + 1, ": no straight part left to turn on, want a smaller blend"));
    turn.s_from = polyline->knots()[knot];
    turn.s_to = polyline->knots()[knot + 1];
    turn.smooth = true;
    out.turns.push_back(turn);
  }
  return out;
}

std::shared_ptr<const ToolPath> ToolPathOf(const HandPath& hand) { return std::make_shared<PointOfHand>(hand.point); }

}  // namespace torqued
