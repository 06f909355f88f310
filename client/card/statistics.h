// How well did it run? Peaks, lateness and counts over the cycles of a motion; the same numbers online and from a recording.
#pragma once

#include <array>
#include <cstdint>

#include "client/card/motion_card.h"

namespace torqued {

// One card cycle as the bridge saw it.
struct CycleRecord {
  Feedback feedback;
  double path_s = 0;                     // of the executed set-point [s]
  double pace = 0;
  std::int64_t bridge_lateness_ns = 0;   // of the bridge's own cycle that read it; 0 under a virtual clock
};
static_assert(std::is_trivially_copyable_v<CycleRecord>);

// Log-spaced histogram of lateness: no allocation, percentile within 9 % (eight bins per octave).
class Lateness {
 public:
  void Add(std::int64_t ns);
  std::uint64_t count() const { return count_; }
  std::int64_t worst_ns() const { return worst_; }
  double PercentileNs(double share) const;              // upper edge of the bin; 0 without samples
  double OnTimeShare(std::int64_t limit_ns) const;      // samples whose bin ends at or below the limit's; 1 without samples

 private:
  static int Bin(std::int64_t ns);
  std::array<std::uint64_t, 320> bins_{};
  std::uint64_t count_ = 0;
  std::int64_t worst_ = 0;
};

struct AxisStatistics {
  double peak_following = 0;             // |command - measured| [rad] or [m]
  std::uint64_t peak_following_cycle = 0;
  double sum_sq_following = 0;
  double peak_tau_command = 0, peak_tau = 0;   // magnitudes [Nm] or [N]
  double sum_sq_tau = 0;
  double peak_speed = 0;                 // commanded [rad/s] or [m/s]
};

struct RunStatistics {
  std::uint64_t cycles = 0;              // with the motion going on
  std::uint64_t executed = 0;
  std::uint64_t held = 0;                // streaming, but nothing to execute
  std::uint64_t lost_feedback = 0;
  std::uint64_t saturated = 0;           // cycles with a clipped torque command
  std::uint64_t first_cycle = 0, last_cycle = 0;
  std::array<AxisStatistics, kMaxAxes> axis{};
  Lateness card, bridge;

  void Add(const CycleRecord& r, int axes) noexcept;
};

}  // namespace torqued
