#include "client/card/run.h"

#include <cmath>
#include <thread>

#include "client/card/realtime.h"

namespace torqued {

Recording DescribeRun(MotionCard* card, const CardConfig& config, const Bridge& bridge) {
  Recording r;
  r.joints = config.JointNames();
  for (const AxisConfig& a : config.axes) r.linear.push_back(a.linear);
  r.cycle_s = config.cycle_s;
  const CardInfo info = card->Info();
  r.driver = info.driver;
  r.real_time = info.real_time;
  r.outcome = Name(bridge.outcome());
  r.cause = bridge.cause();
  r.planned = bridge.Progress().planned;
  return r;
}

Recording RunMotion(MotionCard* card, const CardConfig& config, Bridge* bridge, Recorder* recorder, const RunOptions& options) {
  std::vector<CycleRecord> cycles;
  const auto cycle_ns = static_cast<std::int64_t>(std::llround(1e9 * config.cycle_s));
  const auto report_ns = static_cast<std::int64_t>(1e9 * options.report_period_s);
  bool real_time = false;
  const auto tell = [&] {
    if (options.progress) options.progress({bridge->Progress(), cycles.empty() ? nullptr : &cycles.back()});
  };
  if (card->HasVirtualClock()) {
    std::int64_t reported = card->NowNs();
    while (bridge->Tick()) {
      card->Wait(cycle_ns);
      if (card->NowNs() - reported < report_ns) continue;
      reported = card->NowNs();
      recorder->Drain(&cycles);
      tell();
    }
  } else {
    std::atomic<bool> over{false}, granted{false};
    std::thread cyclic([&] {
      granted = options.real_time && RequestRealTime(options.priority);
      CycleClock clock(cycle_ns);
      std::int64_t late = 0;
      while (bridge->Tick(late)) late = clock.Wait();
      over.store(true, std::memory_order_release);
    });
    std::int64_t reported = MonotonicNs();
    while (!over.load(std::memory_order_acquire)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      recorder->Drain(&cycles);
      if (MonotonicNs() - reported < report_ns) continue;
      reported = MonotonicNs();
      tell();
    }
    cyclic.join();
    real_time = granted;
  }
  recorder->Drain(&cycles);
  Recording r = DescribeRun(card, config, *bridge);
  r.real_time = r.real_time && real_time;
  r.lost = recorder->lost();
  r.cycles = std::move(cycles);
  return r;
}

}  // namespace torqued
