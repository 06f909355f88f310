// How much energy does the robot hold, where is its mass, and does the power add up?
//
//   kinetic    1/2 sum (m v.v + 2 v . (w x mc) + w . I w)  +  rotors  1/2 J s^2 + J s (e . w)
//   potential  - sum gravity . (m p + R mc)        zero at the world's origin
//   springs    1/2 k (p - rest)^2, 1/2 k (L - L0)^2
// Links that do not move (fixed to the world) are not counted.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/inverse_dynamics.h"
#include "server/core/dynamics/kinematics.h"
#include "server/core/dynamics/springs.h"

namespace torqued {

template <class T>
struct Energy {
  T kinetic, potential, springs;  // [J]
};

template <class T>
struct MassCentre {
  double mass;   // [kg]
  Vec3<T> p, v;  // world axes [m], [m/s]; the origin if nothing has mass
};

template <class T>
struct PowerBalance {
  T input;             // tau . v, all that the drives give [W]
  T friction;          // of it, lost to friction [W]
  T kinetic_rate, potential_rate, spring_rate;  // d/dt of the energies [W]
  T residual;          // input - friction - the rates: rounding
};

namespace energy_detail {

template <class T>
inline T Kinetic(const BodyKinematics<T>& k, const Vec3<T>& v, const BodyInertia& B) {
  return 0.5 * (B.m * Dot(v, v) + Dot(k.w, B.I * k.w)) + Dot(v, Cross(k.w, B.mc));
}

template <class T>
inline T RotorSpin(const PreparedRotor& rotor, const T* v) {
  T s(0.0);
  if (v)
    for (const auto& [i, ratio] : rotor.ratio) s = s + ratio * v[i];
  return s;
}

}  // namespace energy_detail

// At q [nq], v [nv] (null: zero). Terms of c: gravity, rotor, springs. Does not allocate.
template <class T>
Energy<T> MechanicalEnergy(const Prepared& m, const Conditions& c, const T* q, const T* v, Workspace<T>& ws) {
  ForwardMotion<T>(m, q, v, nullptr, ws);
  Energy<T> E{T(0.0), T(0.0), T(0.0)};
  for (int i = 0; i < m.body_count(); ++i) {
    const BodyInertia& B = c.inertias[i];
    E.kinetic = E.kinetic + energy_detail::Kinetic(ws.body[i], ws.velocity[i], B);
    if (c.terms.gravity)
      E.potential = E.potential - Dot(c.gravity, Scale(ws.world[i].p, T(B.m)) + ws.world[i].R * B.mc);
  }
  if (c.terms.rotor)
    for (const PreparedRotor& rotor : m.rotors) {
      const T s = energy_detail::RotorSpin(rotor, v);
      E.kinetic = E.kinetic + (0.5 * rotor.inertia) * (s * s);
      if (rotor.carrier != kWorld) E.kinetic = E.kinetic + rotor.inertia * (s * Dot(rotor.axis, ws.body[rotor.carrier].w));
    }
  if (c.terms.springs) E.springs = SpringEnergy(m, q, ws);
  return E;
}

// Whole robot, payload included where c carries it. v may be null (zero). Does not allocate.
template <class T>
MassCentre<T> CentreOfMass(const Prepared& m, const Conditions& c, const T* q, const T* v, Workspace<T>& ws) {
  ForwardMotion<T>(m, q, v, nullptr, ws);
  MassCentre<T> out{0, Vec3<T>::Zero(), Vec3<T>::Zero()};
  for (int i = 0; i < m.body_count(); ++i) {
    const BodyInertia& B = c.inertias[i];
    out.mass += B.m;
    out.p += Scale(ws.world[i].p, T(B.m)) + ws.world[i].R * B.mc;
    out.v += ws.world[i].R * (Scale(ws.velocity[i], T(B.m)) + Cross(ws.body[i].w, B.mc));
  }
  const double per_mass = out.mass > 0 ? 1 / out.mass : 0;
  out.p = Scale(out.p, T(per_mass));
  out.v = Scale(out.v, T(per_mass));
  return out;
}

// For the motion q, v, a with the torques of InverseDynamics: where the drives' power goes. The rates of energy come
// from each body's momentum, not from tau: the residual checks one against the other.
template <class T>
PowerBalance<T> Power(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* a, Workspace<T>& ws) {
  PowerBalance<T> P{T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)};
  T* tau = ws.power_tau.data();
  InverseDynamics(m, c, q, v, a, ws, tau);
  for (int k = 0; k < m.nv; ++k) P.input = P.input + tau[k] * v[k];
  if (c.terms.friction) {
    FrictionTorques(m, v, tau);
    for (int k = 0; k < m.nv; ++k) P.friction = P.friction + tau[k] * v[k];
  }
  if (c.terms.springs) {
    SpringTorque(m, q, ws, tau);
    for (int k = 0; k < m.nv; ++k) P.spring_rate = P.spring_rate + tau[k] * v[k];
  }
  ForwardMotion(m, q, v, a, ws);
  for (int i = 0; i < m.body_count(); ++i) {
    const BodyInertia& B = c.inertias[i];
    const BodyKinematics<T>& k = ws.body[i];
    const Vec3<T>& u = ws.velocity[i];
    const Vec3<T> f = Scale(k.a, T(B.m)) + Cross(k.wd, B.mc) + Cross(k.w, Cross(k.w, B.mc));
    const Vec3<T> n = B.I * k.wd + Cross(k.w, B.I * k.w) + Cross(B.mc, k.a);
    P.kinetic_rate = P.kinetic_rate + Dot(f, u) + Dot(n, k.w);
    if (c.terms.gravity)
      P.potential_rate =
          P.potential_rate - Dot(c.gravity, ws.world[i].R * (Scale(u, T(B.m)) + Cross(k.w, B.mc)));
  }
  if (c.terms.rotor)
    for (const PreparedRotor& rotor : m.rotors) {
      const T s = energy_detail::RotorSpin(rotor, v), sd = energy_detail::RotorSpin(rotor, a);
      P.kinetic_rate = P.kinetic_rate + rotor.inertia * (s * sd);
      if (rotor.carrier == kWorld) continue;
      const BodyKinematics<T>& k = ws.body[rotor.carrier];
      P.kinetic_rate =
          P.kinetic_rate + rotor.inertia * (sd * Dot(rotor.axis, k.w) + s * Dot(rotor.axis, k.wd));
    }
  P.residual = P.input - P.friction - P.kinetic_rate - P.potential_rate - P.spring_rate;
  return P;
}

}  // namespace torqued
