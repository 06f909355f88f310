// What must a scalar be able to do so that one template computes numbers, lanes, derivatives and equations?
//
// Every algorithm in core is a template over T and is instantiated with
//   double           the number,
//   Pack<ISA, N>     N robot states at once, one per lane (batch/),
//   Dual<N>          the number and its derivative along N directions,
//   Symbol           the recorded equation (compile/).
//
// T supports + - * / with T and with double (model constants are double), unary minus, and the functions below.
// Rules for generic code: never branch on a T (use Select), call sin(x) unqualified so that argument-dependent
// lookup finds the overload, and prefer SinCos when both are needed.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

namespace torqued {

using std::abs;
using std::cos;
using std::exp;
using std::sin;
using std::sqrt;
using std::tanh;

// s = sin(x), c = cos(x).
inline void SinCos(double x, double& s, double& c) {
#if defined(__GLIBC__)
  ::sincos(x, &s, &c);
#else
  s = std::sin(x);
  c = std::cos(x);
#endif
}

// -1, 0 or +1; zero at zero (Coulomb friction at rest is zero, not undefined).
inline double Sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }

// x > 0 ? if_positive : otherwise, without a branch that a lane or a recorded equation could not take.
inline double SelectPositive(double x, double if_positive, double otherwise) {
  return x > 0 ? if_positive : otherwise;
}

// Is some lane of x not positive (or not a number)? A recorded symbol does not know: the general answer is no.
template <class T>
inline bool AnyNotPositive(const T&) {
  return false;
}
inline bool AnyNotPositive(double x) { return !(x > 0); }

template <class T>
concept Scalar = std::copyable<T> && requires(T a, T b, double k, T& out) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a * b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { k * a } -> std::convertible_to<T>;
  { a + k } -> std::convertible_to<T>;
  { -a } -> std::convertible_to<T>;
  T(k);
  SinCos(a, out, out);
  { sqrt(a) } -> std::convertible_to<T>;
  { Sign(a) } -> std::convertible_to<T>;
  { SelectPositive(a, a, b) } -> std::convertible_to<T>;
};

// The scalar of a product of an A and a B: a model constant (double) times a T is a T.
template <class A, class B>
using Product = std::conditional_t<std::is_same_v<A, double>, B, A>;

}  // namespace torqued
