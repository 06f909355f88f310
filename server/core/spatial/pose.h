// Where is a frame, and how is it turned? X_AB: R_AB, p_AB; X_AC = X_AB * X_BC.
#pragma once

#include "server/core/math/vec3.h"

namespace torqued {

template <class T>
struct Pose {
  Mat3<T> R;  // axes of B in A, as columns
  Vec3<T> p;  // origin of B in A [m]

  static Pose Identity() { return {Mat3<T>::Identity(), Vec3<T>::Zero()}; }
};

template <class A, class B, class P = Product<A, B>>
inline Pose<P> operator*(const Pose<A>& X_AB, const Pose<B>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

// A force and a moment about a stated point, or any pair that transforms so.
template <class T>
struct ForcePair {
  Vec3<T> f;  // force [N]
  Vec3<T> n;  // moment about the stated point [Nm]
};

template <class T>
inline ForcePair<T>& operator+=(ForcePair<T>& a, const ForcePair<T>& b) {
  a.f += b.f;
  a.n += b.n;
  return a;
}
template <class T>
inline ForcePair<T> Scale(const ForcePair<T>& F, const T& k) {
  return {Scale(F.f, k), Scale(F.n, k)};
}

}  // namespace torqued
