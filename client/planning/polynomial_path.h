// A path made of polynomial pieces: lines, splines, blends and what inverse kinematics gives all end here.
//
// Piece k covers [knots[k], knots[k+1]]; with r = s - knots[k], joint j is sum_d coefficient(j, d) r^d, degree up to 5.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/planning/path.h"

namespace torqued {

class PolynomialPath final : public Path {
 public:
  using Piece = Eigen::Matrix<double, Eigen::Dynamic, 6>;  // joints x degree

  // REQUIRES: knots.size() == pieces.size() + 1, ascending. Finds the breaks itself: where q', q'' or,
  // markedly, q''' of neighbours differ (the last not for a path fitted through many nodes, where it means nothing).
  PolynomialPath(std::vector<double> knots, std::vector<Piece> pieces, bool fitted = false);

  int joint_count() const override { return static_cast<int>(pieces_.front().rows()); }
  double length() const override { return knots_.back(); }
  const std::vector<Break>& breaks() const override { return breaks_; }
  void Evaluate(double s, Side side, double* q, double* dq, double* ddq) const override;

  const std::vector<double>& knots() const { return knots_; }

 private:
  std::vector<double> knots_;
  std::vector<Piece> pieces_;
  std::vector<Break> breaks_;
};

// What a builder made, and what it had to say about the input.
struct BuiltPath {
  std::shared_ptr<const Path> path;
  std::vector<std::string> warnings;
};

// Straight in joint space; s is the length in joint space. Equal ends give a path of length 0.
// INVALID_ARGUMENT: sizes differ, not finite.
absl::StatusOr<BuiltPath> JointLine(const Eigen::VectorXd& from, const Eigen::VectorXd& to);

enum class SplineKind { kCubic, kQuintic };

// Through all columns of `waypoints`: the natural cubic spline, or quintic pieces with the same tangents and second derivatives
// averaged over the neighbouring spans; both have continuous q''. Chord-length parameter. Equal neighbours are merged with a
// warning.
absl::StatusOr<BuiltPath> JointSpline(const Eigen::MatrixXd& waypoints, SplineKind kind);

struct BlendSize {
  double radius = 0;         // how far from the corner the blend begins and ends; used if max_deviation is 0
  double max_deviation = 0;  // largest distance from the corner to the curve
};

// Straight segments; each inner corner rounded by a quintic with zero curvature at both ends. A corner whose blend has no
// size, or that turns back on itself, stays sharp: the path must stop there. `blends` has one entry per waypoint (the first
// and last are not used). Equal neighbours are merged with a warning, blends that do not fit between
// their neighbours are cut, with one.
absl::StatusOr<BuiltPath> Polyline(const Eigen::MatrixXd& waypoints, const std::vector<BlendSize>& blends);

// One quintic piece on [0, h]; columns of q, dq, ddq: its two ends.
PolynomialPath::Piece HermitePiece(double h, const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& ddq);

// Quintic pieces through (s_k, q_k) with the given first and second derivatives.
// REQUIRES: s ascending, columns match.
std::shared_ptr<const Path> HermitePath(const std::vector<double>& s, const Eigen::MatrixXd& q, const Eigen::MatrixXd& dq,
                                        const Eigen::MatrixXd& ddq);

}  // namespace torqued
