// Where do sampled states come from? From a seed, the same on every machine: splitmix64.
//
// std::uniform_real_distribution differs between standard libraries; results that carry a seed must not.
#pragma once

#include <cmath>
#include <cstdint>

namespace torqued {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // In [0, 1): 53 bits.
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
  double Uniform(double lower, double upper) { return lower + (upper - lower) * Unit(); }
  int Below(int n) { return static_cast<int>(Bits() % static_cast<std::uint64_t>(n)); }  // 0 .. n - 1
  // Mean 0, deviation 1 (Box and Muller).
  double Normal() {
    const double u = 1.0 - Unit(), w = Unit();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * w);
  }

 private:
  std::uint64_t state_;
};

}  // namespace torqued
