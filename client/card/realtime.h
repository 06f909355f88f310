// When does the next cycle begin, and how late was it? Absolute wake-ups, real-time scheduling where the host permits it.
#pragma once

#include <cstdint>

namespace torqued {

// Monotonic clock [ns].
std::int64_t MonotonicNs();

// Asks for SCHED_FIFO at `priority` (1 to 99) for the calling thread and locks the process' memory. False: not permitted,
// work goes on without. Locking is skipped in sanitizer builds, whose shadow memory cannot be locked.
bool RequestRealTime(int priority);

// Wakes a thread every period. Missed periods are not made up in a burst: the schedule moves on and Overruns() counts.
class CycleClock {
 public:
  explicit CycleClock(std::int64_t period_ns) : period_ns_(period_ns), next_ns_(MonotonicNs() + period_ns) {}
  // Sleeps until the next cycle; returns how late it woke [ns].
  std::int64_t Wait();
  std::uint64_t Overruns() const { return overruns_; }

 private:
  std::int64_t period_ns_, next_ns_;
  std::uint64_t overruns_ = 0;
};

}  // namespace torqued
