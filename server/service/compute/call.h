// What does a compute method get besides its question? The model, scratch, and whether somebody still waits.
#pragma once

#include <absl/status/status.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <atomic>
#include <string>
#include <vector>

#include "server/core/spatial/mass_properties.h"
#include "server/core/tree/workspace.h"
#include "server/service/model_entry.h"

namespace torqued {

// Scratch of one thread; grows to the largest model seen, then allocates no more.
class Scratch {
 public:
  // The workspace, sized for `prepared` of the entry with this serial.
  Workspace<double>& For(const Prepared& prepared, std::uint64_t serial) {
    if (&prepared != sized_for_ || serial != serial_) {
      workspace_.Resize(prepared);
      sized_for_ = &prepared;
      serial_ = serial;
    }
    return workspace_;
  }

  BatchScratch batch;                                                 // of the batch kernels
  std::vector<double> positions, velocities, accelerations, efforts;  // converted input
  std::vector<double> numbers, more_numbers;                          // a method's own
  std::vector<BodyInertia> inertias;                                  // with payloads

 private:
  Workspace<double> workspace_;
  const Prepared* sized_for_ = nullptr;
  std::uint64_t serial_ = 0;
};

// Set from any thread; looked at inside long batches.
class Interrupt {
 public:
  explicit Interrupt(absl::Time deadline = absl::InfiniteFuture()) : deadline_(deadline) {}
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  absl::Status Check() const {
    if (cancelled_.load(std::memory_order_relaxed)) return absl::CancelledError("the caller cancelled");
    if (deadline_ != absl::InfiniteFuture() && absl::Now() > deadline_)
      return absl::DeadlineExceededError("the deadline passed while computing");
    return absl::OkStatus();
  }

 private:
  std::atomic<bool> cancelled_{false};
  const absl::Time deadline_;
};

struct Call {
  const ModelEntry& entry;
  Scratch& scratch;
  const Interrupt* interrupt = nullptr;  // null: nothing interrupts

  // Every so many samples: what 1 ms of arithmetic may cost.
  static constexpr int kSamplesBetweenChecks = 64;
  absl::Status Check(int sample) const {
    if (interrupt == nullptr || sample % kSamplesBetweenChecks != 0) return absl::OkStatus();
    return interrupt->Check();
  }
};

}  // namespace torqued
