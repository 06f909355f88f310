// Which random number has this sample? Counter-based: number i of a seed is computed from i alone, so that any thread
// may begin anywhere.
//
// SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence through a finaliser of two multiplications.
#pragma once

#include <cmath>
#include <cstdint>

namespace torqued::sweep {

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : key_(Mix(seed + kStep)) {}

  // In (0, 1): multiples of 2^-53, shifted by half of one.
  double Uniform(std::uint64_t i) const {
    return (static_cast<double>(static_cast<std::int64_t>(Mix(key_ + i * kStep) >> 11)) + 0.5) * 0x1p-53;
  }
  // Standard normal, from numbers 2 i and 2 i + 1 (Box, Muller).
  double Normal(std::uint64_t i) const {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log(Uniform(2 * i))) * std::cos(kTwoPi * Uniform(2 * i + 1));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static std::uint64_t Mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  const std::uint64_t key_;
};

}  // namespace torqued::sweep
