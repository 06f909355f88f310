// Which velocity products act on which joint? C(q, v) with C v = c and dM/dt - 2 C skew; the coefficients D_ijk.
//
// Per body, in branch axes, with velocity V = (w, v), inertia (m, mc, I) and momentum (h, n) about the reference point:
//   K = dI/dt = [w]I - I[w] - (v mc^T + mc v^T) + 2 (v . mc) 1
//   B S = ( 1/2 (K s - n x s),  s x h )      for a direction S = (s, t): the body's share of C beyond I dS/dt.
// Kc, hc, nc, Ic are sums over descendants. For entry i, dS_i = V x S_i, and each j on its way to the world:
//   C_ji = S_j . (Ic dS_i + Bc S_i)          C_ij = dS_j . Ic S_i + s_j . (1/2 (Kc s_i + nc x s_i) + hc x t_i)
// This choice gives the Christoffel symbols for joints of one degree, and the skew property for all.
// Rotor k (J, ratios r, axis e, spin s = r . v, carrier's angular velocity w; w_i the angular direction of entry i):
//   C += J (r_i dg_j/dt - 1/2 r_i y_j + 1/2 y_i r_j + 1/2 s e . (w_i x w_j)),   g_j = e . w_j,  y_j = w_j . (w x e).
// Coupled models: B^T C_tree B.
// Sources: Echeandia and Wensing 2021 (the bodies' part; written here in three-vectors about a common point); the
// rotors' part: Christoffel symbols of their term in M, with d_j w_k - d_k w_j = w_k x w_j in carrier axes.
#pragma once

#include "server/core/dynamics/branch_axes.h"
#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/crba.h"

namespace torqued {
namespace coriolis_detail {

template <class T>
inline SymMat3<T> InertiaRate(const RigidInertia<T>& B, const Motion6<T>& V) {
  const Vec3<T> x = Cross(V.w, Vec3<T>{B.I.xx, B.I.xy, B.I.xz});  // columns of [w]I; with its transpose: [w]I - I[w]
  const Vec3<T> y = Cross(V.w, Vec3<T>{B.I.xy, B.I.yy, B.I.yz});
  const Vec3<T> z = Cross(V.w, Vec3<T>{B.I.xz, B.I.yz, B.I.zz});
  const Vec3<T>& v = V.v;
  const Vec3<T>& c = B.mc;
  const T xx = v.x * c.x, yy = v.y * c.y, zz = v.z * c.z;
  return {2.0 * (x.x + yy + zz),
          x.y + y.x - v.x * c.y - v.y * c.x,
          x.z + z.x - v.x * c.z - v.z * c.x,
          2.0 * (y.y + xx + zz),
          y.z + z.y - v.y * c.z - v.z * c.y,
          2.0 * (z.z + xx + yy)};
}

// Velocities (ws.articulated[i].V), inertia rates and momenta. tv: tree rates. REQUIRES: ws in branch axes.
template <class T>
inline void MoveInBranchAxes(const Prepared& m, const T* tv, Workspace<T>& ws) {
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    Motion6<T>& V = ws.articulated[i].V;
    V = b.parent == kWorld ? Motion6<T>{Vec3<T>::Zero(), Vec3<T>::Zero()} : ws.articulated[b.parent].V;
    for (int k = 0; k < VelocityCount(b.motion); ++k) V += Scale(ws.column[b.v_index + k], tv[b.v_index + k]);
    ws.momentum[i] = {InertiaRate(ws.composite[i], V), ws.composite[i] * V};
  }
}

// Bodies' part, tree coordinates. REQUIRES: MoveInBranchAxes; ws.composite is summed up here.
template <class T>
inline void AddBodies(const Prepared& m, Workspace<T>& ws, T* C) {
  const int nt = m.nv_tree;
  const T half(0.5);
  for (int b = m.body_count() - 1; b >= 0; --b) {
    const Body& body = m.bodies[b];
    const RigidInertia<T>& I = ws.composite[b];
    const MomentumRate<T>& B = ws.momentum[b];
    for (int k = 0; k < VelocityCount(body.motion); ++k) {
      const int i = body.v_index + k;
      const Motion6<T>& S = ws.column[i];
      const Vec3<T> Ks = B.K * S.w, ns = Cross(B.h.n, S.w);
      ForcePair<T> f1 = I * Cross(ws.articulated[b].V, S);
      f1 += ForcePair<T>{Cross(S.w, B.h.f), Scale(Ks - ns, half)};
      const ForcePair<T> f2 = I * S;
      const Vec3<T> f3 = Scale(Ks + ns, half) + Cross(B.h.f, S.v);
      for (int c = b; c != kWorld; c = m.bodies[c].parent) {
        const Motion6<T>& V = ws.articulated[c].V;
        const int first = m.bodies[c].v_index, end = c == b ? i + 1 : first + VelocityCount(m.bodies[c].motion);
        for (int j = first; j < end; ++j) {
          C[j * nt + i] = Dot(ws.column[j], f1);
          C[i * nt + j] = Dot(Cross(V, ws.column[j]), f2) + Dot(ws.column[j].w, f3);
        }
      }
    }
    if (body.parent == kWorld) continue;
    ws.composite[body.parent] += I;
    MomentumRate<T>& parent = ws.momentum[body.parent];
    parent.K = parent.K + B.K;
    parent.h += B.h;
  }
}

// Rotors' part, model coordinates. v: model rates. REQUIRES: MoveInBranchAxes.
template <class T>
inline void AddRotors(const Prepared& m, const T* v, Workspace<T>& ws, T* C) {
  const int n = m.nv;
  for (const PreparedRotor& rotor : m.rotors) {
    if (rotor.carrier == kWorld) continue;
    for (int k = 0; k < n; ++k) {
      ws.rotor_spin_axis[k] = Vec3<T>::Zero();
      ws.rotor_rate[k] = ws.rotor_turn[k] = T(0.0);
    }
    const Vec3<T> e = ws.branch[rotor.carrier].R * rotor.axis;
    const Vec3<T> e_rate = Cross(ws.articulated[rotor.carrier].V.w, e);
    for (int c = rotor.carrier; c != kWorld; c = m.bodies[c].parent)
      for (int k = 0; k < VelocityCount(m.bodies[c].motion); ++k) {
        const int j = m.bodies[c].v_index + k;
        const Vec3<T>& w = ws.column[j].w;
        const T y = Dot(w, e_rate), rate = y + Dot(e, Cross(ws.articulated[c].V.w, w));
        const auto add = [&](int l, double factor) {
          ws.rotor_spin_axis[l] += Scale(w, T(factor));
          ws.rotor_turn[l] = ws.rotor_turn[l] + factor * y;
          ws.rotor_rate[l] = ws.rotor_rate[l] + factor * rate;
        };
        if (!m.coupled)
          add(j, 1.0);
        else
          for (const auto& [l, factor] : m.coupling[j].terms) add(l, factor);
      }
    T s(0.0);
    for (const auto& [i, ratio] : rotor.ratio) s = s + ratio * v[i];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        C[i * n + j] = C[i * n + j] +
                       (0.5 * rotor.inertia) * (s * Dot(e, Cross(ws.rotor_spin_axis[i], ws.rotor_spin_axis[j])));
    for (const auto& [i, ratio] : rotor.ratio) {
      const double J = rotor.inertia * ratio;
      for (int j = 0; j < n; ++j) {
        C[i * n + j] = C[i * n + j] + J * ws.rotor_rate[j] - (0.5 * J) * ws.rotor_turn[j];
        C[j * n + i] = C[j * n + i] + (0.5 * J) * ws.rotor_turn[j];
      }
    }
  }
}

// REQUIRES: ws.body placed.
template <class T>
inline void MatrixPlaced(const Prepared& m, const Conditions& c, const T* v, Workspace<T>& ws, T* C) {
  ExpressInBranchAxes(m, c.inertias, ws);
  MoveInBranchAxes(m, TreeRates(m, v, ws.v_tree), ws);
  T* A = m.coupled ? ws.tree_mass_matrix.data() : C;
  for (int k = 0; k < m.nv_tree * m.nv_tree; ++k) A[k] = T(0.0);
  AddBodies(m, ws, A);
  if (m.coupled) crba_detail::ReduceMatrix(m, A, C);
  if (c.terms.rotor) AddRotors(m, v, ws, C);
}

}  // namespace coriolis_detail

