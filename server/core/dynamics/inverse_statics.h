// Which wrench or which load do the measured torques tell of? Least squares, with what cannot be known.
//
// Wrench exerted BY the robot at a frame: tau - g = J^T F. Load hanging on the robot at frame L (mass m, centre c in L):
//     tau - g = -J_v^T gvec m - J_w^T (R (m c) x gvec),
// linear in (m, m c), one block of rows per posture; with c known, linear in m alone.
// A = U diag(s) V^T: unknown directions are the columns of V beyond the rank; the estimate has no part in them (smallest
// solution). Covariance sigma^2 A^+ A^+T, sigma given or, if equations are left over, from the residual.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>

#include "server/core/dynamics/velocity_analysis.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/math/svd.h"

namespace torqued {

struct Estimate {
  Eigen::VectorXd x;                // the unknowns; zero along unknowable directions
  Eigen::VectorXd residual;         // measured - explained, per equation [Nm, N]
  Eigen::VectorXd singular_values;
  int rank = 0;
  Eigen::MatrixXd unknowable;       // columns: directions of x that the torques do not show
  Eigen::MatrixXd covariance;       // of x within the knowable directions
  double sigma = 0;                 // noise level used [Nm]; 0: not given and nothing left over to tell
};

// min |A x - b|. `sigma`: standard deviation of b's entries, if known.
inline Estimate EstimateBySvd(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, std::optional<double> sigma,
                              double tolerance = 1e-9) {
  const Svd svd = ComputeSvd(A);
  Estimate out;
  out.singular_values = svd.s;
  const double least = tolerance * (svd.s.size() ? svd.s[0] : 0);
  out.rank = svd.Rank(least);
  out.x = svd.Solve(b, least);
  out.residual = b - A * out.x;
  const int left_over = static_cast<int>(A.rows()) - out.rank;
  out.sigma = sigma ? *sigma : left_over > 0 ? std::sqrt(out.residual.squaredNorm() / left_over) : 0;
  out.unknowable = svd.V.rightCols(svd.V.cols() - out.rank);
  const Eigen::MatrixXd W = svd.V.leftCols(out.rank) * svd.s.head(out.rank).cwiseInverse().asDiagonal();
  out.covariance = out.sigma * out.sigma * W * W.transpose();
  return out;
}

// Wrench by the robot from tau - (gravity, friction, ...), in the axes of J [6 x nv]; only the chosen components are
// unknown, the others are taken as zero (a point contact transmits no moment).
inline Estimate EstimateWrench(const Eigen::Ref<const Eigen::MatrixXd>& J, const TaskRows& rows,
                               const Eigen::VectorXd& torque, std::optional<double> sigma = std::nullopt) {
  return EstimateBySvd(SelectRows(J, rows).transpose(), torque, sigma);
}

// One posture's equations for the load at frame f: 4 columns m, m c (frame axes) [nv x 4].
inline Eigen::MatrixXd LoadColumns(const Prepared& m, const BodyFrame& f, const Eigen::Vector3d& gravity,
                                   const double* q, Workspace<double>& ws) {
  Eigen::MatrixXd J(6, m.nv), out(m.nv, 4);
  Jacobian(m, f, Expression::kWorldAligned, q, ws, J.data());
  const Eigen::Matrix3d R = ToEigen(FramePose(f, ws).R);
  out.col(0) = -J.topRows<3>().transpose() * gravity;
  for (int k = 0; k < 3; ++k)
    out.col(1 + k) = -J.bottomRows<3>().transpose() * Eigen::Vector3d(R.col(k)).cross(gravity);
  return out;
}

// Postures stacked by the caller: q [nq x n], torque [nv x n] = measured minus everything known. com given: x = [m],
// else x = [m, m cx, m cy, m cz] in the frame's axes.
inline Estimate EstimateLoad(const Prepared& m, const BodyFrame& f, const Eigen::Vector3d& gravity,
                             const Eigen::MatrixXd& q, const Eigen::MatrixXd& torque,
                             const std::optional<Eigen::Vector3d>& com, Workspace<double>& ws,
                             std::optional<double> sigma = std::nullopt) {
  const int n = static_cast<int>(q.cols());
  Eigen::MatrixXd A(m.nv * n, com ? 1 : 4);
  Eigen::VectorXd b(m.nv * n);
  for (int k = 0; k < n; ++k) {
    const Eigen::MatrixXd columns = LoadColumns(m, f, gravity, q.col(k).data(), ws);
    if (com) A.middleRows(k * m.nv, m.nv) = columns.col(0) + columns.rightCols<3>() * *com;
    else A.middleRows(k * m.nv, m.nv) = columns;
    b.segment(k * m.nv, m.nv) = torque.col(k);
  }
  return EstimateBySvd(A, b, sigma);
}

}  // namespace torqued
