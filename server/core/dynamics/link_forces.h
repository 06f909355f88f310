// What does each joint carry? All six reaction components, link by link, from the hand to the base.
//
//   F_i = (what body i itself needs) - (what the environment and springs exert on it) + sum of the children's F
// Sign: F is exerted by the parent link on the child link, through everything that joins them: bearing, drive, friction.
// Point: the joint frame's origin, moved along by the joint (where a prismatic, planar or floating joint has carried it).
// Axes: the child link's.
// Only joints that stay bodies have an answer: prepare with lump_fixed = false to see fixed joints too. The component along a
// joint's own axis is the drive's and friction's share together with what a rotor's spin asks for beyond it.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/rnea.h"
#include "server/core/dynamics/springs.h"

namespace torqued {

// A wrench that the environment exerts on the robot at the origin of a frame.
template <class T>
struct ExternalWrench {
  BodyFrame frame;
  WrenchAxes axes = WrenchAxes::kOfWorld;
  ForcePair<T> F;   // force [N], moment about the frame's origin [Nm]
};

namespace link_forces_detail {

// ws.force[f.body] -= F, a wrench in world axes at f's origin. REQUIRES: ws.world.
template <class T>
inline void Exert(const BodyFrame& f, const ForcePair<T>& F, Workspace<T>& ws) {
  if (f.body == kWorld) return;
  const Vec3<T> force = TransposeTimes(ws.world[f.body].R, F.f);
  ws.force[f.body].f -= force;
  ws.force[f.body].n -= TransposeTimes(ws.world[f.body].R, F.n) + Cross(f.p, force);
}

}  // namespace link_forces_detail

// forces [link_count]: forces[l] acts on link l at its joint towards the root; zero for links that do not move and for
// links lumped onto another's body. v, a may be null (zero). Does not allocate.
template <class T>
void LinkForces(const Prepared& m, const Conditions& c, const T* q, const T* v, const T* a,
                const ExternalWrench<T>* wrenches, int wrench_count, Workspace<T>& ws, ForcePair<T>* forces) {
  const Terms& t = c.terms;
  const bool rotors = t.rotor && !m.rotors.empty();
  const Vec3<double> gravity = t.gravity ? c.gravity : Vec3<double>::Zero();
  if (wrench_count > 0 || (t.springs && !m.point_springs.empty())) ForwardKinematics(m, q, ws);
  NewtonEulerOutward(m, c.inertias, gravity, rotors, q, t.velocity ? v : nullptr, t.inertia ? a : nullptr, ws);

  for (int k = 0; k < wrench_count; ++k) {
    const ExternalWrench<T>& w = wrenches[k];
    ForcePair<T> F = w.F;
    if (w.axes == WrenchAxes::kOfFrame) {
      const Mat3<T> R = FramePose(w.frame, ws).R;
      F = {R * F.f, R * F.n};
    }
    link_forces_detail::Exert(w.frame, F, ws);
  }
  if (t.springs)
    for (const PreparedPointSpring& s : m.point_springs) {
      const Vec3<T> pull = springs_detail::PointSpringPull(s, ws);  // on a, towards b
      link_forces_detail::Exert(s.a, ForcePair<T>{pull, Vec3<T>::Zero()}, ws);
      link_forces_detail::Exert(s.b, ForcePair<T>{-pull, Vec3<T>::Zero()}, ws);
    }
  NewtonEulerInward<T>(m, false, ws, nullptr);

  for (int l = 0; l < m.link_count; ++l) forces[l] = {Vec3<T>::Zero(), Vec3<T>::Zero()};
  for (int i = 0; i < m.body_count(); ++i) {
    const int link = m.bodies[i].link;
    if (link < 0) continue;
    const Mat3<double> R_LB = Transpose(m.frames[link].R);
    forces[link] = {R_LB * ws.force[i].f, R_LB * ws.force[i].n};
  }
}

}  // namespace torqued