// C [nv x nv, row-major] at q [nq], v [nv]. With c.terms.rotor the rotors count. Does not allocate.
template <class T>
void CoriolisMatrix(const Prepared& m, const Conditions& c, const T* q, const T* v, Workspace<T>& ws, T* C) {
  PlaceBodies(m, TreePositions(m, q, ws), ws);
  coriolis_detail::MatrixPlaced(m, c, v, ws, C);
}

// D [nv x nv x nv], D_ijk = 1/2 d2 c_i / dv_j dv_k at D[(i nv + j) nv + k]: symmetric in j and k, c_i = sum D_ijk v_j v_k.
// C is linear in v: D_ijk = 1/2 (C_ij at v = e_k + C_ik at v = e_j). Does not allocate. O(n^3).
template <class T>
void CoriolisCoefficients(const Prepared& m, const Conditions& c, const T* q, Workspace<T>& ws, T* D) {
  const int n = m.nv;
  const T half(0.5);
  for (int k = 0; k < n * n * n; ++k) D[k] = T(0.0);
  for (int k = 0; k < n; ++k) ws.unit_rate[k] = T(0.0);
  PlaceBodies(m, TreePositions(m, q, ws), ws);
  for (int k = 0; k < n; ++k) {
    ws.unit_rate[k] = T(1.0);
    coriolis_detail::MatrixPlaced(m, c, ws.unit_rate.data(), ws, ws.matrix.data());
    ws.unit_rate[k] = T(0.0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const T share = half * ws.matrix[i * n + j];
        D[(i * n + j) * n + k] = D[(i * n + j) * n + k] + share;
        D[(i * n + k) * n + j] = D[(i * n + k) * n + j] + share;
      }
  }
}

// The same for one torque: D_i [nv x nv, row-major].
template <class T>
void CoriolisCoefficients(const Prepared& m, const Conditions& c, int i, const T* q, Workspace<T>& ws, T* D_i) {
  const int n = m.nv;
  const T half(0.5);
  for (int k = 0; k < n * n; ++k) D_i[k] = T(0.0);
  for (int k = 0; k < n; ++k) ws.unit_rate[k] = T(0.0);
  PlaceBodies(m, TreePositions(m, q, ws), ws);
  for (int k = 0; k < n; ++k) {
    ws.unit_rate[k] = T(1.0);
    coriolis_detail::MatrixPlaced(m, c, ws.unit_rate.data(), ws, ws.matrix.data());
    ws.unit_rate[k] = T(0.0);
    for (int j = 0; j < n; ++j) {
      const T share = half * ws.matrix[i * n + j];
      D_i[j * n + k] = D_i[j * n + k] + share;
      D_i[k * n + j] = D_i[k * n + j] + share;
    }
  }
}

}  // namespace torqued
