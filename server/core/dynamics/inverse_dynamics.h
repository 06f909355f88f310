// Which joint torques does a motion need? All terms of Conditions: tau = M a + C v + g + rotor + friction + springs.
//
// Each term stands alone, so that answers with one term each add up to the answer with all. "Rotor" is all that the
// rotors add, with accelerations and with velocities: dropping "inertia" drops the links' M a alone.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/rnea.h"
#include "server/core/dynamics/springs.h"

namespace torqued {

// tau [nv] += friction at rates v [nv] (model coordinates).
template <class T>
void AddFrictionTorque(const Prepared& m, const T* v, T* tau) {
  if (!m.has_friction) return;
  for (int k = 0; k < m.nv; ++k) tau[k] = tau[k] + FrictionTorque(m.friction[k], v[k]);
}

template <class T>
void FrictionTorques(const Prepared& m, const T* v, T* tau) {
  for (int k = 0; k < m.nv; ++k) tau[k] = T(0.0);
  AddFrictionTorque(m, v, tau);
}

// tau [nv]: joint torques and forces [Nm, N] for the motion q [nq], v, a [nv]; v, a may be null (zero).
// Overwrites ws. Does not allocate.
template <class T>
void InverseDynamics(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* a, Workspace<T>& ws,
                     T* tau) {
  const Terms& t = c.terms;
  const bool rotors = t.rotor && !m.rotors.empty();
  const bool together = t.inertia && t.velocity;  // then links and rotors see the same motion: one pass
  const Vec3<double> gravity = t.gravity ? c.gravity : Vec3<double>::Zero();
  NewtonEuler(m, c.inertias, gravity, rotors && together, q, t.velocity ? v : nullptr, t.inertia ? a : nullptr, ws, tau);
  if (rotors && !together) {
    NewtonEuler(m, ws.no_inertias.data(), Vec3<double>::Zero(), true, q, v, a, ws, ws.partial_tau.data());
    for (int k = 0; k < m.nv; ++k) tau[k] = tau[k] + ws.partial_tau[k];
  }
  if (t.springs) AddSpringTorque(m, q, ws, tau);
  if (t.friction && v) AddFrictionTorque(m, v, tau);
}

// g(q) [nv]: holds the links against gravity (no springs, no friction).
template <class T>
void GravityTorque(const Prepared& m, const Conditions& c, const T* q, Workspace<T>& ws, T* tau) {
  NewtonEuler<T>(m, c.inertias, c.gravity, false, q, nullptr, nullptr, ws, tau);
}

// C(q, v) v + g(q) [nv] with the rotors' gyroscopic torques, as far as c.terms has velocity, gravity and rotor.
template <class T>
void BiasTorque(const Prepared& m, const Conditions& c, const T* q, const T* v, Workspace<T>& ws, T* tau) {
  Conditions rigid = c;
  rigid.terms.friction = rigid.terms.springs = false;
  InverseDynamics<T>(m, rigid, q, v, nullptr, ws, tau);
}

// C(q, v) v [nv] alone, computed without gravity (not by subtraction).
template <class T>
void CoriolisTorque(const Prepared& m, const Conditions& c, const T* q, const T* v, Workspace<T>& ws, T* tau) {
  Conditions moving = c;
  moving.gravity = Vec3<double>::Zero();
  BiasTorque(m, moving, q, v, ws, tau);
}

}  // namespace torqued
