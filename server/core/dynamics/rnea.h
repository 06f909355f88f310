// Which torques produce the accelerations a? Recursive Newton-Euler, tau = M(q) a + C(q, v) v + g(q) + ...
//
// Outward, body by body (all vectors in the body's own axes; P the parent, R = R_P_B, p = p_P_B):
//   revolute   w = R^T wP + z v           wd = R^T wdP + z a + (R^T wP) x z v
//   prismatic  w = R^T wP                 wd = R^T wdP
//   spherical  w = R^T wP + v             wd = R^T wdP + a + (R^T wP) x v        (v, a in body axes)
//   a_o = R^T (aP + wdP x p + wP x (wP x p))  (+ z a + 2 w x z v for a prismatic joint)
// The world "accelerates" with -gravity, so gravity needs no pass of its own.
// Inward, with the inertia about the body origin (m, mc, I):
//   f = m a_o + wd x mc + w x (w x mc)        n = I wd + w x I w + mc x a_o
//   tau = z . n (revolute), z . f (prismatic);  parent:  fP += R f,  nP += R n + p x R f.
// Rotor k (inertia J, axis e on its carrier, spin rate s = ratio . v):
//   carrier  n += J (sd e + w x e s)          tau_j += ratio_j J (sd + e . wd).
// Sources: Luh, Walker, Paul 1980 (the recursion); rotor term: derivative of the kinetic energy in Model's Rotor.
// Departs from the textbook form by taking moments about the body origin instead of the centre of mass, which saves
// the linear velocity and the mass centre's acceleration.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/friction.h"
#include "server/core/dynamics/place.h"
#include "server/core/tree/coupling.h"

