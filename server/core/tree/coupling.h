// How do the user's independent coordinates become joint values, and joint torques the user's? v_tree = B v, tau = B^T tau_tree.
#pragma once

#include "server/core/tree/prepared.h"
#include "server/core/tree/workspace.h"

namespace torqued {

// q [nq] -> q_tree [nq_tree]. REQUIRES: m.coupled.
template <class T>
void ExpandPositions(const Prepared& m, const T* q, T* q_tree) {
  for (const Body& b : m.bodies) {
    if (b.motion == Motion::kRevolute || b.motion == Motion::kPrismatic) {
      const CouplingRow& row = m.coupling[b.v_index];
      T sum(row.offset);
      for (const auto& [k, factor] : row.terms) sum = sum + factor * q[m.v_to_q[k]];
      q_tree[b.q_index] = sum;
    } else if (b.motion != Motion::kFixed) {
      const int source = m.v_to_q[m.coupling[b.v_index].terms[0].first];
      for (int k = 0; k < PositionCount(b.motion); ++k) q_tree[b.q_index + k] = q[source + k];
    }
  }
}

// v [nv] -> v_tree [nv_tree]; accelerations likewise (B is constant). REQUIRES: m.coupled.
template <class T>
void ExpandRates(const Prepared& m, const T* v, T* v_tree) {
  for (int i = 0; i < m.nv_tree; ++i) {
    T sum(0.0);
    for (const auto& [k, factor] : m.coupling[i].terms) sum = sum + factor * v[k];
    v_tree[i] = sum;
  }
}

// tau [nv] = B^T tau_tree [nv_tree], or added to what is there. REQUIRES: m.coupled.
template <class T>
void AddReducedEfforts(const Prepared& m, const T* tau_tree, T* tau) {
  for (int i = 0; i < m.nv_tree; ++i)
    for (const auto& [k, factor] : m.coupling[i].terms) tau[k] = tau[k] + factor * tau_tree[i];
}
template <class T>
void ReduceEfforts(const Prepared& m, const T* tau_tree, T* tau) {
  for (int k = 0; k < m.nv; ++k) tau[k] = T(0.0);
  AddReducedEfforts(m, tau_tree, tau);
}

// The tree's view of the user's vectors: they themselves, or their expansion in the workspace. Null stays null.
template <class T>
inline const T* TreePositions(const Prepared& m, const T* q, Workspace<T>& ws) {
  if (!m.coupled) return q;
  ExpandPositions(m, q, ws.q_tree.data());
  return ws.q_tree.data();
}
template <class T>
inline const T* TreeRates(const Prepared& m, const T* v, std::vector<T>& expanded) {
  if (!m.coupled || v == nullptr) return v;
  ExpandRates(m, v, expanded.data());
  return expanded.data();
}

}  // namespace torqued
