// Can these base parameters belong to real bodies? And if so, to which?
//
// A body is real if its pseudo-inertia is positive semidefinite (Wensing, Kim, Slotine 2018):
//     P = [ S  mc; mc^T  m ] >= 0,   S = 1/2 tr(I) 1 - I   (second moments of mass about the frame's origin)
// which says at once: mass positive, centre inside, principal moments positive and within the triangle inequality.
// Base parameters beta fix an affine set of full parameters. Its point that is nearest to real bodies is sought by
// projecting in turn on the affine set and on P >= 0 (eigenvalues below zero cut off), both in P's own metric with
// lengths measured in units of `length`, starting from a guess (the model as described). The sets meet: feasible.
#pragma once

#include <algorithm>
#include <vector>

#include "server/core/dynamics/base_parameters.h"
#include "server/core/math/svd.h"

namespace torqued {

// P of one link's parameters, lengths in units of `length` [m].
inline Eigen::Matrix4d PseudoInertia(const double* pi, double length = 1) {
  const double xx = pi[4], xy = pi[5], yy = pi[6], xz = pi[7], yz = pi[8], zz = pi[9], l = length, ll = l * l;
  Eigen::Matrix4d P;
  P << (yy + zz - xx) / 2 / ll, -xy / ll, -xz / ll, pi[1] / l,  //
      -xy / ll, (xx + zz - yy) / 2 / ll, -yz / ll, pi[2] / l,   //
      -xz / ll, -yz / ll, (xx + yy - zz) / 2 / ll, pi[3] / l,   //
      pi[1] / l, pi[2] / l, pi[3] / l, pi[0];
  return P;
}
inline void ToLinkParameters(const Eigen::Matrix4d& P, double length, double* pi) {
  const double l = length, ll = l * l;
  const double out[] = {P(3, 3),
                        P(0, 3) * l,
                        P(1, 3) * l,
                        P(2, 3) * l,
                        (P(1, 1) + P(2, 2)) * ll,
                        -P(0, 1) * ll,
                        (P(0, 0) + P(2, 2)) * ll,
                        -P(0, 2) * ll,
                        -P(1, 2) * ll,
                        (P(0, 0) + P(1, 1)) * ll};
  std::copy(out, out + kLinkParameters, pi);
}

struct Feasibility {
  bool feasible = false;
  double violation = 0;     // most negative eigenvalue of P of the point on the affine set [kg, lengths in `length`], >= 0
  Eigen::VectorXd parameters;  // full parameters with exactly beta, as near to real bodies as found
  Eigen::VectorXd nearest;     // full parameters of real bodies, as near to beta as found
  int iterations = 0;
};

// `links`: the first 10 links columns are link parameters; further columns (rotor inertias, friction) must not be
// negative. `guess`: full parameters to start from. `length` [m]: the robot's typical link.
inline Feasibility CheckFeasibility(const BaseParameters& base, const Eigen::VectorXd& beta, int links,
                                    const Eigen::VectorXd& guess, double length = 0.3, int iterations = 3000) {
  const int p = static_cast<int>(guess.size()), r = base.rank();
  // Coordinates z in which P's Frobenius norm is Euclidean: diagonal entries, sqrt(2) times the others.
  const auto to_z = [&](const Eigen::VectorXd& pi) {
    Eigen::VectorXd z = pi;
    for (int l = 0; l < links; ++l) {
      const Eigen::Matrix4d P = PseudoInertia(pi.data() + kLinkParameters * l, length);
      int k = kLinkParameters * l;
      for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) z[k++] = i == j ? P(i, j) : std::sqrt(2.0) * P(i, j);
    }
    return z;
  };
  const auto to_matrix = [&](const Eigen::VectorXd& z, int l) {
    Eigen::Matrix4d P;
    int k = kLinkParameters * l;
    for (int i = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j, ++k) P(i, j) = P(j, i) = i == j ? z[k] : z[k] / std::sqrt(2.0);
    return P;
  };
  const auto to_pi = [&](const Eigen::VectorXd& z) {
    Eigen::VectorXd pi = z;
    for (int l = 0; l < links; ++l) ToLinkParameters(to_matrix(z, l), length, pi.data() + kLinkParameters * l);
    return pi;
  };

  // A z = beta, through the images of the unit vectors.
  Eigen::MatrixXd A(r, p);
  for (int j = 0; j < p; ++j) A.col(j) = base.Reduce(to_pi(Eigen::VectorXd::Unit(p, j)));
  const Svd svd = ComputeSvd(A.transpose());  // A^T = U s V^T
  const double least = 1e-12 * (svd.s.size() ? svd.s[0] : 0);
  const auto onto_affine = [&](const Eigen::VectorXd& z) -> Eigen::VectorXd {
    const Eigen::VectorXd miss = svd.V.transpose() * (beta - A * z);
    Eigen::VectorXd out = z;
    for (int k = 0; k < svd.Rank(least); ++k) out += svd.U.col(k) * (miss[k] / svd.s[k]);
    return out;
  };
  const auto onto_cone = [&](Eigen::VectorXd z, double& violation) {
    violation = 0;
    for (int l = 0; l < links; ++l) {
      const SymmetricEigen e = ComputeSymmetricEigen(to_matrix(z, l));
      if (e.values[0] >= 0) continue;
      violation = std::max(violation, -e.values[0]);
      const Eigen::Matrix4d P = e.vectors * e.values.cwiseMax(0).asDiagonal() * e.vectors.transpose();
      int k = kLinkParameters * l;
      for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) z[k++] = i == j ? P(i, j) : std::sqrt(2.0) * P(i, j);
    }
    for (int k = kLinkParameters * links; k < p; ++k) {
      violation = std::max(violation, -z[k]);
      z[k] = std::max(z[k], 0.0);
    }
    return z;
  };

  Feasibility out;
  Eigen::VectorXd z = onto_affine(to_z(guess));
  const double scale = std::max(1e-9, z.cwiseAbs().maxCoeff());
  for (out.iterations = 0; out.iterations <= iterations; ++out.iterations) {
    const Eigen::VectorXd real = onto_cone(z, out.violation);
    out.nearest = to_pi(real);
    if (out.violation <= 1e-9 * scale) {
      out.feasible = true;
      break;
    }
    z = onto_affine(z + 1.5 * (real - z));  // over-relaxed: reaches the inside of the cone in finite time
  }
  out.parameters = to_pi(z);
  return out;
}

}  // namespace torqued
