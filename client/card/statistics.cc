#include "client/card/statistics.h"

#include <algorithm>
#include <cmath>

namespace torqued {

int Lateness::Bin(std::int64_t ns) {
  if (ns < 1) return 0;
  return std::min(319, 1 + static_cast<int>(8 * std::log2(static_cast<double>(ns))));
}

void Lateness::Add(std::int64_t ns) {
  ++bins_[Bin(ns)];
  ++count_;
  worst_ = std::max(worst_, ns);
}

double Lateness::PercentileNs(double share) const {
  std::uint64_t seen = 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  for (int i = 0; i < 320 && count_ > 0; ++i) {
    seen += bins_[i];
    if (seen >= wanted && seen > 0) return i == 0 ? 0 : std::min(static_cast<double>(worst_), std::exp2(i / 8.0));
  }
  return 0;
}

double Lateness::OnTimeShare(std::int64_t limit_ns) const {
  if (count_ == 0) return 1;
  std::uint64_t in_time = 0;
  for (int i = 0; i <= Bin(limit_ns); ++i) in_time += bins_[i];
  return static_cast<double>(in_time) / static_cast<double>(count_);
}

void RunStatistics::Add(const CycleRecord& r, int axes) noexcept {
  const Feedback& f = r.feedback;
  if (cycles == 0) first_cycle = f.cycle;
  if (cycles > 0 && f.cycle > last_cycle + 1) lost_feedback += f.cycle - last_cycle - 1;
  ++cycles;
  last_cycle = f.cycle;
  if (f.flags & kExecuted) ++executed;
  if (f.state == CardState::kStreaming && !(f.flags & kExecuted)) ++held;
  if (f.flags & kSaturated) ++saturated;
  card.Add(f.lateness_ns);
  bridge.Add(r.bridge_lateness_ns);
  for (int i = 0; i < axes; ++i) {
    AxisStatistics& a = axis[i];
    const double error = std::abs(f.q_command[i] - f.q[i]);
    if (error > a.peak_following) {
      a.peak_following = error;
      a.peak_following_cycle = f.cycle;
    }
    a.sum_sq_following += error * error;
    a.peak_tau_command = std::max(a.peak_tau_command, std::abs(f.tau_command[i]));
    a.peak_tau = std::max(a.peak_tau, std::abs(f.tau[i]));
    a.sum_sq_tau += f.tau[i] * f.tau[i];
    a.peak_speed = std::max(a.peak_speed, std::abs(f.v_command[i]));
  }
}

}  // namespace torqued
