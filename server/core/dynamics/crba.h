// How hard is each joint to accelerate? The joint-space inertia M(q): composite rigid bodies.
//
// With all bodies in common axes (branch_axes.h), inward: Ic_i = I_i + sum of the children's Ic. Then for each entry i
// with direction S_i, and each entry j on its way to the world:   F = Ic_i S_i,   M_ij = M_ji = S_j . F.
// Rotor k (inertia J, ratios r, axis e on its carrier) adds J (r r^T + r g^T + g r^T), g_j = e . (angular part of S_j)
// along the carrier's way to the world. Coupled models: B^T M_tree B.
// Source: Featherstone 2008, section 6.2. Departs from it by the common axes: entries cost six products each.
#pragma once

#include "server/core/dynamics/branch_axes.h"
#include "server/core/dynamics/conditions.h"

namespace torqued {
namespace crba_detail {

// The largest diagonal entry that a direction S could give with inertia B: the size of M_ii's rounding error over eps.
template <class T>
inline T DiagonalBound(const RigidInertia<T>& B, const Motion6<T>& S) {
  return (B.I.xx + B.I.yy + B.I.zz) * Dot(S.w, S.w) + B.m * Dot(S.v, S.v);
}

// M += rotor terms, model coordinates. REQUIRES: ws.branch, ws.column.
template <class T>
inline void AddRotors(const Prepared& m, const Workspace<T>& ws, T* M) {
  const int n = m.nv;
  for (const PreparedRotor& rotor : m.rotors) {
    for (const auto& [i, ri] : rotor.ratio)
      for (const auto& [j, rj] : rotor.ratio) M[i * n + j] = M[i * n + j] + T(rotor.inertia * ri * rj);
    if (rotor.carrier == kWorld) continue;
    const Vec3<T> e = ws.branch[rotor.carrier].R * rotor.axis;
    const auto add = [&](int j, const T& g) {
      for (const auto& [i, ri] : rotor.ratio) {
        M[i * n + j] = M[i * n + j] + (rotor.inertia * ri) * g;
        M[j * n + i] = M[j * n + i] + (rotor.inertia * ri) * g;
      }
    };
    for (int j = m.bodies[rotor.carrier].last_dof; j >= 0; j = m.tree_dof_parent[j]) {
      const T g = Dot(e, ws.column[j].w);
      if (!m.coupled)
        add(j, g);
      else
        for (const auto& [k, factor] : m.coupling[j].terms) add(k, factor * g);
    }
  }
}

// M = B^T A B, A symmetric.
template <class T>
inline void ReduceMatrix(const Prepared& m, const T* A, T* M) {
  const int n = m.nv, nt = m.nv_tree;
  for (int k = 0; k < n * n; ++k) M[k] = T(0.0);
  for (int i = 0; i < nt; ++i)
    for (int j = 0; j < nt; ++j)
      for (const auto& [k, fk] : m.coupling[i].terms)
        for (const auto& [l, fl] : m.coupling[j].terms) M[k * n + l] = M[k * n + l] + (fk * fl) * A[i * nt + j];
}

}  // namespace crba_detail

// MassMatrix where ws.body is placed at q already (as InverseDynamics leaves it). With_scale: fills ws.pivot_scale.
template <bool kWithScale, class T>
void MassMatrixPlaced(const Prepared& m, const Conditions& c, Workspace<T>& ws, T* M) {
  ExpressInBranchAxes(m, c.inertias, ws);
  const int nt = m.nv_tree;
  T* A = m.coupled ? ws.tree_mass_matrix.data() : M;
  for (int k = 0; k < nt * nt; ++k) A[k] = T(0.0);
  if (kWithScale)
    for (int k = 0; k < m.nv; ++k) ws.pivot_scale[k] = T(c.terms.rotor ? m.armature[k] : 0.0);

  for (int b = m.body_count() - 1; b >= 0; --b) {
    const Body& body = m.bodies[b];
    const RigidInertia<T>& B = ws.composite[b];
    for (int k = VelocityCount(body.motion) - 1; k >= 0; --k) {
      const int i = body.v_index + k;
      const ForcePair<T> F = B * ws.column[i];
      for (int j = i; j >= 0; j = m.tree_dof_parent[j]) A[i * nt + j] = A[j * nt + i] = Dot(ws.column[j], F);
      if (!kWithScale) continue;
      const T scale = crba_detail::DiagonalBound(B, ws.column[i]);
      if (!m.coupled)
        ws.pivot_scale[i] = ws.pivot_scale[i] + scale;
      else
        for (const auto& [l, factor] : m.coupling[i].terms)
          ws.pivot_scale[l] = ws.pivot_scale[l] + (factor * factor) * scale;
    }
    if (body.parent != kWorld) ws.composite[body.parent] += B;
  }
  if (m.coupled) crba_detail::ReduceMatrix(m, A, M);
  if (c.terms.rotor) crba_detail::AddRotors(m, ws, M);
}

// M [nv x nv], symmetric, all entries written. With c.terms.rotor the rotors count. Does not allocate. O(n depth).
template <class T>
void MassMatrix(const Prepared& m, const Conditions& c, const T* q, Workspace<T>& ws, T* M) {
  PlaceBodies(m, TreePositions(m, q, ws), ws);
  MassMatrixPlaced<false>(m, c, ws, M);
}

}  // namespace torqued
