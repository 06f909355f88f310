// Which directions does a matrix stretch, and by how much? A = U diag(s) V^T, and eigenvalues of symmetric matrices.
//
// One-sided Jacobi: rotate pairs of columns of A until all are orthogonal; their lengths are the singular values, the
// accumulated rotations V. Small singular values come out with high relative accuracy (Demmel, Veselic 1992), which is
// what rank and distance to a singularity ask for; at 6 x n it costs microseconds and compiles in no time.
// U and V are complete orthogonal bases: columns beyond the rank span the left and right null spaces.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace torqued {

struct Svd {
  Eigen::MatrixXd U;  // m x m
  Eigen::VectorXd s;  // min(m, n), descending
  Eigen::MatrixXd V;  // n x n

  // Number of singular values above tolerance.
  int Rank(double tolerance) const {
    int r = 0;
    while (r < s.size() && s[r] > tolerance) ++r;
    return r;
  }
  // A^+ b with singular values up to tolerance taken as zero.
  Eigen::VectorXd Solve(const Eigen::VectorXd& b, double tolerance) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(V.rows());
    for (int k = 0; k < Rank(tolerance); ++k) x += V.col(k) * (U.col(k).dot(b) / s[k]);
    return x;
  }
};

namespace svd_detail {

// Column k of Q becomes a unit vector orthogonal to columns [0, k): the unit vector that loses least, orthogonalised
// twice.
inline void CompleteColumn(Eigen::MatrixXd& Q, int k) {
  int best = 0;
  double most = -1;
  for (int i = 0; i < Q.rows(); ++i) {
    const double left = 1 - Q.row(i).head(k).squaredNorm();
    if (left > most) most = left, best = i;
  }
  Eigen::VectorXd x = Eigen::VectorXd::Unit(Q.rows(), best);
  for (int pass = 0; pass < 2; ++pass)
    for (int j = 0; j < k; ++j) x -= Q.col(j) * Q.col(j).dot(x);
  Q.col(k) = x / x.norm();
}

}  // namespace svd_detail

// REQUIRES: A finite. Allocates; cost about 10 n^2 m for convergence in 5 to 8 sweeps.
inline Svd ComputeSvd(const Eigen::MatrixXd& A) {
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols()), r = std::min(m, n);
  constexpr double eps = std::numeric_limits<double>::epsilon();
  // The columns that rotate are exact powers of two away from unit size, so squares neither overflow nor vanish.
  const double largest = A.size() ? A.cwiseAbs().maxCoeff() : 0;
  const double scale = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
  Eigen::MatrixXd W = A / scale;
  const double floor_sq = std::pow(eps * W.norm(), 2);
  Svd out;
  out.V = Eigen::MatrixXd::Identity(n, n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < n - 1; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double a = W.col(p).squaredNorm(), b = W.col(q).squaredNorm(), g = W.col(p).dot(W.col(q));
        if (std::abs(g) <= eps * std::sqrt(a * b) || std::max(a, b) <= floor_sq) continue;
        rotated = true;
        const double zeta = (b - a) / (2 * g);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        for (Eigen::MatrixXd* Q : {&W, &out.V}) {
          const Eigen::VectorXd x = Q->col(p);
          Q->col(p) = c * x - s * Q->col(q);
          Q->col(q) = s * x + c * Q->col(q);
        }
      }
    }
    if (!rotated) break;
  }
  // Descending order by selection; then the left vectors.
  Eigen::VectorXd length = W.colwise().norm();
  for (int p = 0; p < n; ++p) {
    int best;
    length.tail(n - p).maxCoeff(&best);
    if (best == 0) continue;
    std::swap(length[p], length[p + best]);
    W.col(p).swap(W.col(p + best));
    out.V.col(p).swap(out.V.col(p + best));
  }
  out.s = length.head(r) * scale;
  out.U.setZero(m, m);
  for (int k = 0; k < m; ++k) {
    // A column at rounding level points nowhere in particular: any completion is as good and orthogonal for sure.
    if (k < r && length[k] > 8 * eps * length[0]) out.U.col(k) = W.col(k) / length[k];
    else svd_detail::CompleteColumn(out.U, k);
  }
  return out;
}

struct SymmetricEigen {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns
};

// Cyclic Jacobi. REQUIRES: A symmetric and finite (the upper triangle is read).
inline SymmetricEigen ComputeSymmetricEigen(const Eigen::MatrixXd& symmetric) {
  const int n = static_cast<int>(symmetric.rows());
  Eigen::MatrixXd A = symmetric.selfadjointView<Eigen::Upper>();
  SymmetricEigen out{Eigen::VectorXd(n), Eigen::MatrixXd::Identity(n, n)};
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < n - 1; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double g = A(p, q), limit = std::sqrt(std::abs(A(p, p) * A(q, q)));
        if (std::abs(g) <= 1e-17 * limit || g == 0) continue;
        if (std::abs(g) <= 1e-300) continue;
        rotated = true;
        const double zeta = (A(q, q) - A(p, p)) / (2 * g);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        const Eigen::VectorXd x = A.col(p);
        A.col(p) = c * x - s * A.col(q);
        A.col(q) = s * x + c * A.col(q);
        const Eigen::RowVectorXd y = A.row(p);
        A.row(p) = c * y - s * A.row(q);
        A.row(q) = s * y + c * A.row(q);
        A(p, q) = A(q, p) = 0;
        const Eigen::VectorXd z = out.vectors.col(p);
        out.vectors.col(p) = c * z - s * out.vectors.col(q);
        out.vectors.col(q) = s * z + c * out.vectors.col(q);
      }
    }
    if (!rotated) break;
  }
  out.values = A.diagonal();
  for (int p = 0; p < n; ++p) {
    int best;
    out.values.tail(n - p).minCoeff(&best);
    if (best == 0) continue;
    std::swap(out.values[p], out.values[p + best]);
    out.vectors.col(p).swap(out.vectors.col(p + best));
  }
  return out;
}

}  // namespace torqued
