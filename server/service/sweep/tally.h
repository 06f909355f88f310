// What is kept of a column of numbers too long to keep? Extremes with their samples, a histogram, counts; sums apart.
//
// Everything here but the sums is the same in whatever order samples come; sums are made per chunk of samples and added
// in the order of chunks (sweep.cc), so that the answer does not depend on threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace torqued::sweep {

struct Best {
  double value = 0;
  std::int64_t sample = -1;  // -1: none yet

  // sign +1: greater is better, -1: less. Among equals the first sample.
  void Take(double x, std::int64_t i, double sign) {
    if (sample < 0 || sign * x > sign * value || (x == value && i < sample)) value = x, sample = i;
  }
};

// Chunks are dealt to so many classes, and each class has extremes of its own: a local search may start from several.
inline constexpr int kStarts = 4;

struct Sums {
  double sum = 0, squares = 0;
};

struct Bins {
  double lower = 0, scale = 0;  // bin = (x - lower) * scale, the outer ones take what lies outside
  int count = 0;
};

// When is a value beyond its limit?
struct Beyond {
  enum Kind { kNever, kAbove, kBelow };  // kAbove: its magnitude
  Kind kind = kNever;
  double limit = 0;
};

struct ColumnTally {
  std::array<Best, kStarts> least, greatest;
  std::int64_t beyond = 0;
  std::vector<std::uint32_t> bins;  // at most 10^9 each

  // Takes values x [rows] of samples first, first + 1, ...
  void Add(const double* x, int rows, std::int64_t first, int start, const Bins& b, const Beyond& limit, Sums& sums) {
    // Four of everything, side by side: sums are the same on every machine, and none waits for the one before.
    double low[4], high[4], sum[4] = {}, squares[4] = {};
    for (int l = 0; l < 4; ++l) low[l] = high[l] = x[0];
    const auto take = [&](double value, int l) {
      sum[l] += value;
      squares[l] += value * value;
      low[l] = value < low[l] ? value : low[l];
      high[l] = value > high[l] ? value : high[l];
    };
    int r = 0;
    for (; r + 4 <= rows; r += 4)
      for (int l = 0; l < 4; ++l) take(x[r + l], l);
    for (; r < rows; ++r) take(x[r], 0);
    sums.sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    sums.squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);

    if (bins.empty()) bins.resize(b.count);
    const double last = b.count - 1;
    for (r = 0; r < rows; ++r) {
      double bin = (x[r] - b.lower) * b.scale;
      bin = bin > 0 ? bin : 0;
      ++bins[static_cast<int>(bin < last ? bin : last)];
    }
    if (limit.kind == Beyond::kAbove)
      for (r = 0; r < rows; ++r) beyond += std::abs(x[r]) > limit.limit;
    else if (limit.kind == Beyond::kBelow)
      for (r = 0; r < rows; ++r) beyond += x[r] < limit.limit;
    Look(x, rows, first, *std::min_element(low, low + 4), -1, least[start]);
    Look(x, rows, first, *std::max_element(high, high + 4), 1, greatest[start]);
  }

  void Join(const ColumnTally& other) {
    for (int k = 0; k < kStarts; ++k) {
      if (other.least[k].sample >= 0) least[k].Take(other.least[k].value, other.least[k].sample, -1);
      if (other.greatest[k].sample >= 0) greatest[k].Take(other.greatest[k].value, other.greatest[k].sample, 1);
    }
    beyond += other.beyond;
    if (bins.empty()) bins.resize(other.bins.size());
    for (size_t k = 0; k < other.bins.size(); ++k) bins[k] += other.bins[k];
  }

 private:
  // Only a block that beats what is known is searched for the place.
  static void Look(const double* x, int rows, std::int64_t first, double value, double sign, Best& best) {
    if (best.sample >= 0 && sign * value < sign * best.value) return;
    best.Take(value, first + (std::find(x, x + rows, value) - x), sign);
  }
};

// The value below which `share` of the samples lie, linear within a bin; minimum and maximum bound the outer bins.
inline double Percentile(const ColumnTally& column, const Bins& b, std::int64_t count, double share, double minimum,
                         double maximum) {
  const double wanted = share * static_cast<double>(count);
  double before = 0;
  for (int k = 0; k < b.count; ++k) {
    const double here = column.bins[k];
    if (here == 0 || before + here < wanted) {
      before += here;
      continue;
    }
    const double low = k == 0 ? minimum : std::max(minimum, b.lower + k / b.scale);
    const double high = k == b.count - 1 ? maximum : std::min(maximum, b.lower + (k + 1) / b.scale);
    return std::clamp(low + (high - low) * (wanted - before) / here, minimum, maximum);
  }
  return maximum;
}

}  // namespace torqued::sweep
