// Is the hand losing a direction here? Which one, which joint motion does nothing, and is it the edge of the workspace?
//
// J (chosen rows; linear rows divided by `length`) = U diag(s) V^T. Rank: s_k > tolerance * s_0. Singular means that the
// rank is below what the robot has in general (found at seeded random postures): a planar arm never leaves its plane,
// which is a property of the arm and not of the posture. Such directions are told apart (never).
//
// Boundary or interior. At a singular posture a lost direction u makes q a critical point of the hand's coordinate along
// u: to second order, with H_u(x, y) = u . (second derivative of the hand along x, y),
//     moving by x with J x = 0 brings the hand (1/2) H_u(x, x) along u and nothing to first order.
//   - H_u of one sign on the null space of J: whatever the joints do, the hand stays on one side. The workspace of this
//     posture ends here: BOUNDARY (a fold; outer edge of a stretched arm, or the inner wall of a hole).
//   - both signs: the hand passes to either side: INTERIOR.
//   - a null motion x0 with H_u(x0, x0) = 0 that turns the lost direction, H_u(x0, .) != 0: along this self-motion other
//     directions are lost instead, so u is not barred: INTERIOR (a wrist in line, a hand over its shoulder).
//   - a null motion with H_u(x0, .) = 0 altogether says nothing and is left out of the sign test; if nothing is left, the
//     kind is UNDETERMINED at second order (a redundant joint that moves nothing, a self-motion at its dead point):
//     ik/singularity_probe.h then tries.
// H_u(x, x) = u . (dJ/dt v at v = x), exact; at a critical point this is the true second derivative also for rotations.
// With several lost directions one u in their span that bars the way makes it a boundary. Tried are the basis, mixtures
// of pairs, and for two null motions those u that some self-motion x0 does not turn (H_u(x0, .) = 0 is linear in u).
#pragma once

#include <algorithm>
#include <cmath>

#include "server/core/dynamics/manifold.h"
#include "server/core/dynamics/velocity_analysis.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/math/random.h"

