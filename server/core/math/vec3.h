// Three-vectors, 3x3 matrices and symmetric 3x3 matrices over any Scalar, for the inner loops.
//
// Eigen is the language at every interface; these exist because an inner loop over lanes or recorded symbols wants
// plain aggregates that the compiler keeps in registers. Mixed products take model constants (double) on the left.
#pragma once

#include <Eigen/Core>

#include "server/core/math/scalar.h"

namespace torqued {

template <class T>
struct Vec3 {
  T x, y, z;

  static Vec3 Zero() { return {T(0.0), T(0.0), T(0.0)}; }
  T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};

// Columns cx, cy, cz: R_AB has the axes of B, expressed in A, as columns.
template <class T>
struct Mat3 {
  Vec3<T> cx, cy, cz;

  static Mat3 Identity() {
    return {{T(1.0), T(0.0), T(0.0)}, {T(0.0), T(1.0), T(0.0)}, {T(0.0), T(0.0), T(1.0)}};
  }
  const Vec3<T>& col(int j) const { return j == 0 ? cx : j == 1 ? cy : cz; }
};

template <class T>
struct SymMat3 {
  T xx, xy, xz, yy, yz, zz;

  static SymMat3 Zero() { return {T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)}; }
};

template <class A, class B, class P = Product<A, B>>
inline Vec3<P> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
inline Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
inline Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) {
  a.x = a.x + b.x;
  a.y = a.y + b.y;
  a.z = a.z + b.z;
  return a;
}
template <class T>
inline Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) {
  a.x = a.x - b.x;
  a.y = a.y - b.y;
  a.z = a.z - b.z;
  return a;
}
// Scale; the vector stands on the left so that lane types never meet Eigen's or std's operators by accident.
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> Scale(const Vec3<A>& v, const B& k) {
  return {v.x * k, v.y * k, v.z * k};
}
template <class A, class B, class P = Product<A, B>>
inline P Dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> Cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// M v.
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> operator*(const Mat3<A>& m, const Vec3<B>& v) {
  return {m.cx.x * v.x + m.cy.x * v.y + m.cz.x * v.z, m.cx.y * v.x + m.cy.y * v.y + m.cz.y * v.z,
          m.cx.z * v.x + m.cy.z * v.y + m.cz.z * v.z};
}
// M^T v: with M = R_AB and v in A, the same vector in B.
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> TransposeTimes(const Mat3<A>& m, const Vec3<B>& v) {
  return {Dot(m.cx, v), Dot(m.cy, v), Dot(m.cz, v)};
}
template <class A, class B, class P = Product<A, B>>
inline Mat3<P> operator*(const Mat3<A>& a, const Mat3<B>& b) {
  return {a * b.cx, a * b.cy, a * b.cz};
}
template <class T>
inline Mat3<T> Transpose(const Mat3<T>& m) {
  return {{m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
}
template <class A, class B, class P = Product<A, B>>
inline Vec3<P> operator*(const SymMat3<A>& s, const Vec3<B>& v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
template <class A, class B, class P = Product<A, B>>
inline SymMat3<P> operator+(const SymMat3<A>& a, const SymMat3<B>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

template <class T>
inline Vec3<T> FromEigen(const Eigen::Vector3d& v) {
  return {T(v.x()), T(v.y()), T(v.z())};
}
inline Eigen::Vector3d ToEigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Mat3<double> FromEigen(const Eigen::Matrix3d& m) {
  return {{m(0, 0), m(1, 0), m(2, 0)}, {m(0, 1), m(1, 1), m(2, 1)}, {m(0, 2), m(1, 2), m(2, 2)}};
}
inline Eigen::Matrix3d ToEigen(const Mat3<double>& m) {
  Eigen::Matrix3d out;
  out << m.cx.x, m.cy.x, m.cz.x, m.cx.y, m.cy.y, m.cz.y, m.cx.z, m.cy.z, m.cz.z;
  return out;
}
inline SymMat3<double> SymFromEigen(const Eigen::Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
}
inline Eigen::Matrix3d ToEigen(const SymMat3<double>& s) {
  Eigen::Matrix3d out;
  out << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return out;
}

}  // namespace torqued
