// Torque is linear in the inertial parameters: tau = Y(q, v, a) pi. Which Y?
//
// Per link (API.md): pi = [m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz], inertia about the link frame's origin,
// link axes. With the link frame's motion (w, wd, a minus gravity, in its own axes) the body's inertia force is linear:
//     f = m a + wd x mc + w x (w x mc),      n = I wd + w x I w + mc x a,
// so each parameter's column is the wrench of a body that has this parameter alone, carried inward to the world.
// Further columns, if wanted: one per rotor (its J), three per rate (viscous, Coulomb forward, Coulomb backward).
// Links fixed to the world have columns of zeros. Atkeson, An, Hollerbach 1986.
#pragma once

#include <vector>

#include "server/core/dynamics/inverse_dynamics.h"

namespace torqued {

inline constexpr int kLinkParameters = 10;

struct RegressorColumns {
  int links = 0;          // frames [0, links) of Prepared are the links (Model::links.size())
  bool rotors = false;
  bool friction = false;  // viscous, Coulomb positive, Coulomb negative per entry of v

  int Count(const Prepared& m) const {
    return kLinkParameters * links + (rotors ? static_cast<int>(m.rotors.size()) : 0) + (friction ? 3 * m.nv : 0);
  }
};

// pi of one link in its own frame.
inline void LinkParameters(const BodyInertia& b, double* pi) {
  const double all[] = {b.m, b.mc.x, b.mc.y, b.mc.z, b.I.xx, b.I.xy, b.I.yy, b.I.xz, b.I.yz, b.I.zz};
  for (int k = 0; k < kLinkParameters; ++k) pi[k] = all[k];
}
inline BodyInertia FromLinkParameters(const double* pi) {
  return {pi[0], {pi[1], pi[2], pi[3]}, {pi[4], pi[5], pi[7], pi[6], pi[8], pi[9]}};
}

namespace regressor_detail {

// Column k of a body whose frame moves with w, wd, a.
template <class T>
inline ForcePair<T> UnitWrench(int k, const Vec3<T>& w, const Vec3<T>& wd, const Vec3<T>& a) {
  const T zero(0.0), one(1.0);
  if (k == 0) return {a, Vec3<T>::Zero()};
  if (k < 4) {
    const Vec3<T> e{k == 1 ? one : zero, k == 2 ? one : zero, k == 3 ? one : zero};
    return {Cross(wd, e) + Cross(w, Cross(w, e)), Cross(e, a)};
  }
  const auto times = [k, zero](const Vec3<T>& x) -> Vec3<T> {
    switch (k) {
      case 4: return {x.x, zero, zero};
      case 5: return {x.y, x.x, zero};
      case 6: return {zero, x.y, zero};
      case 7: return {x.z, zero, x.x};
      case 8: return {zero, x.z, x.y};
      default: return {zero, zero, x.z};
    }
  };
  return {Vec3<T>::Zero(), times(wd) + Cross(w, times(w))};
}

// column [nv] += what the joints on the way from `body` to the world hold of wrench F (body origin, body axes).
template <class T>
inline void CarryInward(const Prepared& m, int body, ForcePair<T> F, Workspace<T>& ws, T* column) {
  T* tree = m.coupled ? ws.tau_tree.data() : column;
  if (m.coupled)
    for (int i = 0; i < m.nv_tree; ++i) tree[i] = T(0.0);
  for (int i = body; i != kWorld; i = m.bodies[i].parent) {
    rnea_detail::ProjectEffort(m.bodies[i], F, tree);
    const BodyKinematics<T>& k = ws.body[i];
    const Vec3<T> f = k.R * F.f;
    F = {f, k.R * F.n + Cross(k.p, f)};
  }
  if (m.coupled) AddReducedEfforts(m, tree, column);
}

}  // namespace regressor_detail

// Y [nv x columns.Count(m), column-major]. v, a may be null (zero). Gravity as in c (if its term is on). Does not allocate.
template <class T>
void Regressor(const Prepared& m, const RegressorColumns& columns, const Conditions& c, const T* q, const T* v,
               const T* a, Workspace<T>& ws, T* Y) {
  using namespace regressor_detail;
  const int n = m.nv;
  const Vec3<double> gravity = c.terms.gravity ? c.gravity : Vec3<double>::Zero();
  NewtonEuler(m, ws.no_inertias.data(), gravity, false, q, v, a, ws, ws.partial_tau.data());
  for (int k = 0; k < n * columns.Count(m); ++k) Y[k] = T(0.0);
  for (int l = 0; l < columns.links; ++l) {
    const BodyFrame& L = m.frames[l];
    if (L.body == kWorld) continue;
    const BodyKinematics<T>& k = ws.body[L.body];
    const Vec3<T> at = k.a + Cross(k.wd, L.p) + Cross(k.w, Cross(k.w, L.p));
    const Vec3<T> w = TransposeTimes(L.R, k.w), wd = TransposeTimes(L.R, k.wd), al = TransposeTimes(L.R, at);
    for (int p = 0; p < kLinkParameters; ++p) {
      const ForcePair<T> F = UnitWrench(p, w, wd, al);
      const Vec3<T> f = L.R * F.f;
      CarryInward(m, L.body, ForcePair<T>{f, L.R * F.n + Cross(L.p, f)}, ws, Y + n * (kLinkParameters * l + p));
    }
  }
  T* column = Y + n * kLinkParameters * columns.links;
  if (columns.rotors) {
    for (const PreparedRotor& rotor : m.rotors) {
      T s(0.0), sd(0.0);
      for (const auto& [i, ratio] : rotor.ratio) {
        if (v) s = s + ratio * v[i];
        if (a) sd = sd + ratio * a[i];
      }
      T reaction = sd;
      if (rotor.carrier != kWorld) {
        const BodyKinematics<T>& k = ws.body[rotor.carrier];
        reaction = reaction + Dot(rotor.axis, k.wd);
        CarryInward(m, rotor.carrier,
                    ForcePair<T>{Vec3<T>::Zero(), Scale(rotor.axis, sd) + Scale(Cross(k.w, rotor.axis), s)}, ws, column);
      }
      for (const auto& [i, ratio] : rotor.ratio) column[i] = column[i] + ratio * reaction;
      column += n;
    }
  }
  if (columns.friction && v) {
    for (int k = 0; k < n; ++k, column += 3 * n) {
      column[k] = v[k];
      column[n + k] = SelectPositive(v[k], T(1.0), T(0.0));
      column[2 * n + k] = SelectPositive(-v[k], T(-1.0), T(0.0));
    }
  }
}

}  // namespace torqued
