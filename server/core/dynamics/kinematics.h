// Where is every frame and how does it move? Poses, velocities, accelerations.
//
// Euler's outward recursion, body by body, in the body's own axes (P the parent, R = R_P_B, p = p_P_B, for a revolute
// joint; the other kinds are in rnea.h):
//   w = R^T wP + z v        wd = R^T wdP + z a + (R^T wP) x z v
//   v_o = R^T (vP + wP x p)        a_o = R^T (aP + wdP x p + wP x (wP x p))
// Accelerations here are true ones (of the origin, seen from the world): gravity is not in them.
#pragma once

#include "server/core/dynamics/rnea.h"

namespace torqued {

inline Pose<double> InBody(const BodyFrame& f) { return {f.R, f.p}; }

// Writes X_WB of every body into ws.world. q [nq]. Does not allocate.
template <class T>
void ForwardKinematics(const Prepared& m, const T* q, Workspace<T>& ws) {
  const T* tq = TreePositions(m, q, ws);
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    BodyKinematics<T>& k = ws.body[i];
    PlaceBody(b, tq, k);
    ws.world[i] = b.parent == kWorld ? Pose<T>{k.R, k.p} : ws.world[b.parent] * Pose<T>{k.R, k.p};
  }
}

// X_WF. REQUIRES: ws after ForwardKinematics or ForwardMotion.
template <class T>
Pose<T> FramePose(const BodyFrame& f, const Workspace<T>& ws) {
  if (f.body == kWorld) return {Constant<T>(f.R), Constant<T>(f.p)};
  const Pose<T>& X = ws.world[f.body];
  return {X.R * f.R, X.p + X.R * f.p};
}

// How a frame moves with respect to the world: classical velocities and accelerations of its origin.
template <class T>
struct FrameMotion {
  Vec3<T> w;   // angular velocity [rad/s]
  Vec3<T> v;   // of the origin [m/s]
  Vec3<T> wd;  // angular acceleration [rad/s^2]
  Vec3<T> a;   // of the origin [m/s^2]

  static FrameMotion Zero() { return {Vec3<T>::Zero(), Vec3<T>::Zero(), Vec3<T>::Zero(), Vec3<T>::Zero()}; }
};

// Writes poses and motions of every body (ws.world; ws.body and ws.velocity in body axes). v, a [nv] may be null (zero).
template <class T>
void ForwardMotion(const Prepared& m, const T* q, const T* v, const T* a, Workspace<T>& ws) {
  ForwardKinematics(m, q, ws);
  const T* tv = TreeRates(m, v, ws.v_tree);
  const T* ta = TreeRates(m, a, ws.a_tree);
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    BodyKinematics<T>& k = ws.body[i];
    const BodyKinematics<T>* parent = b.parent == kWorld ? nullptr : &ws.body[b.parent];
    rnea_detail::MoveBody(b, parent, Vec3<double>::Zero(), tv, ta, k);
    Vec3<T> u = parent ? TransposeTimes(k.R, ws.velocity[b.parent] + Cross(parent->w, k.p)) : Vec3<T>::Zero();
    if (tv && b.motion == Motion::kPrismatic) u.z = u.z + tv[b.v_index];
    if (tv && b.motion == Motion::kFloating) u += Vec3<T>{tv[b.v_index], tv[b.v_index + 1], tv[b.v_index + 2]};
    ws.velocity[i] = u;
  }
}

// The motion of a point fixed at p (frame axes) in a frame that moves with `frame` (frame axes).
template <class T>
FrameMotion<T> AtPoint(const FrameMotion<T>& frame, const Vec3<T>& p) {
  return {frame.w, frame.v + Cross(frame.w, p), frame.wd,
          frame.a + Cross(frame.wd, p) + Cross(frame.w, Cross(frame.w, p))};
}

template <class T>
FrameMotion<T> Rotate(const Mat3<T>& R, const FrameMotion<T>& x) {
  return {R * x.w, R * x.v, R * x.wd, R * x.a};
}

// Motion of frame f's origin and axes, expressed in the frame's own axes. REQUIRES: ws after ForwardMotion.
// With AtPoint this is the textbook's table per link: w, wd, v, a of the link frame and of its mass centre.
template <class T>
FrameMotion<T> MotionInFrameAxes(const BodyFrame& f, const Workspace<T>& ws) {
  if (f.body == kWorld) return FrameMotion<T>::Zero();
  const BodyKinematics<T>& k = ws.body[f.body];
  const FrameMotion<T> body{k.w, ws.velocity[f.body], k.wd, k.a};
  return Rotate(Constant<T>(Transpose(f.R)), AtPoint(body, Constant<T>(f.p)));
}

// The same in world axes.
template <class T>
FrameMotion<T> MotionInWorldAxes(const BodyFrame& f, const Workspace<T>& ws) {
  if (f.body == kWorld) return FrameMotion<T>::Zero();
  const BodyKinematics<T>& k = ws.body[f.body];
  const FrameMotion<T> body{k.w, ws.velocity[f.body], k.wd, k.a};
  return Rotate(ws.world[f.body].R, AtPoint(body, Constant<T>(f.p)));
}

// A point that itself moves: position, velocity, acceleration as an observer in some frame sees them, in its axes.
template <class T>
struct PointMotion {
  Vec3<T> p, v, a;  // [m], [m/s], [m/s^2]
};

// What the world sees of a point that an observer in frame A sees moving as `seen`. X_WA and A's motion in world axes.
//   v = v_A + w x r + R v_s        a = a_A + wd x r + w x (w x r) + 2 w x R v_s + R a_s,   r = R p_s.
template <class T>
PointMotion<T> CarryToWorld(const Pose<T>& X_WA, const FrameMotion<T>& A, const PointMotion<T>& seen) {
  const Vec3<T> r = X_WA.R * seen.p, u = X_WA.R * seen.v;
  const FrameMotion<T> fixed = AtPoint(A, r);
  return {X_WA.p + r, fixed.v + u, fixed.a + Scale(Cross(A.w, u), T(2.0)) + X_WA.R * seen.a};
}

// The inverse: what an observer in frame B sees of a point that moves in the world as `point`.
template <class T>
PointMotion<T> SeenFrom(const Pose<T>& X_WB, const FrameMotion<T>& B, const PointMotion<T>& point) {
  const Vec3<T> r = point.p - X_WB.p;
  const FrameMotion<T> fixed = AtPoint(B, r);
  const Vec3<T> u = point.v - fixed.v;
  return {TransposeTimes(X_WB.R, r), TransposeTimes(X_WB.R, u),
          TransposeTimes(X_WB.R, point.a - fixed.a - Scale(Cross(B.w, u), T(2.0)))};
}

}  // namespace torqued
