// What are sine and cosine of many angles at once, within 2 ulp?
//
//   n = round(2 x / pi),   r + t = x - n pi/2   (r the double nearest to it, t the rest),
//   sin r = r + r z P(z),  cos r = 1 - z/2 + z^2 Q(z),  z = r^2,  |r| <= pi/4;
// n mod 4 says which of the two, and which sign.
//
// Reduction (Cody and Waite 1980), without a fused multiply-add: pi/2 = A + B + C with 33, 33 and 53 significant bits, so
// that n A and n B are exact while |n| < 2^20; the rounding of n C is below 1e-31 for |x| <= kSinCosReach, where no double
// lies nearer to a non-zero multiple of pi/2 than about 1e-16: r keeps its full relative accuracy. With it (kFused): three
// parts of 53 bits; x - n A is exact, each further step rounds once relative to what is left, and t is not needed.
// P and Q are minimax polynomials (Remez exchange in 200-bit arithmetic, relative weight): errors 2^-57.9 and 2^-63.9.
// No branch, no table: lanes stay together. Largest errors measured: see tests/core/math/sincos_test.
#pragma once

namespace torqued {

inline constexpr double kSinCosReach = 16384;  // [rad]; beyond: the caller's slow path

// V: a vector of double or a type with its operators; I: the vector of 64-bit integers of the same width.
// kFused: the compiler contracts a b + c to one rounding (-ffp-contract=fast on a machine that has it).
// For |x| > kSinCosReach or NaN the result has no meaning (but is computed without a trap).
template <bool kFused, class V, class I>
[[gnu::always_inline]] inline void SinCosReduced(const V x, V& sine, V& cosine) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kA = kFused ? 0x1.921fb54442d18p+0 : 0x1.921fb544p+0;
  constexpr double kB = kFused ? 0x1.1a62633145c07p-54 : 0x1.0b4611a6p-34;
  constexpr double kC = kFused ? -0x1.f1976b7ed8fbcp-110 : 0x1.3198a2e037073p-69;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits

  const V shifted = x * kTwoOverPi + kRound;
  const V n = shifted - kRound;
  const I quadrant = __builtin_bit_cast(I, shifted);

  V r, t;
  if constexpr (kFused) {
    r = ((x - n * kA) - n * kB) - n * kC;
    t = V{};
  } else {
    const V head = x - n * kA;
    const V nB = n * kB;
    const V mid = head - nB;
    const V back = mid - head;
    const V mid_rest = (head - (mid - back)) - (nB + back);  // exact: head - nB = mid + mid_rest
    const V low = mid_rest - n * kC;
    r = mid + low;
    t = (mid - r) + low;
  }

  const V z = r * r;
  const V z2 = z * z;
  const V p = (-0x1.5555555555548p-3 + z * 0x1.111111110f7cap-7) +
              z2 * ((-0x1.a01a019bfd185p-13 + z * 0x1.71de35671294ap-19) +
                    z2 * (-0x1.ae5e59f5bd717p-26 + z * 0x1.5d8fa329cad62p-33));
  const V q = (0x1.555555555554bp-5 + z * -0x1.6c16c16c14f8ap-10) +
              z2 * ((0x1.a01a019c83914p-16 + z * -0x1.27e4f7ea37c35p-22) +
                    z2 * (0x1.1ee9d752ab5ffp-29 + z * -0x1.8fa465fa06489p-37));

  // sin(r + t) = sin r + t (1 - z/2),  cos(r + t) = cos r - r t.
  const V half_z = z * 0.5;
  V s, c;
  if constexpr (kFused) {
    s = r + r * (z * p);
    c = (z2 * q - half_z) + 1.0;
  } else {
    s = r + (r * z * p + (t - t * half_z));
    const V one_less = 1.0 - half_z;
    c = one_less + (((1.0 - one_less) - half_z) + (z2 * q - r * t));
  }

  const auto odd = (quadrant << 63) < 0;
  const V s_pick = odd ? c : s;
  const V c_pick = odd ? s : c;
  const I s_bits = __builtin_bit_cast(I, s_pick) ^ ((quadrant & 2) << 62);
  const I c_bits = __builtin_bit_cast(I, c_pick) ^ (((quadrant + 1) & 2) << 62);
  sine = __builtin_bit_cast(V, s_bits);
  cosine = __builtin_bit_cast(V, c_bits);
}

}  // namespace torqued
