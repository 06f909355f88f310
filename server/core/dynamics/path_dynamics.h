// What does a motion along a path cost? tau(s) = m sdd + c sd^2 + g for q(s): Bobrow, Dubowsky, Gibson 1985.
//
//   m = ID0(q, 0, q')     c = ID0(q, q', q'')     g = ID(q, 0, 0)
// ID0 is inverse dynamics without gravity, springs and friction; g holds against gravity and springs. Friction is left out:
// it is not linear in sdd and sd^2.
#pragma once

#include "server/core/dynamics/inverse_dynamics.h"

namespace torqued {

// q [nq], dq = q' and ddq = q'' [nv] per unit of s; m, c, g [nv]. Overwrites ws. Does not allocate.
template <class T>
void PathDynamics(const Prepared& model, const Conditions& conditions, const T* q, const T* dq, const T* ddq,
                  Workspace<T>& ws, T* m, T* c, T* g) {
  Conditions free = conditions;
  free.terms.gravity = free.terms.friction = free.terms.springs = false;
  InverseDynamics<T>(model, free, q, nullptr, dq, ws, m);
  InverseDynamics<T>(model, free, q, dq, ddq, ws, c);
  InverseDynamics<T>(model, conditions, q, nullptr, nullptr, ws, g);
}

}  // namespace torqued
