// Runs one motion from its start to its end, with the threads and the recording that it takes.
#pragma once

#include <functional>

#include "client/card/bridge.h"

namespace torqued {

struct RunProgress : BridgeProgress {
  const CycleRecord* newest = nullptr;  // null before the first record
};

struct RunOptions {
  bool real_time = false;           // ask for SCHED_FIFO and locked memory for the cyclic thread
  int priority = 70;
  double report_period_s = 0.1;     // between calls of `progress`
  // Called outside the cyclic thread. May call the bridge's Stop, Pause, SetOverride.
  std::function<void(const RunProgress&)> progress;
};

// REQUIRES: the bridge was made with `recorder` and its Start has succeeded. Under a virtual clock everything runs in this thread,
// else the bridge's cycle runs in one of its own. Returns when the motion is over; the outcome is in the recording.
Recording RunMotion(MotionCard* card, const CardConfig& config, Bridge* bridge, Recorder* recorder, const RunOptions& options);

// A recording's header for a motion that was ticked by hand: names, outcome, cause.
Recording DescribeRun(MotionCard* card, const CardConfig& config, const Bridge& bridge);

}  // namespace torqued
