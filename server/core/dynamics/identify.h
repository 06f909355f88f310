// Which parameters does a recorded motion show? Least squares on base parameters, with how sure each one is.
//
//     [Y_ind(q_t, v_t, a_t)] beta = tau_t - known_t,     rows weighted by 1 / sigma_i of joint i.
// sigma: as given, or from the residuals of an unweighted first pass. Covariance of beta: (W^T W)^-1 with W weighted.
// The triangular factor takes row by row (math/least_squares.h): a recording of any length, and no W^T W.
// Condition number: of W with columns scaled to unit length, which is what the motion, not the units, is to blame for.
#pragma once

#include <cmath>
#include <vector>

#include "server/core/dynamics/feasibility.h"

namespace torqued {

// One sample of a recording; views, nv values each (q: nq).
struct MotionSample {
  const double *q = nullptr, *v = nullptr, *a = nullptr, *tau = nullptr;
};

struct IdentifyOptions {
  RegressorColumns columns;
  Eigen::VectorXd sigma;      // [nv] noise of the torques [Nm, N]; empty: estimated
  Eigen::VectorXd guess;      // full parameters, where feasibility starts looking; empty: zeros
  double length = 0.3;        // [m] typical link
  std::uint64_t seed = 1;     // of the states that find the base parameters
};

struct Identification {
  BaseParameters base;
  Eigen::VectorXd beta;         // estimates
  Eigen::MatrixXd covariance;   // of beta
  Eigen::VectorXd sigma;        // [nv] noise used
  Eigen::VectorXd residual_rms; // [nv] tau - Y beta
  double condition = 0;         // infinite: the motion does not excite all base parameters
  int excited = 0;              // how many directions of beta the motion determines
  long rows = 0;
  Feasibility feasibility;      // meaningful if excited == base.rank()
  Eigen::VectorXd nearest_residual_rms;  // [nv] of the nearest real bodies: noise alone makes small links infeasible,
                                         // and then this stays close to residual_rms
};

namespace identify_detail {

// Calls row(joint, Y_ind row, right side) for each joint of each sample. What c's model knows and the columns do not
// hold (springs; friction and rotors unless they are columns) is subtracted from tau.
template <class Row>
inline void ForEachRow(const Prepared& m, const Conditions& c, const IdentifyOptions& o, const BaseParameters& base,
                       const std::vector<MotionSample>& samples, Workspace<double>& ws, Row&& row) {
  Conditions known = c;
  known.inertias = ws.no_inertias.data();
  known.terms.friction = c.terms.friction && !o.columns.friction;
  known.terms.rotor = c.terms.rotor && !o.columns.rotors;
  Eigen::MatrixXd Y(m.nv, o.columns.Count(m));
  Eigen::VectorXd tau(m.nv);
  Eigen::RowVectorXd y(base.rank());
  for (const MotionSample& s : samples) {
    InverseDynamics(m, known, s.q, s.v, s.a, ws, tau.data());
    Regressor(m, o.columns, c, s.q, s.v, s.a, ws, Y.data());
    for (int i = 0; i < m.nv; ++i) {
      for (int k = 0; k < base.rank(); ++k) y[k] = Y(i, base.independent[k]);
      row(i, y, s.tau[i] - tau[i]);
    }
  }
}

}  // namespace identify_detail

// REQUIRES: finite samples; o.columns.links > 0. c: gravity and what is known. Cost: samples x nv x rank^2.
inline Identification Identify(const Prepared& m, const Conditions& c, const std::vector<MotionSample>& samples,
                               const IdentifyOptions& o) {
  using identify_detail::ForEachRow;
  Identification out;
  Workspace<double> ws(m);
  out.base = FindBaseParameters(m, o.columns, c, o.seed);
  const int r = out.base.rank();
  const auto solve = [&](const Eigen::VectorXd& sigma, Eigen::VectorXd& beta, Svd& svd, Eigen::VectorXd& scale) {
    RowAccumulator rows(r);
    Eigen::RowVectorXd weighted(r);
    ForEachRow(m, c, o, out.base, samples, ws, [&](int i, const Eigen::RowVectorXd& y, double b) {
      weighted = y / sigma[i];
      rows.Add(weighted, b / sigma[i]);
    });
    out.rows = rows.rows();
    scale = rows.R().colwise().norm().cwiseMax(1e-300);
    svd = ComputeSvd(rows.R() * scale.cwiseInverse().asDiagonal());
    out.excited = svd.Rank(1e-10 * svd.s[0]);
    beta = scale.cwiseInverse().asDiagonal() * svd.Solve(rows.y(), 1e-10 * svd.s[0]);
  };
  const auto residuals = [&](const Eigen::VectorXd& beta) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(m.nv);
    ForEachRow(m, c, o, out.base, samples, ws,
               [&](int i, const Eigen::RowVectorXd& y, double b) { sum[i] += std::pow(b - y.dot(beta), 2); });
    return sum;
  };

  Svd svd;
  Eigen::VectorXd scale;
  out.sigma = o.sigma;
  if (out.sigma.size() == 0) {
    solve(Eigen::VectorXd::Ones(m.nv), out.beta, svd, scale);
    // Degrees of freedom are shared among the joints' equations.
    const double left = std::max(1.0, static_cast<double>(samples.size()) - static_cast<double>(r) / m.nv);
    out.sigma = (residuals(out.beta) / left).cwiseSqrt();
    const double floor = std::max(1e-12, 1e-9 * out.sigma.maxCoeff());
    out.sigma = out.sigma.cwiseMax(floor);
  }
  solve(out.sigma, out.beta, svd, scale);
  out.residual_rms = (residuals(out.beta) / std::max<size_t>(1, samples.size())).cwiseSqrt();
  out.condition = out.excited < r ? HUGE_VAL : svd.s[0] / svd.s[r - 1];
  const Eigen::MatrixXd W = scale.cwiseInverse().asDiagonal() * svd.V.leftCols(out.excited) *
                            svd.s.head(out.excited).cwiseInverse().asDiagonal();
  out.covariance = W * W.transpose();
  const Eigen::VectorXd guess = o.guess.size() ? o.guess : Eigen::VectorXd::Zero(o.columns.Count(m));
  out.feasibility = CheckFeasibility(out.base, out.beta, o.columns.links, guess, o.length);
  out.nearest_residual_rms =
      (residuals(out.base.Reduce(out.feasibility.nearest)) / std::max<size_t>(1, samples.size())).cwiseSqrt();
  return out;
}

}  // namespace torqued
