// How do many measurements give few unknowns? A triangular factor that takes rows one by one, and a solver for x >= 0.
//
// RowAccumulator keeps only R of W = Q R (p x p) and Q^T b: a recording of any length needs the memory of its unknowns,
// and W^T W, which would square the condition number, is never formed (Givens rotations, Golub and Van Loan 5.1.8).
// NonNegativeLeastSquares: the active-set method of Lawson and Hanson 1974, chapter 23.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "server/core/math/svd.h"

namespace torqued {

class RowAccumulator {
 public:
  explicit RowAccumulator(int unknowns)
      : R_(Eigen::MatrixXd::Zero(unknowns, unknowns)), y_(Eigen::VectorXd::Zero(unknowns)), row_(unknowns) {}

  // One equation row . x = b. Does not allocate.
  void Add(const Eigen::Ref<const Eigen::RowVectorXd>& row, double b) {
    row_ = row;
    const int p = static_cast<int>(R_.rows());
    for (int k = 0; k < p; ++k) {
      if (row_[k] == 0) continue;
      const double h = std::hypot(R_(k, k), row_[k]);
      const double c = R_(k, k) / h, s = row_[k] / h;
      for (int j = k; j < p; ++j) {
        const double r = R_(k, j), w = row_[j];
        R_(k, j) = c * r + s * w;
        row_[j] = c * w - s * r;
      }
      row_[k] = 0;
      const double y = y_[k];
      y_[k] = c * y + s * b;
      b = c * b - s * y;
    }
    residual_sq_ += b * b;
    ++rows_;
  }

  const Eigen::MatrixXd& R() const { return R_; }
  const Eigen::VectorXd& y() const { return y_; }
  double residual_sq() const { return residual_sq_; }  // of the best fit, if R has full rank
  long rows() const { return rows_; }

 private:
  Eigen::MatrixXd R_;
  Eigen::VectorXd y_;
  Eigen::RowVectorXd row_;
  double residual_sq_ = 0;
  long rows_ = 0;
};

struct NonNegativeSolution {
  Eigen::VectorXd x;
  double residual_norm = 0;  // |A x - b|
  bool converged = false;
};

// min |A x - b| with x >= 0. REQUIRES: finite. Ends after at most 3 n changes of the active set.
inline NonNegativeSolution NonNegativeLeastSquares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const int n = static_cast<int>(A.cols());
  NonNegativeSolution out;
  out.x = Eigen::VectorXd::Zero(n);
  std::vector<bool> passive(n, false);
  const double tolerance = 1e-12 * A.norm() * std::max(b.norm(), 1e-300);
  for (int iteration = 0; iteration < 3 * n + 10; ++iteration) {
    const Eigen::VectorXd w = A.transpose() * (b - A * out.x);
    int entering = -1;
    for (int j = 0; j < n; ++j)
      if (!passive[j] && w[j] > tolerance && (entering < 0 || w[j] > w[entering])) entering = j;
    if (entering < 0) {
      out.converged = true;
      break;
    }
    passive[entering] = true;
    for (int inner = 0; inner <= n; ++inner) {
      std::vector<int> set;
      for (int j = 0; j < n; ++j)
        if (passive[j]) set.push_back(j);
      Eigen::MatrixXd P(A.rows(), set.size());
      for (size_t j = 0; j < set.size(); ++j) P.col(j) = A.col(set[j]);
      const Svd svd = ComputeSvd(P);
      const Eigen::VectorXd z = svd.Solve(b, 1e-13 * svd.s[0]);
      double alpha = 2;
      for (size_t j = 0; j < set.size(); ++j)
        if (z[j] <= 0) alpha = std::min(alpha, out.x[set[j]] / (out.x[set[j]] - z[j] + 1e-300));
      if (alpha > 1) {
        for (size_t j = 0; j < set.size(); ++j) out.x[set[j]] = z[j];
        break;
      }
      for (size_t j = 0; j < set.size(); ++j) {
        double& x = out.x[set[j]];
        x += alpha * (z[j] - x);
        if (z[j] <= 0 && x <= 1e-14 * out.x.cwiseAbs().maxCoeff()) x = 0, passive[set[j]] = false;
      }
      if (out.x[entering] == 0 && !passive[entering]) break;
    }
  }
  out.residual_norm = (A * out.x - b).norm();
  return out;
}

}  // namespace torqued
