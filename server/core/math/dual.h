// How does a result change along N directions? Forward derivatives carried with the value.
//
// x + sum_k d_k e_k with e_j e_k = 0: sums, products and functions follow the chain rule exactly, so derivatives are
// as accurate as the value itself (no step size). Seeding: value and direction of every input; reading: d of an output.
// Sign and SelectPositive are differentiated away from their jump (Coulomb friction's slope is zero, not a spike).
#pragma once

#include <array>

#include "server/core/math/scalar.h"

namespace torqued {

template <int N>
struct Dual {
  double value = 0;
  std::array<double, N> d{};

  Dual() = default;
  Dual(double x) : value(x) {}  // NOLINT: a constant is a Dual, as a double is a scalar

  // The input that moves with unit rate along direction k.
  static Dual Variable(double x, int k) {
    Dual out(x);
    out.d[k] = 1;
    return out;
  }
};

// f(x) with f and f' known at x.value.
template <int N>
inline Dual<N> Chain(const Dual<N>& x, double f, double slope) {
  Dual<N> out(f);
  for (int k = 0; k < N; ++k) out.d[k] = slope * x.d[k];
  return out;
}

template <int N>
inline Dual<N> operator-(const Dual<N>& a) {
  return Chain(a, -a.value, -1.0);
}
template <int N>
inline Dual<N> operator+(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> out(a.value + b.value);
  for (int k = 0; k < N; ++k) out.d[k] = a.d[k] + b.d[k];
  return out;
}
template <int N>
inline Dual<N> operator-(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> out(a.value - b.value);
  for (int k = 0; k < N; ++k) out.d[k] = a.d[k] - b.d[k];
  return out;
}
template <int N>
inline Dual<N> operator*(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> out(a.value * b.value);
  for (int k = 0; k < N; ++k) out.d[k] = a.value * b.d[k] + b.value * a.d[k];
  return out;
}
template <int N>
inline Dual<N> operator/(const Dual<N>& a, const Dual<N>& b) {
  const double inverse = 1.0 / b.value, quotient = a.value * inverse;
  Dual<N> out(quotient);
  for (int k = 0; k < N; ++k) out.d[k] = (a.d[k] - quotient * b.d[k]) * inverse;
  return out;
}

template <int N>
inline Dual<N> operator+(const Dual<N>& a, double k) {
  return Chain(a, a.value + k, 1.0);
}
template <int N>
inline Dual<N> operator+(double k, const Dual<N>& a) {
  return Chain(a, a.value + k, 1.0);
}
template <int N>
inline Dual<N> operator-(const Dual<N>& a, double k) {
  return Chain(a, a.value - k, 1.0);
}
template <int N>
inline Dual<N> operator-(double k, const Dual<N>& a) {
  return Chain(a, k - a.value, -1.0);
}
template <int N>
inline Dual<N> operator*(const Dual<N>& a, double k) {
  return Chain(a, a.value * k, k);
}
template <int N>
inline Dual<N> operator*(double k, const Dual<N>& a) {
  return Chain(a, a.value * k, k);
}
template <int N>
inline Dual<N> operator/(const Dual<N>& a, double k) {
  return Chain(a, a.value / k, 1.0 / k);
}
template <int N>
inline Dual<N> operator/(double k, const Dual<N>& a) {
  const double f = k / a.value;
  return Chain(a, f, -f / a.value);
}

template <int N>
inline Dual<N> sin(const Dual<N>& x) {
  return Chain(x, std::sin(x.value), std::cos(x.value));
}
template <int N>
inline Dual<N> cos(const Dual<N>& x) {
  return Chain(x, std::cos(x.value), -std::sin(x.value));
}
template <int N>
inline Dual<N> exp(const Dual<N>& x) {
  const double f = std::exp(x.value);
  return Chain(x, f, f);
}
template <int N>
inline Dual<N> tanh(const Dual<N>& x) {
  const double f = std::tanh(x.value);
  return Chain(x, f, 1 - f * f);
}
// The slope at zero, which does not exist, is given as zero: a spring of no length pulls in no direction.
template <int N>
inline Dual<N> sqrt(const Dual<N>& x) {
  const double f = std::sqrt(x.value);
  return Chain(x, f, f > 0 ? 0.5 / f : 0.0);
}
template <int N>
inline Dual<N> abs(const Dual<N>& x) {
  return Chain(x, std::abs(x.value), torqued::Sign(x.value));
}
template <int N>
inline void SinCos(const Dual<N>& x, Dual<N>& s, Dual<N>& c) {
  double sine, cosine;
  SinCos(x.value, sine, cosine);
  const Dual<N> in = x;  // s or c may be x itself
  s = Chain(in, sine, cosine);
  c = Chain(in, cosine, -sine);
}
template <int N>
inline Dual<N> Sign(const Dual<N>& x) {
  return Dual<N>(torqued::Sign(x.value));
}
template <int N>
inline Dual<N> SelectPositive(const Dual<N>& x, const Dual<N>& if_positive, const Dual<N>& otherwise) {
  return x.value > 0 ? if_positive : otherwise;
}
template <int N>
inline bool AnyNotPositive(const Dual<N>& x) {
  return !(x.value > 0);
}

static_assert(Scalar<Dual<1>> && Scalar<Dual<8>>);

}  // namespace torqued
