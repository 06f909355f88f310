// What does a simpler model get wrong? Drop gravity, velocity products, accelerations or small terms; see the error.
//
// The error is simplified minus full torque, per joint: at one state, over a trajectory, or over a box of states drawn
// from a seed. Terms below a share are chosen at one state (|term| < share of the sum of all |terms| of that torque) and
// stay dropped wherever the error is then asked: a term that is small here may not be small there, and this shows it.
#pragma once

#include <cmath>
#include <vector>

#include "server/core/dynamics/manifold.h"
#include "server/core/dynamics/torque_breakdown.h"
#include "server/core/math/random.h"

namespace torqued {

struct DroppedTerm {
  int i = 0;
  TermKind kind = TermKind::kGravity;
  int j = -1, k = -1;
};

struct Simplification {
  bool gravity = false, velocity = false, acceleration = false, friction = false;  // dropped
  std::vector<DroppedTerm> terms;

  bool Drops(int i, TermKind kind, int j, int k) const {
    switch (kind) {
      case TermKind::kOwnInertia:
      case TermKind::kCouplingInertia:
        if (acceleration) return true;
        break;
      case TermKind::kCentripetal:
      case TermKind::kCoriolis:
        if (velocity) return true;
        break;
      case TermKind::kGravity:
        if (gravity) return true;
        break;
      case TermKind::kFriction:
        if (friction) return true;
        break;
      case TermKind::kSprings: break;
    }
    for (const DroppedTerm& t : terms)
      if (t.i == i && t.kind == kind && t.j == j && t.k == k) return true;
    return false;
  }
};

// The terms below `share` of each torque's sum of |terms| at the state that `b` was evaluated at.
inline std::vector<DroppedTerm> TermsBelow(const TorqueBreakdown& b, double share) {
  std::vector<DroppedTerm> out;
  for (int i = 0; i < b.size(); ++i) {
    double sum = 0;
    b.ForEachTerm(i, [&](TermKind, int, int, double, double torque) { sum += std::abs(torque); });
    b.ForEachTerm(i, [&](TermKind kind, int j, int k, double, double torque) {
      if (std::abs(torque) < share * sum) out.push_back({i, kind, j, k});
    });
  }
  return out;
}

// Per entry of v.
struct SimplificationError {
  double worst = 0;      // simplified - full where its magnitude is largest [Nm, N]
  double rms = 0;
  double peak = 0;       // largest |full torque| met
  long worst_state = -1; // index of the state where it is worst
};

struct StateBox {
  std::vector<double> q_lower, q_upper;  // per entry of v: displacement from neutral (a plain joint: its position)
  std::vector<double> v_lower, v_upper, a_lower, a_upper;
};

class SimplifiedModel {
 public:
  SimplifiedModel(const Prepared& m, Simplification simplification)
      : m_(m), simplification_(std::move(simplification)), breakdown_(m), q_(m.nq), delta_(m.nv), v_(m.nv), a_(m.nv) {}

  // simple, full [nv]. Cost O(n^3), with dropped single terms times their number.
  void Torques(const Conditions& c, const double* q, const double* v, const double* a, double* simple, double* full) {
    breakdown_.Evaluate(c, q, v, a);
    for (int i = 0; i < m_.nv; ++i) {
      simple[i] = full[i] = 0;
      breakdown_.ForEachTerm(i, [&](TermKind kind, int j, int k, double, double torque) {
        full[i] += torque;
        if (!simplification_.Drops(i, kind, j, k)) simple[i] += torque;
      });
    }
  }

  // Over `count` states, row-major: q [count x nq], v, a [count x nv].
  std::vector<SimplificationError> ErrorOver(const Conditions& c, long count, const double* q, const double* v,
                                             const double* a) {
    Start();
    for (long s = 0; s < count; ++s) Add(c, s, q + s * m_.nq, v + s * m_.nv, a + s * m_.nv);
    return Finish(count);
  }

  // Over `count` states drawn uniformly from the box.
  std::vector<SimplificationError> ErrorOver(const Conditions& c, const StateBox& box, long count, std::uint64_t seed) {
    Start();
    for (long s = 0; s < count; ++s) {
      State(box, seed, s);
      Add(c, s, q_.data(), v_.data(), a_.data());
    }
    return Finish(count);
  }

  // State `index` of a box, as ErrorOver draws it: where the worst was, again.
  void State(const StateBox& box, std::uint64_t seed, long index) {
    Random random(seed + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(index + 1));
    for (int i = 0; i < m_.nv; ++i) {
      delta_[i] = random.Uniform(box.q_lower[i], box.q_upper[i]);
      v_[i] = random.Uniform(box.v_lower[i], box.v_upper[i]);
      a_[i] = random.Uniform(box.a_lower[i], box.a_upper[i]);
    }
    SetNeutral(m_, q_.data());
    AddTangent(m_, delta_.data(), 1.0, q_.data());
  }
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& v() const { return v_; }
  const std::vector<double>& a() const { return a_; }

 private:
  void Start() {
    errors_.assign(m_.nv, {});
    simple_.resize(m_.nv);
    full_.resize(m_.nv);
  }
  void Add(const Conditions& c, long s, const double* q, const double* v, const double* a) {
    Torques(c, q, v, a, simple_.data(), full_.data());
    for (int i = 0; i < m_.nv; ++i) {
      SimplificationError& e = errors_[i];
      const double error = simple_[i] - full_[i];
      if (e.worst_state < 0 || std::abs(error) > std::abs(e.worst)) e.worst = error, e.worst_state = s;
      e.rms += error * error;
      e.peak = std::max(e.peak, std::abs(full_[i]));
    }
  }
  std::vector<SimplificationError> Finish(long count) {
    for (SimplificationError& e : errors_) e.rms = count > 0 ? std::sqrt(e.rms / static_cast<double>(count)) : 0;
    return errors_;
  }

  const Prepared& m_;
  Simplification simplification_;
  TorqueBreakdown breakdown_;
  std::vector<double> q_, delta_, v_, a_, simple_, full_;
  std::vector<SimplificationError> errors_;
};

}  // namespace torqued
