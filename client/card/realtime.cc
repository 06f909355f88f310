#include "client/card/realtime.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <cerrno>

namespace torqued {

std::int64_t MonotonicNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

bool RequestRealTime(int priority) {
#ifdef TORQUED_SANITIZED
  const bool locked = false;
#else
  const bool locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
#endif
  sched_param param{};
  param.sched_priority = priority;
  const bool scheduled = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0;
  return locked && scheduled;
}

std::int64_t CycleClock::Wait() {
  const timespec until{static_cast<time_t>(next_ns_ / 1000000000), static_cast<long>(next_ns_ % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  const std::int64_t now = MonotonicNs(), late = now - next_ns_;
  next_ns_ += period_ns_;
  if (late >= period_ns_) {
    ++overruns_;
    next_ns_ = now + period_ns_;
  }
  return late;
}

}  // namespace torqued
