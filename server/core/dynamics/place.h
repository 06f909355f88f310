// Where is a body with respect to its parent at joint position q? R_PB(q), p_PB(q).
//
// Revolute:  R = P Rz(q), with P = R_P_J:  columns  Px c + Py s,  Py c - Px s,  Pz.
// Prismatic: p = p_P_J + Pz q.
// Spherical, floating: R = P R(quaternion), unit quaternion xyzw (checked and normalised at the interface).
#pragma once

#include "server/core/tree/workspace.h"

namespace torqued {

// R of a unit quaternion [x y z w].
template <class T>
Mat3<T> QuaternionToRotation(const T* u) {
  const T xx = u[0] * u[0], yy = u[1] * u[1], zz = u[2] * u[2];
  const T xy = u[0] * u[1], xz = u[0] * u[2], yz = u[1] * u[2];
  const T wx = u[3] * u[0], wy = u[3] * u[1], wz = u[3] * u[2];
  const T one(1.0);
  return {{one - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)},
          {2.0 * (xy - wz), one - 2.0 * (xx + zz), 2.0 * (yz + wx)},
          {2.0 * (xz + wy), 2.0 * (yz - wx), one - 2.0 * (xx + yy)}};
}

template <class T>
Vec3<T> Constant(const Vec3<double>& v) {
  return {T(v.x), T(v.y), T(v.z)};
}
template <class T>
Mat3<T> Constant(const Mat3<double>& m) {
  return {Constant<T>(m.cx), Constant<T>(m.cy), Constant<T>(m.cz)};
}

// q: tree positions. Writes k.R and k.p.
template <class T>
inline void PlaceBody(const Body& b, const T* q, BodyKinematics<T>& k) {
  switch (b.motion) {
    case Motion::kRevolute: {
      T s, c;
      SinCos(q[b.q_index], s, c);
      k.R.cx = Scale(b.R.cx, c) + Scale(b.R.cy, s);
      k.R.cy = Scale(b.R.cy, c) - Scale(b.R.cx, s);
      k.R.cz = Constant<T>(b.R.cz);
      k.p = Constant<T>(b.p);
      return;
    }
    case Motion::kPrismatic:
      k.R = Constant<T>(b.R);
      k.p = b.p + Scale(b.R.cz, q[b.q_index]);
      return;
    case Motion::kSpherical:
      k.R = b.R * QuaternionToRotation(q + b.q_index);
      k.p = Constant<T>(b.p);
      return;
    case Motion::kFloating: {
      const T* u = q + b.q_index;
      k.R = b.R * QuaternionToRotation(u + 3);
      k.p = b.p + b.R * Vec3<T>{u[0], u[1], u[2]};
      return;
    }
    case Motion::kFixed:
      k.R = Constant<T>(b.R);
      k.p = Constant<T>(b.p);
      return;
  }
}

}  // namespace torqued
