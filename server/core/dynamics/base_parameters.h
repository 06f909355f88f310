// Which combinations of inertial parameters can a robot's torques show at all?
//
// Columns of Y that depend on others over all motions never show alone. Over random states (seeded) the columns are
// taken in order; a column that the chosen ones explain is dependent, and its parameter adds to theirs:
//     Y_dep = Y_ind K,    tau = Y pi = Y_ind (pi_ind + K pi_dep) = Y_ind beta.
// Gautier 1991 (numerical calculation of base inertial parameters); columns are scaled to unit length first, so that
// the decision does not depend on units. Order of preference: as the columns stand (m, mc, I of the first link first).
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "server/core/dynamics/manifold.h"
#include "server/core/dynamics/regressor.h"
#include "server/core/math/least_squares.h"
#include "server/core/math/random.h"

namespace torqued {

struct BaseParameters {
  std::vector<int> independent;  // columns kept
  std::vector<int> dependent;    // columns that only add to others (all-zero ones too: their K column is zero)
  Eigen::MatrixXd K;             // independent x dependent

  int rank() const { return static_cast<int>(independent.size()); }

  // beta of full parameters pi.
  Eigen::VectorXd Reduce(const Eigen::VectorXd& pi) const {
    Eigen::VectorXd beta(rank());
    for (int i = 0; i < rank(); ++i) {
      beta[i] = pi[independent[i]];
      for (size_t j = 0; j < dependent.size(); ++j) beta[i] += K(i, static_cast<int>(j)) * pi[dependent[j]];
    }
    return beta;
  }
};

// From the triangular factor R of many rows of Y. `tolerance`: relative to the column's own length.
inline BaseParameters BaseFromFactor(const Eigen::MatrixXd& R, double tolerance) {
  const int p = static_cast<int>(R.cols());
  BaseParameters out;
  Eigen::VectorXd length = R.colwise().norm();
  const double longest = length.size() ? length.maxCoeff() : 0;
  Eigen::MatrixXd Q(R.rows(), p);                          // orthonormal basis of the chosen columns
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(p, p);         // scaled columns in that basis (upper triangular)
  for (int j = 0; j < p; ++j) {
    const bool nothing = length[j] <= 1e-13 * longest;
    Eigen::VectorXd x = R.col(j) / (nothing ? 1.0 : length[j]);
    const int r = out.rank();
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < r; ++k) {
        const double h = Q.col(k).dot(x);
        C(k, j) += h;
        x -= h * Q.col(k);
      }
    if (!nothing && x.norm() > tolerance) {
      C(r, j) = x.norm();
      Q.col(r) = x / x.norm();
      out.independent.push_back(j);
    } else {
      if (nothing) C.col(j).setZero();
      out.dependent.push_back(j);
    }
  }
  // K: back substitution with the chosen columns of C; scales undone; rounding removed.
  const int r = out.rank();
  out.K.setZero(r, static_cast<int>(out.dependent.size()));
  for (size_t d = 0; d < out.dependent.size(); ++d) {
    const int j = out.dependent[d];
    Eigen::VectorXd y = C.col(j).head(r);
    for (int i = r - 1; i >= 0; --i) {
      for (int k = i + 1; k < r; ++k) y[i] -= C(i, out.independent[k]) * y[k];
      y[i] /= C(i, out.independent[i]);
    }
    for (int i = 0; i < r; ++i) {
      const double k = y[i] * length[j] / length[out.independent[i]];
      out.K(i, static_cast<int>(d)) = std::abs(y[i]) > 1e-9 ? k : 0.0;
    }
  }
  return out;
}

// Over `states` random states: positions within +-pi (a slide: +-1 m), rates and accelerations within +-3.
inline BaseParameters FindBaseParameters(const Prepared& m, const RegressorColumns& columns, const Conditions& c,
                                         std::uint64_t seed = 1, int states = 0, double tolerance = 1e-8) {
  const int p = columns.Count(m);
  if (states == 0) states = 30 + 4 * p / std::max(1, m.nv);
  Random random(seed);
  Workspace<double> ws(m);
  RowAccumulator rows(p);
  Eigen::MatrixXd Y(m.nv, p);
  Eigen::VectorXd q(m.nq), v(m.nv), a(m.nv), delta(m.nv);
  for (int s = 0; s < states; ++s) {
    for (int i = 0; i < m.nv; ++i) {
      delta[i] = random.Uniform(-3.141592653589793, 3.141592653589793);
      v[i] = random.Uniform(-3, 3);
      a[i] = random.Uniform(-3, 3);
    }
    SetNeutral(m, q.data());
    AddTangent(m, delta.data(), 1.0, q.data());
    Regressor(m, columns, c, q.data(), v.data(), a.data(), ws, Y.data());
    for (int i = 0; i < m.nv; ++i) rows.Add(Y.row(i), 0);
  }
  return BaseFromFactor(rows.R(), tolerance);
}

// "link2.m", "rotor shoulder.J", "v3.viscous": the name of each column.
inline std::vector<std::string> ColumnNames(const Prepared& m, const RegressorColumns& columns) {
  static constexpr const char* kNames[] = {"m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
  std::vector<std::string> out;
  for (int l = 0; l < columns.links; ++l)
    for (const char* name : kNames) out.push_back(m.frame_names[l] + "." + name);
  if (columns.rotors)
    for (size_t r = 0; r < m.rotors.size(); ++r) out.push_back("rotor" + std::to_string(r) + ".J");
  if (columns.friction)
    for (int k = 0; k < m.nv; ++k)
      for (const char* name : {".viscous", ".coulomb_positive", ".coulomb_negative"})
        out.push_back("v" + std::to_string(k) + name);
  return out;
}

}  // namespace torqued
