// How heavy is a body whose descendants follow as their joints let them? Like RigidInertia, but of no single mass.
//
//   f = H^T wd + M a        n = I wd + H a        about the reference point; a rigid body: M = m 1, H = [mc]x.
#pragma once

#include "server/core/spatial/rigid_inertia.h"

namespace torqued {

template <class T>
struct ArticulatedInertia {
  SymMat3<T> M;
  Mat3<T> H;
  SymMat3<T> I;
};

template <class T>
inline ForcePair<T> operator*(const ArticulatedInertia<T>& A, const Motion6<T>& x) {
  return {TransposeTimes(A.H, x.w) + A.M * x.v, A.I * x.w + A.H * x.v};
}

// A -= U U^T k.
template <class T>
inline void SubtractOuter(ArticulatedInertia<T>& A, const ForcePair<T>& U, const T& k) {
  const Vec3<T> f = Scale(U.f, k), n = Scale(U.n, k);
  A.M = {A.M.xx - U.f.x * f.x, A.M.xy - U.f.x * f.y, A.M.xz - U.f.x * f.z,
         A.M.yy - U.f.y * f.y, A.M.yz - U.f.y * f.z, A.M.zz - U.f.z * f.z};
  A.I = {A.I.xx - U.n.x * n.x, A.I.xy - U.n.x * n.y, A.I.xz - U.n.x * n.z,
         A.I.yy - U.n.y * n.y, A.I.yz - U.n.y * n.z, A.I.zz - U.n.z * n.z};
  A.H.cx -= Scale(U.n, f.x);
  A.H.cy -= Scale(U.n, f.y);
  A.H.cz -= Scale(U.n, f.z);
}

template <class T>
inline ArticulatedInertia<T> ToArticulated(const RigidInertia<T>& B) {
  const T zero(0.0), m(B.m);
  return {{m, zero, zero, m, zero, m},
          {{zero, B.mc.z, -B.mc.y}, {-B.mc.z, zero, B.mc.x}, {B.mc.y, -B.mc.x, zero}},
          B.I};
}

template <class T>
inline ArticulatedInertia<T>& operator+=(ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
  a.M = a.M + b.M;
  a.I = a.I + b.I;
  a.H.cx += b.H.cx;
  a.H.cy += b.H.cy;
  a.H.cz += b.H.cz;
  return a;
}

}  // namespace torqued
