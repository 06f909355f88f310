// Which accelerations follow from the joint torques? qdd = M^-1 (tau - C v - g - rotor - friction - springs).
//
// Small models: bias by Newton-Euler, M, sparse L^T D L. Large ones: articulated bodies, whose cost is linear.
// Which is faster depends on the model alone. Measured, time by articulated bodies over time by M: 1.06 for a 6-axis arm,
// 0.97 for 9 entries of v, 0.82 for a quadruped's 18.
#pragma once

#include "server/core/dynamics/aba.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/ldlt.h"

namespace torqued {

inline constexpr int kArticulatedFrom = 12;  // entries of v

inline bool PrefersArticulated(const Prepared& m) { return !m.coupled && m.simple_rotors && m.nv >= kArticulatedFrom; }

namespace forward_dynamics_detail {

// tau - friction - springs, as c's terms say.
template <class T>
inline void RemainingTorque(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* tau,
                            Workspace<T>& ws, T* out) {
  for (int k = 0; k < m.nv; ++k) out[k] = T(0.0);
  if (c.terms.springs) AddSpringTorque(m, q, ws, out);
  if (c.terms.friction && v) AddFrictionTorque(m, v, out);
  for (int k = 0; k < m.nv; ++k) out[k] = tau[k] - out[k];
}

}  // namespace forward_dynamics_detail

// By articulated bodies, whatever the size. REQUIRES: !m.coupled, m.simple_rotors. qdd must not alias tau.
template <class T>
SolveStatus ForwardDynamicsByArticulatedBodies(const Prepared& m, const Conditions& c, const T* q, const T* v,
                                               const T* tau, Workspace<T>& ws, T* qdd) {
  T* remaining = ws.partial_tau.data();
  forward_dynamics_detail::RemainingTorque(m, c, q, v, tau, ws, remaining);
  return ArticulatedForwardDynamics(m, c, q, c.terms.velocity ? v : nullptr, remaining, ws, qdd);
}

// By M and its factors, whatever the size; leaves the factors of M in ws.mass_matrix. qdd must not alias tau.
template <class T>
SolveStatus ForwardDynamicsByMassMatrix(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* tau,
                                        Workspace<T>& ws, T* qdd) {
  InverseDynamics<T>(m, c, q, v, nullptr, ws, qdd);
  MassMatrixPlaced<true>(m, c, ws, ws.mass_matrix.data());
  const SolveStatus status = FactorMassMatrix(m, ws.pivot_scale.data(), ws.mass_matrix.data());
  for (int k = 0; k < m.nv; ++k) qdd[k] = tau[k] - qdd[k];
  SolveMassMatrix(m, ws.mass_matrix.data(), qdd);
  return status;
}

// qdd [nv] for torques tau [nv] at q [nq], v [nv] (null: zero). The inertia term always counts; the other terms as in c.
// A singular M (status.singular names an entry of v): qdd is finite but no answer. Does not allocate.
template <class T>
SolveStatus ForwardDynamics(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* tau,
                            Workspace<T>& ws, T* qdd) {
  return PrefersArticulated(m) ? ForwardDynamicsByArticulatedBodies(m, c, q, v, tau, ws, qdd)
                               : ForwardDynamicsByMassMatrix(m, c, q, v, tau, ws, qdd);
}

}  // namespace torqued
