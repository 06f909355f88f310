// What does the hand's own equation of motion look like? F = M_x xdd + U_x + G_x.
//
// With L = J M^-1 J^T (chosen rows), M_x = L^-1, and tau = J^T F:
//     U_x = M_x (J M^-1 (C v + rotor terms) - (dJ/dt) v),      G_x = M_x J M^-1 g.       Khatib 1987.
// At a singularity L has directions in which no force accelerates the hand: M_x there would be infinite. Two ways:
//   reduced  the equation holds in the directions that the hand still has; lost ones are named and have zero rows;
//   damped   eigenvalues e of L are inverted as e / (e^2 + mu^2): finite everywhere, wrong by what `departure` says.
// A redundant arm has motion that the hand does not show; M_x is then what a force at the hand feels with that motion free.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "server/core/dynamics/velocity_analysis.h"
#include "server/core/dynamics/derivatives.h"

namespace torqued {

enum class SingularTreatment { kReduced, kDamped };

struct OperationalOptions {
  TaskRows rows = AllRows();
  Expression expression = Expression::kWorldAligned;
  SingularTreatment treatment = SingularTreatment::kReduced;
  double tolerance = 1e-9;   // of the largest eigenvalue of L: below it a direction counts as lost
  double damping = 1e-3;     // mu as a share of the largest eigenvalue of L
};

struct OperationalSpace {
  Eigen::MatrixXd M_x;           // [rows x rows] kg, kg m, kg m^2
  Eigen::VectorXd U_x, G_x;      // [rows] N, Nm
  Eigen::MatrixXd L;             // J M^-1 J^T
  double condition = 0;          // of L over the directions that are left
  int rank = 0;
  Eigen::MatrixXd lost;          // columns: directions without an equation (reduced) or damped away
  bool singular = false;         // some direction was treated
  double departure = 0;          // damped: largest |1 - e inverse(e)| over the directions kept
};

class OperationalSpaceSolver {
 public:
  explicit OperationalSpaceSolver(const Prepared& m)
      : m_(m), ws_(m), J_(6, m.nv), M_(m.nv, m.nv), c_(m.nv), g_(m.nv), dotv_(6) {}

  // At q [nq], v [nv] (null: zero). M singular: status names the joint and `out` is not written.
  SolveStatus Solve(const BodyFrame& frame, const Conditions& c, const OperationalOptions& o, const double* q,
                    const double* v, OperationalSpace& out) {
    PlaceBodies(m_, TreePositions(m_, q, ws_), ws_);
    MassMatrixPlaced<true>(m_, c, ws_, M_.data());
    const SolveStatus status = FactorMassMatrix(m_, ws_.pivot_scale.data(), M_.data());
    if (!status.ok()) return status;
    Jacobian(m_, frame, o.expression, q, ws_, J_.data());
    const Eigen::MatrixXd J = SelectRows(J_, o.rows);
    Eigen::MatrixXd MinvJt = J.transpose();
    for (int k = 0; k < MinvJt.cols(); ++k) SolveMassMatrix(m_, M_.data(), MinvJt.col(k).data());
    out.L = J * MinvJt;
    out.L = (0.5 * (out.L + out.L.transpose())).eval();

    Conditions still = c;
    still.terms.friction = still.terms.springs = false;
    InverseDynamics<double>(m_, still, q, nullptr, nullptr, ws_, g_.data());
    Eigen::VectorXd bias_x = Eigen::VectorXd::Zero(J.rows());
    c_.setZero();
    if (v) {
      CoriolisTorque<double>(m_, still, q, v, ws_, c_.data());
      JacobianDotV(m_, frame, o.expression, q, v, ws_, dotv_.data());
      bias_x = SelectEntries(dotv_, o.rows);
    }
    const SymmetricEigen e = ComputeSymmetricEigen(out.L);
    const int r = static_cast<int>(e.values.size());
    const double largest = r > 0 ? std::max(e.values[r - 1], 0.0) : 0, mu = o.damping * largest;
    Eigen::VectorXd inverse(r);
    out.rank = 0;
    out.departure = 0;
    double smallest = largest;
    for (int k = 0; k < r; ++k) {
      const double x = e.values[k];
      const bool kept = x > o.tolerance * largest;
      out.rank += kept;
      if (kept) smallest = std::min(smallest, x);
      if (o.treatment == SingularTreatment::kReduced) {
        inverse[k] = kept ? 1 / x : 0;
      } else {
        inverse[k] = x / (x * x + mu * mu + 1e-300);
        if (kept) out.departure = std::max(out.departure, std::abs(1 - x * inverse[k]));
      }
    }
    out.singular = out.rank < r;
    out.condition = smallest > 0 ? largest / smallest : HUGE_VAL;
    out.lost = e.vectors.leftCols(r - out.rank);
    out.M_x = e.vectors * inverse.asDiagonal() * e.vectors.transpose();
    out.U_x = out.M_x * (MinvJt.transpose() * c_ - bias_x);
    out.G_x = out.M_x * (MinvJt.transpose() * g_);
    return status;
  }

 private:
  const Prepared& m_;
  Workspace<double> ws_;
  Eigen::MatrixXd J_, M_;
  Eigen::VectorXd c_, g_, dotv_;
};

}  // namespace torqued
