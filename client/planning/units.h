// Which power of the path speed is this? Types that do not convert silently.
//
// s is the path parameter; PathSpeed is sdot, PathSpeedSq is sdot^2 (the variable x of path timing), PathAcceleration sddot (u).
#pragma once

#include <cmath>

namespace torqued {

struct PathSpeed {
  explicit constexpr PathSpeed(double v = 0) : value(v) {}
  double value;  // [unit of s per s]
};

struct PathSpeedSq {
  explicit constexpr PathSpeedSq(double v = 0) : value(v) {}
  double value;  // [(unit of s per s)^2]
};

struct PathAcceleration {
  explicit constexpr PathAcceleration(double v = 0) : value(v) {}
  double value;  // [unit of s per s^2]
};

constexpr PathSpeedSq Square(PathSpeed v) { return PathSpeedSq(v.value * v.value); }
inline PathSpeed Root(PathSpeedSq x) { return PathSpeed(std::sqrt(x.value > 0 ? x.value : 0)); }

}  // namespace torqued