namespace torqued {

enum class SingularityKind { kRegular, kBoundary, kInterior, kUndetermined };

inline const char* Name(SingularityKind k) {
  switch (k) {
    case SingularityKind::kRegular: return "regular";
    case SingularityKind::kBoundary: return "boundary";
    case SingularityKind::kInterior: return "interior";
    case SingularityKind::kUndetermined: return "undetermined";
  }
  return "";
}

struct SingularityOptions {
  TaskRows rows = AllRows();
  double length = 1;          // [m] that counts as much as one radian
  double tolerance = 1e-8;    // of the largest singular value
  std::uint64_t seed = 1;     // of the postures that tell the rank in general
};

struct Singularity {
  Eigen::VectorXd singular_values;
  int rank = 0;
  int general_rank = 0;          // what this robot has at random postures
  bool singular = false;         // rank < general_rank
  double condition = 0;          // s_0 / s_general_rank-1; infinite if singular
  double yoshikawa = 0;          // sqrt(det(J J^T)) over the chosen rows: product of singular values (zero if rows > nv)
  SingularityKind kind = SingularityKind::kRegular;
  Eigen::MatrixXd lost;          // columns: hand directions [rows] lost here, never-given ones excluded
  Eigen::MatrixXd never;         // columns: hand directions [rows] that this robot gives nowhere
  Eigen::MatrixXd idle;          // columns: joint rates [nv] that do nothing for the chosen rows
};

// sqrt(det(J J^T)); J with fewer columns than rows: zero.
inline double Yoshikawa(const Eigen::MatrixXd& J) {
  if (J.cols() < J.rows()) return 0;
  const Svd svd = ComputeSvd(J);
  return svd.s.prod();
}

// Asada: smallest over largest eigenvalue of the chosen block of M_x = (J M^-1 J^T)^-1: 1 feels the same in all directions.
// J [6 x nv]; where the hand has fewer than six freedoms M_x of the chosen rows alone, the others left free.
// REQUIRES: Minv [nv x nv] symmetric positive definite; rows of one unit.
inline double Asada(const Eigen::MatrixXd& J, const Eigen::MatrixXd& Minv, const TaskRows& rows) {
  const SymmetricEigen whole = ComputeSymmetricEigen(J * Minv * J.transpose());
  const int n = static_cast<int>(rows.size());
  Eigen::VectorXd e;
  if (J.rows() == 6 && whole.values[0] > 1e-12 * whole.values[5]) {
    const Eigen::MatrixXd M_x = whole.vectors * whole.values.cwiseInverse().asDiagonal() * whole.vectors.transpose();
    Eigen::MatrixXd block(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) block(i, j) = M_x(rows[i], rows[j]);
    e = ComputeSymmetricEigen(block).values;
  } else {
    const Eigen::MatrixXd A = SelectRows(J, rows);
    e = ComputeSymmetricEigen(A * Minv * A.transpose()).values;
  }
  return n == 0 || e[n - 1] <= 0 ? 0 : std::max(0.0, e[0]) / e[n - 1];
}

// What a robot can do with the chosen rows at postures in general (seeded).
struct GeneralAbility {
  int rank = 0;            // the best of them
  Eigen::MatrixXd never;   // columns: directions that none of them gives
  double largest = 0;      // size of a typical largest singular value
};

inline GeneralAbility AbilityInGeneral(const Prepared& m, const BodyFrame& frame, const SingularityOptions& o,
                                       Workspace<double>& ws) {
  constexpr int kPostures = 8;
  const int rows = static_cast<int>(o.rows.size());
  GeneralAbility out;
  Random random(o.seed);
  Eigen::VectorXd at(m.nq), delta(m.nv);
  Eigen::MatrixXd J(6, m.nv), all(rows, m.nv * kPostures);
  for (int k = 0; k < kPostures; ++k) {
    for (int i = 0; i < m.nv; ++i) delta[i] = random.Uniform(-3, 3);
    SetNeutral(m, at.data());
    AddTangent(m, delta.data(), 1.0, at.data());
    Jacobian(m, frame, Expression::kWorldAligned, at.data(), ws, J.data());
    const Eigen::MatrixXd A = SelectRows(J, o.rows, o.length);
    const Svd svd = ComputeSvd(A);
    out.rank = std::max(out.rank, svd.s.size() ? svd.Rank(1e-9 * svd.s[0]) : 0);
    all.middleCols(k * m.nv, m.nv) = A;
  }
  const Svd everywhere = ComputeSvd(all);
  const double most = everywhere.s.size() ? everywhere.s[0] : 0;
  out.largest = most / std::sqrt(kPostures);
  out.never = everywhere.U.rightCols(rows - everywhere.Rank(1e-9 * most));
  return out;
}

// The rows that suit an arm: all six if it has them, else the largest usual subset that it gives in full (SCARA: x, y, z
// and the turn about z; then translation, the plane x-y with its turn, rotation, a pair of directions, one).
inline TaskRows SuggestRows(const Prepared& m, const BodyFrame& frame, Workspace<double>& ws) {
  const TaskRows usual[] = {AllRows(), {0, 1, 2, 5}, TranslationRows(), PlanarRows(), RotationRows(),
                            {0, 1},    {0, 2},       {1, 2},            {0},          {1},
                            {2},       {5},          {4},               {3}};
  SingularityOptions o;
  for (const TaskRows& rows : usual) {
    o.rows = rows;
    if (static_cast<int>(rows.size()) <= m.nv && AbilityInGeneral(m, frame, o, ws).rank == static_cast<int>(rows.size()))
      return rows;
  }
  return AllRows();
}

namespace singularity_detail {

// S(x, y) = H_u(x, y) for all pairs of unit rates, by polarisation of u . (dJ/dt v).
class SecondOrder {
 public:
  SecondOrder(const Prepared& m, const BodyFrame& frame, const double* q, const SingularityOptions& o, Workspace<double>& ws)
      : n_(m.nv) {
    const auto form = [&](const Eigen::VectorXd& v) {
      Eigen::VectorXd out(6);
      JacobianDotV(m, frame, Expression::kWorldAligned, q, v.data(), ws, out.data());
      return SelectEntries(out, o.rows, o.length);
    };
    values_.resize(n_ * n_, Eigen::VectorXd());
    for (int i = 0; i < n_; ++i) values_[i * n_ + i] = form(Eigen::VectorXd::Unit(n_, i));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j)
        values_[i * n_ + j] = values_[j * n_ + i] =
            (form(Eigen::VectorXd::Unit(n_, i) + Eigen::VectorXd::Unit(n_, j)) - values_[i * n_ + i] - values_[j * n_ + j]) / 2.0;
  }
  Eigen::MatrixXd Along(const Eigen::VectorXd& u) const {
    Eigen::MatrixXd H(n_, n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) H(i, j) = u.dot(values_[i * n_ + j]);
    return H;
  }

