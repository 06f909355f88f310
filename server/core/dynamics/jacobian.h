// How does a frame move per unit of joint rate? J [6 x nv], rows linear then angular; J^T F; and (dJ/dt) v.
//
// Joint i with axis z_i through o_i (world axes), frame origin p:
//   revolute   [z_i x (p - o_i); z_i]          prismatic  [z_i; 0]
//   spherical, floating: one column per body axis, the same formulas.
// Expressions (API.md):
//   WORLD_ALIGNED  velocity of the frame's origin and angular velocity, world axes;
//   BODY           the same in the frame's axes: blockdiag(R^T, R^T) of it;
//   SPATIAL        the twist at the world origin, world axes: p above is 0.
// Coupled models: J = J_tree B.
#pragma once

#include "server/core/dynamics/kinematics.h"

namespace torqued {

enum class Expression { kWorldAligned, kBody, kSpatial };
enum class WrenchAxes { kOfWorld, kOfFrame };

namespace jacobian_detail {

// emit(entry of tree v, angular, linear) for each column of body b's joint, for the point at d from the body's origin.
template <class T, class Emit>
inline void ForEachColumn(const Body& b, const Mat3<T>& R, const Vec3<T>& d, const Emit& emit) {
  const int i = b.v_index;
  switch (b.motion) {
    case Motion::kRevolute: emit(i, R.cz, Cross(R.cz, d)); return;
    case Motion::kPrismatic: emit(i, Vec3<T>::Zero(), R.cz); return;
    case Motion::kFloating:
      for (int k = 0; k < 3; ++k) emit(i + k, Vec3<T>::Zero(), R.col(k));
      for (int k = 0; k < 3; ++k) emit(i + 3 + k, R.col(k), Cross(R.col(k), d));
      return;
    case Motion::kSpherical:
      for (int k = 0; k < 3; ++k) emit(i + k, R.col(k), Cross(R.col(k), d));
      return;
    case Motion::kFixed: return;
  }
}

// Poses of the bodies that carry `body`, root first; fills ws.path and ws.world there. Returns how many.
template <class T>
inline int PlacePath(const Prepared& m, int body, const T* q, Workspace<T>& ws) {
  const T* tq = TreePositions(m, q, ws);
  int n = 0;
  for (int i = body; i != kWorld; i = m.bodies[i].parent) ++n;
  for (int i = body, k = n; i != kWorld; i = m.bodies[i].parent) ws.path[--k] = i;
  for (int k = 0; k < n; ++k) {
    const int i = ws.path[k];
    BodyKinematics<T>& x = ws.body[i];
    PlaceBody(m.bodies[i], tq, x);
    ws.world[i] = k == 0 ? Pose<T>{x.R, x.p} : ws.world[ws.path[k - 1]] * Pose<T>{x.R, x.p};
  }
  return n;
}

}  // namespace jacobian_detail

// J [6 x nv, column-major], of frame f. Does not allocate. Leaves X_WB of the bodies that carry f in ws.world.
template <class T>
void Jacobian(const Prepared& m, const BodyFrame& f, Expression expression, const T* q, Workspace<T>& ws, T* J) {
  const int n = jacobian_detail::PlacePath(m, f.body, q, ws);
  const Pose<T> X_WF = FramePose(f, ws);
  const Vec3<T> at = expression == Expression::kSpatial ? Vec3<T>::Zero() : X_WF.p;
  const bool turn = expression == Expression::kBody;

  T* tree_J = m.coupled ? ws.tree_jacobian.data() : J;
  for (int k = 0; k < 6 * m.nv_tree; ++k) tree_J[k] = T(0.0);
  const auto write = [&](int column, const Vec3<T>& angular, const Vec3<T>& linear) {
    const Vec3<T> w = turn ? TransposeTimes(X_WF.R, angular) : angular;
    const Vec3<T> v = turn ? TransposeTimes(X_WF.R, linear) : linear;
    T* c = tree_J + 6 * column;
    c[0] = v.x, c[1] = v.y, c[2] = v.z;
    c[3] = w.x, c[4] = w.y, c[5] = w.z;
  };
  for (int k = 0; k < n; ++k) {
    const int i = ws.path[k];
    jacobian_detail::ForEachColumn(m.bodies[i], ws.world[i].R, at - ws.world[i].p, write);
  }
  if (!m.coupled) return;
  for (int k = 0; k < 6 * m.nv; ++k) J[k] = T(0.0);
  for (int i = 0; i < m.nv_tree; ++i)
    for (const auto& [j, factor] : m.coupling[i].terms)
      for (int r = 0; r < 6; ++r) J[6 * j + r] = J[6 * j + r] + factor * tree_J[6 * i + r];
}

// (dJ/dt) v [6]: what the time derivative of J v keeps when the accelerations are zero. WORLD_ALIGNED: the classical
// acceleration of the frame's origin and the angular acceleration. Leaves the motion at a = 0 in ws. Does not allocate.
//   BODY: R^T (a_p - w x v_p), R^T wd         SPATIAL: a_p - wd x p - w x v_p, wd.
template <class T>
void JacobianDotV(const Prepared& m, const BodyFrame& f, Expression expression, const T* q, const T* v,
                  Workspace<T>& ws, T* out) {
  ForwardMotion<T>(m, q, v, nullptr, ws);
  const FrameMotion<T> x =
      expression == Expression::kBody ? MotionInFrameAxes(f, ws) : MotionInWorldAxes(f, ws);
  Vec3<T> linear = x.a;
  if (expression != Expression::kWorldAligned) linear -= Cross(x.w, x.v);
  if (expression == Expression::kSpatial) linear -= Cross(x.wd, FramePose(f, ws).p);
  out[0] = linear.x, out[1] = linear.y, out[2] = linear.z;
  out[3] = x.wd.x, out[4] = x.wd.y, out[5] = x.wd.z;
}

// tau [nv] = J^T F: what the joints hold while the robot exerts F at the origin of frame f (F on the robot: minus it).
// F: force [N] and moment about f's origin [Nm], in world or frame axes. Does not allocate.
template <class T>
void WrenchTorque(const Prepared& m, const BodyFrame& f, WrenchAxes axes, const ForcePair<T>& F, const T* q,
                  Workspace<T>& ws, T* tau) {
  const int n = jacobian_detail::PlacePath(m, f.body, q, ws);
  const Pose<T> X_WF = FramePose(f, ws);
  const ForcePair<T> F_W = axes == WrenchAxes::kOfWorld ? F : ForcePair<T>{X_WF.R * F.f, X_WF.R * F.n};
  T* tree_tau = m.coupled ? ws.tau_tree.data() : tau;
  for (int k = 0; k < m.nv_tree; ++k) tree_tau[k] = T(0.0);
  for (int k = 0; k < n; ++k) {
    const int i = ws.path[k];
    jacobian_detail::ForEachColumn(m.bodies[i], ws.world[i].R, X_WF.p - ws.world[i].p,
                                   [&](int column, const Vec3<T>& angular, const Vec3<T>& linear) {
                                     tree_tau[column] = Dot(linear, F_W.f) + Dot(angular, F_W.n);
                                   });
  }
  if (m.coupled) ReduceEfforts(m, tree_tau, tau);
}

}  // namespace torqued
