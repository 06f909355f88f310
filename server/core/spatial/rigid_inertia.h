// How heavy is a rigid body about a chosen point, in chosen axes, and what momentum has it there?
//
// m, mc and I about a reference point O: inertias about one point in the same axes simply add up, so a recursion that
// keeps all bodies in common axes needs no shifting on its way inward.
//   f = m v + w x mc        n = I w + mc x v        (w angular velocity, v velocity of the body's point at O)
#pragma once

#include "server/core/math/vec3.h"
#include "server/core/spatial/mass_properties.h"
#include "server/core/spatial/pose.h"

namespace torqued {

// A velocity, or a joint's direction of motion, as seen at the reference point O.
template <class T>
struct Motion6 {
  Vec3<T> w;  // angular
  Vec3<T> v;  // linear, of the point at O
};

template <class T>
struct RigidInertia {
  double m;       // a model's constant in every scalar [kg]
  Vec3<T> mc;     // [kg m]
  SymMat3<T> I;   // about O [kg m^2]
};

template <class T>
inline RigidInertia<T>& operator+=(RigidInertia<T>& a, const RigidInertia<T>& b) {
  a.m += b.m;
  a.mc += b.mc;
  a.I = a.I + b.I;
  return a;
}

// Momentum (or, of an acceleration, the inertial wrench), about O.
template <class T>
inline ForcePair<T> operator*(const RigidInertia<T>& B, const Motion6<T>& V) {
  return {Scale(V.v, T(B.m)) + Cross(V.w, B.mc), B.I * V.w + Cross(B.mc, V.v)};
}

template <class T>
inline T Dot(const Motion6<T>& S, const ForcePair<T>& F) {
  return Dot(S.w, F.n) + Dot(S.v, F.f);
}

template <class T>
inline Motion6<T>& operator+=(Motion6<T>& a, const Motion6<T>& b) {
  a.w += b.w;
  a.v += b.v;
  return a;
}
template <class T>
inline Motion6<T> Scale(const Motion6<T>& S, const T& k) {
  return {Scale(S.w, k), Scale(S.v, k)};
}
// dS/dt of a direction S that is carried along with velocity V.
template <class T>
inline Motion6<T> Cross(const Motion6<T>& V, const Motion6<T>& S) {
  return {Cross(V.w, S.w), Cross(V.w, S.v) + Cross(V.v, S.w)};
}
// dF/dt of a wrench F that is carried along with velocity V.
template <class T>
inline ForcePair<T> CrossForce(const Motion6<T>& V, const ForcePair<T>& F) {
  return {Cross(V.w, F.f), Cross(V.w, F.n) + Cross(V.v, F.f)};
}

// R S R^T.
template <class A, class B, class P = Product<A, B>>
inline SymMat3<P> Congruence(const Mat3<A>& R, const SymMat3<B>& S) {
  const Vec3<P> x = R * Vec3<B>{S.xx, S.xy, S.xz};  // columns of R S
  const Vec3<P> y = R * Vec3<B>{S.xy, S.yy, S.yz};
  const Vec3<P> z = R * Vec3<B>{S.xz, S.yz, S.zz};
  return {x.x * R.cx.x + y.x * R.cy.x + z.x * R.cz.x, x.x * R.cx.y + y.x * R.cy.y + z.x * R.cz.y,
          x.x * R.cx.z + y.x * R.cy.z + z.x * R.cz.z, x.y * R.cx.y + y.y * R.cy.y + z.y * R.cz.y,
          x.y * R.cx.z + y.y * R.cy.z + z.y * R.cz.z, x.z * R.cx.z + y.z * R.cy.z + z.z * R.cz.z};
}

// The inertia `b` of a body whose frame stands at X_OB, about O in O's axes.
//   I_O = R I R^T + 2 (p . u) 1 - (p u^T + u p^T),   u = R mc + m p / 2.
template <class T>
inline RigidInertia<T> Express(const Pose<T>& X_OB, const BodyInertia& b) {
  const Vec3<T>& p = X_OB.p;
  const Vec3<T> mc = X_OB.R * b.mc;
  const Vec3<T> u = mc + Scale(p, T(0.5 * b.m));
  SymMat3<T> I = Congruence(X_OB.R, b.I);
  const T x = p.x * u.x, y = p.y * u.y, z = p.z * u.z;
  I.xx = I.xx + 2.0 * (y + z);
  I.yy = I.yy + 2.0 * (x + z);
  I.zz = I.zz + 2.0 * (x + y);
  I.xy = I.xy - (p.x * u.y + p.y * u.x);
  I.xz = I.xz - (p.x * u.z + p.z * u.x);
  I.yz = I.yz - (p.y * u.z + p.z * u.y);
  return {b.m, mc + Scale(p, T(b.m)), I};
}

template <class T>
inline RigidInertia<T> Constant(const BodyInertia& b) {
  return {b.m,
          {T(b.mc.x), T(b.mc.y), T(b.mc.z)},
          {T(b.I.xx), T(b.I.xy), T(b.I.xz), T(b.I.yy), T(b.I.yz), T(b.I.zz)}};
}

}  // namespace torqued
