// How do N robot states go through one template at once? Each in a lane of a Pack, a Scalar like double.
//
// A Pack is a compiler vector (GCC and Clang split or emulate it where the processor has none that wide); its
// instruction set is part of the type (isa.h), so that code made with different flags never shares a symbol.
// Lanes never influence each other: every operation is lane by lane, and a lane that needs a rare path (SinCos far
// from zero, exp, tanh) takes it alone. Within one instruction set a state's result does not depend on its lane or
// on its neighbours; results of different sets differ by rounding (fused multiply-add).
#pragma once

#include <cmath>
#include <cstring>

#include "server/core/math/isa.h"
#include "server/core/math/scalar.h"
#include "server/core/math/sincos.h"

namespace torqued {

namespace pack_detail {
template <class E, int N>
struct Vector {
  using type [[gnu::vector_size(N * sizeof(E))]] = E;
};
}  // namespace pack_detail

#define TORQUED_LANES [[gnu::always_inline]] friend inline

template <class Isa, int N>
struct Pack {
  static_assert(N >= 2 && (N & (N - 1)) == 0, "lanes: a power of two");
  using Lanes = typename pack_detail::Vector<double, N>::type;
  using InstructionSet = Isa;
  static constexpr int kLanes = N;

  Lanes v;

  Pack() = default;
  [[gnu::always_inline]] explicit Pack(double k) : v(k - Lanes{}) {}
  [[gnu::always_inline]] explicit Pack(Lanes lanes) : v(lanes) {}

  using Mask = typename pack_detail::Vector<long long, N>::type;  // all bits of a lane, or none

  [[gnu::always_inline]] static inline bool AnyLane(Mask mask) {
    long long any = 0;
    for (int l = 0; l < N; ++l) any |= mask[l];
    return any != 0;
  }
  // Returns the lanes beyond kSinCosReach (or not numbers), whose results have no meaning.
  [[gnu::always_inline]] static inline Mask SinCosNear(Pack x, Pack& s, Pack& c) {
    SinCosReduced<Isa::kFused, Lanes, Mask>(x.v, s.v, c.v);
    return __builtin_bit_cast(Mask, ~((x.v <= Pack(kSinCosReach).v) & (x.v >= Pack(-kSinCosReach).v)));
  }
  [[gnu::noinline]] static void SinCosFar(const Pack& x, Mask far, Pack& s, Pack& c) {
    for (int l = 0; l < N; ++l)
      if (far[l]) {
        double sl, cl;
        torqued::SinCos(static_cast<double>(x.v[l]), sl, cl);
        s.v[l] = sl, c.v[l] = cl;
      }
  }

  double operator[](int lane) const { return v[lane]; }
  void Set(int lane, double x) { v[lane] = x; }

  TORQUED_LANES Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
  TORQUED_LANES Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
  TORQUED_LANES Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
  TORQUED_LANES Pack operator/(Pack a, Pack b) { return Pack(a.v / b.v); }
  TORQUED_LANES Pack operator+(Pack a, double b) { return Pack(a.v + b); }
  TORQUED_LANES Pack operator-(Pack a, double b) { return Pack(a.v - b); }
  TORQUED_LANES Pack operator*(Pack a, double b) { return Pack(a.v * b); }
  TORQUED_LANES Pack operator/(Pack a, double b) { return Pack(a.v / b); }
  TORQUED_LANES Pack operator+(double a, Pack b) { return Pack(a + b.v); }
  TORQUED_LANES Pack operator-(double a, Pack b) { return Pack(a - b.v); }
  TORQUED_LANES Pack operator*(double a, Pack b) { return Pack(a * b.v); }
  TORQUED_LANES Pack operator/(double a, Pack b) { return Pack(a / b.v); }
  TORQUED_LANES Pack operator-(Pack a) { return Pack(-a.v); }
  Pack& operator+=(Pack b) { return v += b.v, *this; }
  Pack& operator-=(Pack b) { return v -= b.v, *this; }
  Pack& operator*=(Pack b) { return v *= b.v, *this; }

  TORQUED_LANES Pack Sign(Pack x) {
    const Lanes one = Pack(1.0).v, zero{};
    return Pack((x.v > zero ? one : zero) - (x.v < zero ? one : zero));
  }
  TORQUED_LANES Pack SelectPositive(Pack x, Pack if_positive, Pack otherwise) {
    return Pack(x.v > Lanes{} ? if_positive.v : otherwise.v);
  }
  // Is any lane zero, negative or not a number?
  friend bool AnyNotPositive(const Pack& x) {
    return AnyLane(~(x.v > Lanes{}));
  }
  TORQUED_LANES Pack abs(Pack x) { return Pack(x.v < Lanes{} ? -x.v : x.v + 0.0); }
  TORQUED_LANES Pack sqrt(Pack x) {
    Pack out;
    for (int l = 0; l < N; ++l) out.v[l] = __builtin_sqrt(x.v[l]);
    return out;
  }
  friend Pack exp(Pack x) {
    for (int l = 0; l < N; ++l) x.v[l] = std::exp(x.v[l]);
    return x;
  }
  friend Pack tanh(Pack x) {
    for (int l = 0; l < N; ++l) x.v[l] = std::tanh(x.v[l]);
    return x;
  }

  TORQUED_LANES void SinCos(Pack x, Pack& s, Pack& c) {
    const Mask far = SinCosNear(x, s, c);
    if (__builtin_expect(AnyLane(far), 0)) SinCosFar(x, far, s, c);
  }

  // sin and cos of values[angle_index[k]] into sin_cos[2 k], sin_cos[2 k + 1], k < count: no branch between angles.
  static void SinCosAll(const Pack* values, const int* angle_index, int count, Pack* sin_cos) {
    Mask any{};
    for (int k = 0; k < count; ++k) any |= SinCosNear(values[angle_index[k]], sin_cos[2 * k], sin_cos[2 * k + 1]);
    if (__builtin_expect(!AnyLane(any), 1)) return;
    for (int k = 0; k < count; ++k) SinCos(values[angle_index[k]], sin_cos[2 * k], sin_cos[2 * k + 1]);
  }

  friend Pack sin(Pack x) {
    Pack s, c;
    SinCos(x, s, c);
    return s;
  }
  friend Pack cos(Pack x) {
    Pack s, c;
    SinCos(x, s, c);
    return c;
  }
};

#undef TORQUED_LANES

}  // namespace torqued
