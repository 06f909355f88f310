// Joint rates to hand velocity and back, with what it costs near a singularity.
//
// Forward: V = J v. Inverse, for any subset of rows: with J = U diag(s) V^T,
//     v = sum_k  s_k / (s_k^2 + lambda_k^2)  (u_k . V_wanted)  v_k,
//     lambda_k^2 = (1 - (s_k / epsilon)^2) lambda_max^2  where s_k < epsilon, else 0,
// so that only the directions that are nearly lost are damped, and damping grows smoothly from zero (Maciejewski, Klein
// 1988; Chiaverini 1997). The result says how far the hand then departs from what was wanted, split in the part that no
// joint rates could give (outside the range of J) and the part that damping gave up to keep rates bounded.
// Rows in metres and rows in radians meet in s; `length` [m] turns the linear rows into radians: v / length.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "server/core/math/svd.h"

namespace torqued {

// Rows 0-2 linear, 3-5 angular.
using TaskRows = std::vector<int>;
inline TaskRows AllRows() { return {0, 1, 2, 3, 4, 5}; }
inline TaskRows TranslationRows() { return {0, 1, 2}; }
inline TaskRows RotationRows() { return {3, 4, 5}; }
inline TaskRows PlanarRows() { return {0, 1, 5}; }  // x, y and the turn about z

// The chosen rows of J [6 x nv], linear ones divided by length.
inline Eigen::MatrixXd SelectRows(const Eigen::Ref<const Eigen::MatrixXd>& J, const TaskRows& rows, double length = 1) {
  Eigen::MatrixXd out(static_cast<int>(rows.size()), J.cols());
  for (size_t i = 0; i < rows.size(); ++i) out.row(static_cast<int>(i)) = J.row(rows[i]) / (rows[i] < 3 ? length : 1);
  return out;
}
inline Eigen::VectorXd SelectEntries(const Eigen::VectorXd& V, const TaskRows& rows, double length = 1) {
  Eigen::VectorXd out(static_cast<int>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) out[static_cast<int>(i)] = V[rows[i]] / (rows[i] < 3 ? length : 1);
  return out;
}

struct DampingOptions {
  double length = 1;          // [m] that counts as much as one radian
  double epsilon = 0.02;      // singular values below this are damped; 0: never
  double max_damping = 0.05;  // lambda_max
};

struct InverseVelocity {
  Eigen::VectorXd v;                // [nv] rad/s, m/s: the smallest rates that do it
  Eigen::VectorXd singular_values;  // of the chosen, scaled rows, descending
  Eigen::VectorXd damping;          // lambda_k per singular value; zeros: exact
  Eigen::VectorXd residual;         // wanted - J v, per chosen row [m/s, rad/s]
  double unreachable = 0;           // norm of the part that no rates give (scaled rows)
  double damping_cost = 0;          // norm of the part that damping gave up (scaled rows)
  double undamped_norm = 0;         // |v| that the undamped solution would have; infinite where a direction is lost
  bool damped = false;
};

// `wanted`: per chosen row [m/s, rad/s]. J: 6 x nv in the same axes. Allocates.
inline InverseVelocity SolveInverseVelocity(const Eigen::Ref<const Eigen::MatrixXd>& J, const TaskRows& rows,
                                            const Eigen::VectorXd& wanted, const DampingOptions& o = {}) {
  const Eigen::MatrixXd A = SelectRows(J, rows, o.length);
  Eigen::VectorXd V = wanted;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 3) V[static_cast<int>(i)] /= o.length;
  const Svd svd = ComputeSvd(A);
  InverseVelocity out;
  const int r = static_cast<int>(svd.s.size());
  out.singular_values = svd.s;
  out.damping = Eigen::VectorXd::Zero(r);
  out.v = Eigen::VectorXd::Zero(A.cols());
  const double nothing = 1e-13 * (r > 0 ? svd.s[0] : 0);
  double undamped_sq = 0, given_up_sq = 0;
  Eigen::VectorXd outside = V;
  for (int k = 0; k < r; ++k) {
    const double s = svd.s[k], part = svd.U.col(k).dot(V);
    if (s < o.epsilon) out.damping[k] = o.max_damping * std::sqrt(1 - (s / o.epsilon) * (s / o.epsilon));
    if (s <= nothing) {  // lost: its part is unreachable, not a matter of damping
      if (std::abs(part) > 1e-12 * V.norm()) undamped_sq = HUGE_VAL;
      continue;
    }
    outside -= svd.U.col(k) * part;
    const double lambda_sq = out.damping[k] * out.damping[k];
    out.v += svd.V.col(k) * (part * s / (s * s + lambda_sq));
    undamped_sq += part * part / (s * s);
    given_up_sq += std::pow(part * lambda_sq / (s * s + lambda_sq), 2);
    if (lambda_sq > 0 && std::abs(part) > 1e-12 * V.norm()) out.damped = true;
  }
  out.unreachable = outside.norm();
  if (out.unreachable <= 1e-13 * V.norm()) out.unreachable = 0;
  out.damping_cost = std::sqrt(given_up_sq);
  out.undamped_norm = std::sqrt(undamped_sq);
  out.residual = wanted - SelectRows(J, rows) * out.v;
  return out;
}

}  // namespace torqued