 private:
  int n_;
  std::vector<Eigen::VectorXd> values_;
};

// The kind for one lost direction with second derivative H; N spans the null space of J.
inline SingularityKind KindAlong(const Eigen::MatrixXd& H, const Eigen::MatrixXd& N) {
  const double scale = std::max(H.cwiseAbs().maxCoeff(), 1e-300), least = 1e-7 * scale;
  if (scale <= 1e-12) return SingularityKind::kUndetermined;
  const SymmetricEigen e = ComputeSymmetricEigen(N.transpose() * H * N);
  bool plus = false, minus = false, turns = false;
  for (int k = 0; k < e.values.size(); ++k) {
    if (e.values[k] > least) plus = true;
    else if (e.values[k] < -least) minus = true;
    else if ((H * (N * e.vectors.col(k))).norm() > least) turns = true;
  }
  if ((plus && minus) || turns) return SingularityKind::kInterior;
  return plus || minus ? SingularityKind::kBoundary : SingularityKind::kUndetermined;
}

// The null motions x with H_i(x, x) = 0 for all lost directions i, if N has two columns: x lies between the eigenvectors
// of the first form that is not zero, by the square roots of the other's eigenvalue.
inline std::vector<Eigen::VectorXd> SelfMotions(const std::vector<Eigen::MatrixXd>& H, const Eigen::MatrixXd& N) {
  std::vector<Eigen::VectorXd> out;
  if (N.cols() != 2) return out;
  for (const Eigen::MatrixXd& A : H) {
    const double least = 1e-7 * std::max(A.cwiseAbs().maxCoeff(), 1e-300);
    const SymmetricEigen e = ComputeSymmetricEigen(N.transpose() * A * N);
    if (e.values.cwiseAbs().maxCoeff() <= least || e.values[0] > least || e.values[1] < -least) continue;
    for (const double side : {1.0, -1.0}) {
      const Eigen::VectorXd x = N * (std::sqrt(std::max(0.0, e.values[1])) * e.vectors.col(0) +
                                     side * std::sqrt(std::max(0.0, -e.values[0])) * e.vectors.col(1));
      out.push_back(x / x.norm());
    }
    break;
  }
  std::erase_if(out, [&H](const Eigen::VectorXd& x) {
    for (const Eigen::MatrixXd& A : H)
      if (std::abs(x.dot(A * x)) > 1e-6 * A.cwiseAbs().maxCoeff()) return true;
    return false;
  });
  return out;
}

}  // namespace singularity_detail

// At q [nq], for the frame in world-aligned axes. Allocates; about 40 Jacobians and, if singular, nv^2 / 2 of (dJ/dt) v.
inline Singularity AnalyseSingularity(const Prepared& m, const BodyFrame& frame, const double* q,
                                      const SingularityOptions& o, Workspace<double>& ws) {
  const int rows = static_cast<int>(o.rows.size());
  Eigen::MatrixXd J(6, m.nv);
  Singularity out;
  const GeneralAbility general = AbilityInGeneral(m, frame, o, ws);
  out.general_rank = general.rank;
  out.never = general.never;

  Jacobian(m, frame, Expression::kWorldAligned, q, ws, J.data());
  const Eigen::MatrixXd A = SelectRows(J, o.rows, o.length);
  const Svd svd = ComputeSvd(A);
  out.singular_values = svd.s;
  // Scale: the posture's own largest singular value, or the robot's if the posture has none.
  const double scale = std::max(svd.s.size() ? svd.s[0] : 0, 1e-3 * general.largest);
  out.rank = svd.Rank(o.tolerance * scale);
  out.singular = out.rank < out.general_rank;
  out.yoshikawa = m.nv < rows ? 0 : svd.s.prod();
  out.condition = out.singular || out.general_rank == 0 ? HUGE_VAL : svd.s[0] / svd.s[out.general_rank - 1];
  out.idle = svd.V.rightCols(m.nv - out.rank);
  if (!out.singular) {
    out.lost.resize(rows, 0);
    return out;
  }
  // Left null space without what is never given.
  Eigen::MatrixXd left = svd.U.rightCols(rows - out.rank);
  const Eigen::MatrixXd rest = left - out.never * (out.never.transpose() * left);
  const Svd basis = ComputeSvd(rest);
  out.lost = basis.U.leftCols(basis.Rank(1e-6));

  const singularity_detail::SecondOrder second(m, frame, q, o, ws);
  const int d = static_cast<int>(out.lost.cols());
  bool interior = false;
  const auto test = [&](const Eigen::VectorXd& u) {
    const SingularityKind k = singularity_detail::KindAlong(second.Along(u), out.idle);
    if (k == SingularityKind::kBoundary) out.kind = k;
    interior = interior || k == SingularityKind::kInterior;
  };
  out.kind = SingularityKind::kUndetermined;
  for (int i = 0; i < d; ++i) test(out.lost.col(i));
  std::vector<Eigen::MatrixXd> H;
  for (int i = 0; i < d; ++i) H.push_back(second.Along(out.lost.col(i)));
  for (const Eigen::VectorXd& x : singularity_detail::SelfMotions(H, out.idle)) {
    Eigen::MatrixXd turn(m.nv, d);
    for (int i = 0; i < d; ++i) turn.col(i) = H[i] * x;
    const Svd kept = ComputeSvd(turn);
    for (int k = kept.Rank(1e-7 * kept.s[0]); k < d; ++k) test(out.lost * kept.V.col(k));
  }
  // Mixtures of each pair, in steps of two degrees.
  for (int i = 0; i < d && out.kind != SingularityKind::kBoundary; ++i)
    for (int j = 0; j < i; ++j)
      for (int step = 1; step < 90 && out.kind != SingularityKind::kBoundary; ++step) {
        const double angle = step * M_PI / 90;
        test(std::cos(angle) * out.lost.col(i) + std::sin(angle) * out.lost.col(j));
      }
  if (out.kind != SingularityKind::kBoundary && interior) out.kind = SingularityKind::kInterior;
  return out;
}

}  // namespace torqued
