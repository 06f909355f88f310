// Why does a joint need this torque? Term by term, in the textbook's names, adding up to the torque.
//
//   tau_i = D_ii a_i + sum_j D_ij a_j + sum_j D_ijj v_j^2 + sum_{j<k} 2 D_ijk v_j v_k + D_i + friction + springs
//           own        coupling         centripetal        Coriolis                    gravity
// with API.md's symmetric D_ijk. For joints of several entries (floating, spherical) i, j, k count entries of v. The
// rotors' part of the own inertia is told apart; in all other terms the rotors are included. The terms that Conditions
// leave out are left out here in the same way, so that the sum is InverseDynamics' torque.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/core/dynamics/coriolis.h"
#include "server/core/dynamics/inverse_dynamics.h"

namespace torqued {

enum class TermKind { kOwnInertia, kCouplingInertia, kCentripetal, kCoriolis, kGravity, kFriction, kSprings };

inline const char* Name(TermKind k) {
  switch (k) {
    case TermKind::kOwnInertia: return "own inertia";
    case TermKind::kCouplingInertia: return "coupling inertia";
    case TermKind::kCentripetal: return "centripetal";
    case TermKind::kCoriolis: return "Coriolis";
    case TermKind::kGravity: return "gravity";
    case TermKind::kFriction: return "friction";
    case TermKind::kSprings: return "springs";
  }
  return "";
}

struct TorqueTerm {
  TermKind kind = TermKind::kGravity;
  int j = -1, k = -1;      // entries of v whose acceleration (j), square (j) or product (j, k) it is
  double coefficient = 0;  // D_ii, D_ij, D_ijj, D_ijk, D_i; friction, springs: the torque itself
  double torque = 0;       // [Nm, N]
};

struct JointBreakdown {
  double torque = 0;       // sum of the terms
  double own_inertia = 0, own_rotor = 0;  // own_rotor is part of own_inertia
  double coupling = 0, centripetal = 0, coriolis = 0, gravity = 0, friction = 0, springs = 0;
  double own_rotor_coefficient = 0;       // the rotors' part of D_ii
  std::vector<TorqueTerm> terms;          // largest first; velocity and coupling terms without a coefficient left out
};

class TorqueBreakdown {
 public:
  explicit TorqueBreakdown(const Prepared& m)
      : m_(m), ws_(m), n_(m.nv), M_(n_ * n_), M_rotor_(n_ * n_), D_(n_ * n_ * n_), D_rotor_(n_ * n_ * n_), gravity_(n_),
        friction_(n_), springs_(n_), v_(n_), a_(n_), zero_(n_, 0.0) {}

  // At q [nq], v, a [nv] (null: zero). Does not allocate. O(n^3).
  void Evaluate(const Conditions& c, const double* q, const double* v, const double* a) {
    v_.assign(v ? v : zero_.data(), (v ? v : zero_.data()) + n_);
    a_.assign(a ? a : zero_.data(), (a ? a : zero_.data()) + n_);
    std::fill(M_.begin(), M_.end(), 0.0);
    std::fill(D_.begin(), D_.end(), 0.0);
    std::fill(M_rotor_.begin(), M_rotor_.end(), 0.0);
    Conditions links = c;
    links.terms.rotor = false;
    if (c.terms.inertia) MassMatrix(m_, links, q, ws_, M_.data());
    if (c.terms.velocity) CoriolisCoefficients(m_, links, q, ws_, D_.data());
    if (c.terms.rotor && !m_.rotors.empty()) {
      Conditions rotors = c;
      rotors.inertias = ws_.no_inertias.data();
      rotors.terms.rotor = true;
      MassMatrix(m_, rotors, q, ws_, M_rotor_.data());
      CoriolisCoefficients(m_, rotors, q, ws_, D_rotor_.data());
      for (size_t k = 0; k < D_.size(); ++k) D_[k] += D_rotor_[k];
    }
    std::fill(gravity_.begin(), gravity_.end(), 0.0);
    std::fill(friction_.begin(), friction_.end(), 0.0);
    std::fill(springs_.begin(), springs_.end(), 0.0);
    if (c.terms.gravity) GravityTorque(m_, c, q, ws_, gravity_.data());
    if (c.terms.friction) FrictionTorques(m_, v_.data(), friction_.data());
    if (c.terms.springs) SpringTorque(m_, q, ws_, springs_.data());
  }

  // Calls visit(kind, j, k, coefficient, torque) for every term of torque i, zero or not. REQUIRES: Evaluate.
  template <class Visit>
  void ForEachTerm(int i, Visit&& visit) const {
    for (int j = 0; j < n_; ++j) {
      const double d = M_[i * n_ + j] + M_rotor_[i * n_ + j];
      visit(i == j ? TermKind::kOwnInertia : TermKind::kCouplingInertia, j, -1, d, d * a_[j]);
    }
    for (int j = 0; j < n_; ++j) {
      const double* row = D_.data() + (i * n_ + j) * n_;
      visit(TermKind::kCentripetal, j, -1, row[j], row[j] * v_[j] * v_[j]);
      for (int k = j + 1; k < n_; ++k) visit(TermKind::kCoriolis, j, k, row[k], 2 * row[k] * v_[j] * v_[k]);
    }
    visit(TermKind::kGravity, -1, -1, gravity_[i], gravity_[i]);
    visit(TermKind::kFriction, -1, -1, friction_[i], friction_[i]);
    visit(TermKind::kSprings, -1, -1, springs_[i], springs_[i]);
  }

  JointBreakdown Joint(int i) const {
    JointBreakdown out;
    out.own_rotor_coefficient = M_rotor_[i * n_ + i];
    out.own_rotor = out.own_rotor_coefficient * a_[i];
    ForEachTerm(i, [&](TermKind kind, int j, int k, double coefficient, double torque) {
      Sum(out, kind) += torque;
      const bool always = kind == TermKind::kOwnInertia || kind == TermKind::kGravity || kind == TermKind::kFriction;
      if (always || coefficient != 0) out.terms.push_back({kind, j, k, coefficient, torque});
    });
    std::stable_sort(out.terms.begin(), out.terms.end(), [](const TorqueTerm& a, const TorqueTerm& b) {
      return std::abs(a.torque) > std::abs(b.torque);
    });
    for (const TorqueTerm& t : out.terms) out.torque += t.torque;
    return out;
  }

  int size() const { return n_; }

 private:
  static double& Sum(JointBreakdown& b, TermKind kind) {
    switch (kind) {
      case TermKind::kOwnInertia: return b.own_inertia;
      case TermKind::kCouplingInertia: return b.coupling;
      case TermKind::kCentripetal: return b.centripetal;
      case TermKind::kCoriolis: return b.coriolis;
      case TermKind::kGravity: return b.gravity;
      case TermKind::kFriction: return b.friction;
      case TermKind::kSprings: return b.springs;
    }
    return b.springs;
  }

  const Prepared& m_;
  Workspace<double> ws_;
  int n_;
  std::vector<double> M_, M_rotor_, D_, D_rotor_, gravity_, friction_, springs_, v_, a_, zero_;
};

}  // namespace torqued
