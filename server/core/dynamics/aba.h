// Which accelerations follow from torques, at a cost that grows linearly with the joints? Articulated bodies.
//
// All bodies in common axes (branch_axes.h). Outward: velocities V, and c = V x V_J, what the joint adds with qdd = 0.
// Inward, per body with articulated inertia IA and bias p (p starts as V x* I V, then p += IA c), entry by entry:
//   U = IA S      D = S . U + armature      u = tau - S . p      IA -= U U^T / D      p += U u / D
// and IA, p are added to the parent's: nothing to shift. Outward again, a = parent's a, entry by entry:
//   qdd = (u - U . a) / D      a += S qdd         and at last a += c.
// Joints of several entries are eliminated one entry at a time, which is block elimination written out.
// Source: Featherstone 2008, section 7.3. Departs from it by the common axes and by the entrywise elimination.
#pragma once

#include "server/core/dynamics/branch_axes.h"
#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/crba.h"
#include "server/core/dynamics/ldlt.h"

namespace torqued {
namespace aba_detail {

// Velocities, bias accelerations, and each body's own inertia and bias force. REQUIRES: ws in branch axes.
template <class T>
inline void Outward(const Prepared& m, const T* v, Workspace<T>& ws) {
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    ArticulatedBody<T>& x = ws.articulated[i];
    Motion6<T> joint{Vec3<T>::Zero(), Vec3<T>::Zero()};
    if (v)
      for (int k = 0; k < VelocityCount(b.motion); ++k) joint += Scale(ws.column[b.v_index + k], v[b.v_index + k]);
    x.V = joint;
    if (b.parent != kWorld) x.V += ws.articulated[b.parent].V;
    x.c = Cross(x.V, joint);
    x.IA = ToArticulated(ws.composite[i]);
    x.p = CrossForce(x.V, ws.composite[i] * x.V);
  }
}

}  // namespace aba_detail

// qdd [nv] = M^-1 (tau - bias) for rigid bodies under gravity with rotors as armatures; tau [nv] is what is left of the
// torque after friction and springs; v may be null (zero). REQUIRES: !m.coupled, m.simple_rotors. Does not allocate.
template <class T>
SolveStatus ArticulatedForwardDynamics(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* tau,
                            Workspace<T>& ws, T* qdd) {
  using namespace aba_detail;
  PlaceBodies(m, q, ws);
  ExpressInBranchAxes(m, c.inertias, ws);
  Outward(m, v, ws);

  SolveStatus status;
  const double tolerance = PivotTolerance(m.nv);
  for (int i = m.body_count() - 1; i >= 0; --i) {
    const Body& b = m.bodies[i];
    ArticulatedBody<T>& x = ws.articulated[i];
    x.p += x.IA * x.c;
    for (int k = VelocityCount(b.motion) - 1; k >= 0; --k) {
      const int j = b.v_index + k;
      const Motion6<T>& S = ws.column[j];
      ArticulatedEntry<T>& e = ws.entry[j];
      e.U = x.IA * S;
      const double armature = c.terms.rotor ? m.armature[j] : 0.0;
      const T D = Dot(S, e.U) + armature;
      const T margin = D - tolerance * (crba_detail::DiagonalBound(ws.composite[i], S) + armature);
      if (AnyNotPositive(margin)) status.singular = j;
      e.inverse_D = SelectPositive(margin, T(1.0) / D, T(0.0));
      e.u = tau[j] - Dot(S, x.p);
      SubtractOuter(x.IA, e.U, e.inverse_D);
      const T step = e.u * e.inverse_D;
      x.p += Scale(e.U, step);
    }
    if (b.parent == kWorld) continue;
    ArticulatedBody<T>& parent = ws.articulated[b.parent];
    parent.IA += x.IA;
    parent.p += x.p;
    ws.composite[b.parent] += ws.composite[i];  // bounds the pivots' rounding errors
  }

  const Vec3<double> gravity = c.terms.gravity ? c.gravity : Vec3<double>::Zero();
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    Motion6<T> a = b.parent == kWorld
                       ? Motion6<T>{Vec3<T>::Zero(), TransposeTimes(ws.body[i].R, Constant<T>(-gravity))}
                       : ws.acceleration[b.parent];
    for (int k = 0; k < VelocityCount(b.motion); ++k) {
      const int j = b.v_index + k;
      const ArticulatedEntry<T>& e = ws.entry[j];
      qdd[j] = (e.u - Dot(a, e.U)) * e.inverse_D;
      a += Scale(ws.column[j], qdd[j]);
    }
    a += ws.articulated[i].c;
    ws.acceleration[i] = a;
  }
  return status;
}

}  // namespace torqued