namespace torqued {
namespace rnea_detail {

template <class T>
inline void MoveBody(const Body& b, const BodyKinematics<T>* parent, const Vec3<double>& gravity, const T* v, const T* a,
                     BodyKinematics<T>& k) {
  Vec3<T> wP, wdP;  // the parent's motion, in this body's axes
  if (parent == nullptr) {
    wP = Vec3<T>::Zero();
    wdP = Vec3<T>::Zero();
    k.a = TransposeTimes(k.R, Constant<T>(-gravity));
  } else {
    wP = TransposeTimes(k.R, parent->w);
    wdP = TransposeTimes(k.R, parent->wd);
    k.a = TransposeTimes(k.R, parent->a + Cross(parent->wd, k.p) + Cross(parent->w, Cross(parent->w, k.p)));
  }
  const T zero(0.0);
  const int i = b.v_index;
  switch (b.motion) {
    case Motion::kRevolute: {
      const T vi = v ? v[i] : zero, ai = a ? a[i] : zero;
      k.w = {wP.x, wP.y, wP.z + vi};
      k.wd = {wdP.x + wP.y * vi, wdP.y - wP.x * vi, wdP.z + ai};
      return;
    }
    case Motion::kPrismatic: {
      const T vi = v ? v[i] : zero, ai = a ? a[i] : zero;
      k.w = wP;
      k.wd = wdP;
      k.a = k.a + Vec3<T>{2.0 * (wP.y * vi), -2.0 * (wP.x * vi), ai};
      return;
    }
    case Motion::kSpherical: {
      const Vec3<T> vi = v ? Vec3<T>{v[i], v[i + 1], v[i + 2]} : Vec3<T>::Zero();
      const Vec3<T> ai = a ? Vec3<T>{a[i], a[i + 1], a[i + 2]} : Vec3<T>::Zero();
      k.w = wP + vi;
      k.wd = wdP + ai + Cross(wP, vi);
      return;
    }
    case Motion::kFloating: {  // linear rate u, d/dt of its components ud: the origin accelerates with ud + w_rel x u
      const Vec3<T> u = v ? Vec3<T>{v[i], v[i + 1], v[i + 2]} : Vec3<T>::Zero();
      const Vec3<T> vi = v ? Vec3<T>{v[i + 3], v[i + 4], v[i + 5]} : Vec3<T>::Zero();
      const Vec3<T> ud = a ? Vec3<T>{a[i], a[i + 1], a[i + 2]} : Vec3<T>::Zero();
      const Vec3<T> ai = a ? Vec3<T>{a[i + 3], a[i + 4], a[i + 5]} : Vec3<T>::Zero();
      k.w = wP + vi;
      k.wd = wdP + ai + Cross(wP, vi);
      k.a = k.a + ud + Cross(vi, u) + Scale(Cross(wP, u), T(2.0));
      return;
    }
    case Motion::kFixed:
      k.w = wP;
      k.wd = wdP;
      return;
  }
}

template <class T>
inline void ProjectEffort(const Body& b, const ForcePair<T>& F, T* tau) {
  const int i = b.v_index;
  switch (b.motion) {
    case Motion::kRevolute: tau[i] = F.n.z; return;
    case Motion::kPrismatic: tau[i] = F.f.z; return;
    case Motion::kSpherical:
      tau[i] = F.n.x, tau[i + 1] = F.n.y, tau[i + 2] = F.n.z;
      return;
    case Motion::kFloating:
      tau[i] = F.f.x, tau[i + 1] = F.f.y, tau[i + 2] = F.f.z;
      tau[i + 3] = F.n.x, tau[i + 4] = F.n.y, tau[i + 5] = F.n.z;
      return;
    case Motion::kFixed: return;
  }
}

// Adds the rotors' moments to their carriers' forces; keeps J (sd + e . wd) for the torques.
template <class T>
inline void SpinRotors(const Prepared& m, const T* v, const T* a, Workspace<T>& ws) {
  for (size_t r = 0; r < m.rotors.size(); ++r) {
    const PreparedRotor& rotor = m.rotors[r];
    T s(0.0), sd(0.0);
    for (const auto& [i, ratio] : rotor.ratio) {
      if (v) s = s + ratio * v[i];
      if (a) sd = sd + ratio * a[i];
    }
    T reaction = rotor.inertia * sd;
    if (rotor.carrier != kWorld) {
      const BodyKinematics<T>& k = ws.body[rotor.carrier];
      reaction = reaction + rotor.inertia * Dot(rotor.axis, k.wd);
      ws.force[rotor.carrier].n +=
          Scale(rotor.axis, T(rotor.inertia * sd)) + Scale(Cross(k.w, rotor.axis), T(rotor.inertia * s));
    }
    ws.rotor_spin[r] = reaction;
  }
}

}  // namespace rnea_detail

// Every body's motion (ws.body) and the force that it needs for itself (ws.force), rotors' moments on their carriers
// included. v, a [nv] may be null (zero).
template <class T>
inline void NewtonEulerOutward(const Prepared& m, const BodyInertia* inertias, const Vec3<double>& gravity, bool rotors,
                               const T* q, const T* v, const T* a, Workspace<T>& ws) {
  using namespace rnea_detail;
  const T* tq = TreePositions(m, q, ws);
  const T* tv = TreeRates(m, v, ws.v_tree);
  const T* ta = TreeRates(m, a, ws.a_tree);
  const int n = m.body_count();
  for (int i = 0; i < n; ++i) {
    const Body& b = m.bodies[i];
    BodyKinematics<T>& k = ws.body[i];
    PlaceBody(b, tq, k);
    MoveBody(b, b.parent == kWorld ? nullptr : &ws.body[b.parent], gravity, tv, ta, k);
    const BodyInertia& B = inertias[i];
    const Vec3<T> w_mc = Cross(k.w, B.mc);
    ws.force[i].f = Scale(k.a, T(B.m)) + Cross(k.wd, B.mc) + Cross(k.w, w_mc);
    ws.force[i].n = B.I * k.wd + Cross(k.w, B.I * k.w) + Cross(B.mc, k.a);
  }
  if (rotors && !m.rotors.empty()) SpinRotors(m, v, a, ws);
}

// Gathers ws.force inward: afterwards the force through each body's joint, exerted by the parent's side on the body.
// tau [nv] may be null.
template <class T>
inline void NewtonEulerInward(const Prepared& m, bool rotors, Workspace<T>& ws, T* tau) {
  T* tree_tau = m.coupled || tau == nullptr ? ws.tau_tree.data() : tau;
  for (int i = m.body_count() - 1; i >= 0; --i) {
    const Body& b = m.bodies[i];
    const ForcePair<T>& F = ws.force[i];
    rnea_detail::ProjectEffort(b, F, tree_tau);
    if (b.parent == kWorld) continue;
    const BodyKinematics<T>& k = ws.body[i];
    const Vec3<T> f = k.R * F.f;
    ws.force[b.parent].f += f;
    ws.force[b.parent].n += k.R * F.n + Cross(k.p, f);
  }
  if (tau == nullptr) return;
  if (m.coupled) ReduceEfforts(m, tree_tau, tau);
  if (rotors)
    for (size_t r = 0; r < m.rotors.size(); ++r)
      for (const auto& [i, ratio] : m.rotors[r].ratio) tau[i] = tau[i] + ratio * ws.rotor_spin[r];
}

// Rigid bodies and rotors only: tau [nv] = M a + C v + g. v, a [nv] may be null (zero). `rotors`: with rotor terms.
// After the call ws.body and ws.force hold every body's motion and the force through its joint. Does not allocate.
template <class T>
void NewtonEuler(const Prepared& m, const BodyInertia* inertias, const Vec3<double>& gravity, bool rotors, const T* q,
                 const T* v, const T* a, Workspace<T>& ws, T* tau) {
  NewtonEulerOutward(m, inertias, gravity, rotors, q, v, a, ws);
  NewtonEulerInward(m, rotors, ws, tau);
}

}  // namespace torqued
