// What tests on the wall clock share: a two-axis motion to and fro, and waiting for what another process does.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>

#include "client/card/motion_card.h"
#include "client/card/realtime.h"
#include "client/planning/trajectory.h"

namespace torqued::card_test {

// To and fro between `from` and from + (0.8, 0.5), `legs` times, 0.8 s each.
inline Trajectory Sway(const AxisArray& from, int legs) {
  Trajectory t;
  t.joint_names = {"a", "b"};
  const int per = 160, n = legs * per + 1;
  const double T = 0.8, reach[] = {0.8, 0.5};
  t.q.resize(2, n), t.v.resize(2, n), t.a.resize(2, n);
  for (int k = 0; k < n; ++k) {
    const int leg = std::min(k / per, legs - 1);
    const double x = static_cast<double>(k - leg * per) / per, d = leg % 2 ? -1 : 1;
    t.time_s.push_back(k * T / per);
    for (int i = 0; i < 2; ++i) {
      t.q(i, k) = from[i] + reach[i] * ((leg % 2 ? 1 : 0) + d * x * x * x * (10 + x * (-15 + 6 * x)));
      t.v(i, k) = reach[i] * d * 30 * x * x * (1 + x * (-2 + x)) / T;
      t.a(i, k) = reach[i] * d * 60 * x * (1 + x * (-3 + 2 * x)) / (T * T);
    }
  }
  return t;
}

// True once `condition` holds, asked every 0.2 ms; false after 30 s.
inline bool Until(const std::function<bool()>& condition) {
  for (const std::int64_t end = MonotonicNs() + 30'000'000'000; MonotonicNs() < end;) {
    if (condition()) return true;
    const timespec pause{0, 200000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace torqued::card_test
