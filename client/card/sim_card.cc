#include "client/card/sim_card.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "client/card/realtime.h"

namespace torqued {

absl::Status CheckSimModel(const Prepared& model, const CardConfig& config) {
  if (model.nv != config.axis_count() || model.nq != model.nv)
    return absl::InvalidArgumentError(absl::StrCat("card: ", config.axis_count(), " axes, but the robot has ", model.nv,
                                                   " coordinates; want one axis per one-degree coordinate"));
  for (const Body& b : model.bodies)
    if (b.motion == Motion::kSpherical || b.motion == Motion::kFloating)
      return absl::InvalidArgumentError("card: the robot has a spherical or floating joint, which no axis can drive");
  double moved = 0;
  for (const BodyInertia& b : model.inertias) moved += b.m + b.I.xx + b.I.yy + b.I.zz;
  for (const PreparedRotor& r : model.rotors) moved += r.inertia;
  if (!(moved > 0)) return absl::FailedPreconditionError("card: the robot's masses are unknown; a simulation needs them");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SimCard>> SimCard::Make(const Prepared& model, const CardConfig& config, const AxisArray& at,
                                                       SimClock clock) {
  if (absl::Status s = CheckSimModel(model, config); !s.ok()) return s;
  for (const CardFinding& f : CheckCardConfig(config))
    if (f.severity == FindingSeverity::kError) return absl::InvalidArgumentError(absl::StrCat("card configuration: ", f.where, " ", f.message));
  const std::size_t bytes = SegmentBytes(config.setpoint_capacity, config.feedback_capacity);
  Memory memory(std::aligned_alloc(64, bytes));
  if (!memory) return absl::ResourceExhaustedError("card: no memory for its queues");
  std::memset(memory.get(), 0, bytes);
  const SegmentView view = FormatSegment(memory.get(), config, "sim", "simulated card in this process");
  std::unique_ptr<SimCard> card(new SimCard(std::move(memory), view, model, config, clock));
  card->machine_->Place(at);
  return card;
}

SimCard::SimCard(Memory memory, const SegmentView& view, const Prepared& model, const CardConfig& config, SimClock clock)
    : RingCard(view, this),
      memory_(std::move(memory)),
      segment_(view),
      clock_(clock),
      machine_(std::make_unique<SimMachine>(model, config, segment_)) {}

SimCard::~SimCard() {
  quit_ = true;
  if (thread_.joinable()) thread_.join();
}

void SimCard::Step(int n) {
  for (int i = 0; i < n; ++i) {
    virtual_ns_ += segment_.header->cycle_ns;
    if (!machine_->Cycle(virtual_ns_, 0)) alive_ = false;
  }
}

void SimCard::Run(bool real_time) {
  thread_ = std::thread([this, real_time] {
    const bool granted = real_time && RequestRealTime(80);
    segment_.header->real_time.store(granted ? 1 : 0);
    CycleClock clock(segment_.header->cycle_ns);
    while (!quit_.load(std::memory_order_relaxed)) {
      const std::int64_t late = clock.Wait();
      segment_.header->overruns.store(clock.Overruns(), std::memory_order_relaxed);
      if (!machine_->Cycle(MonotonicNs(), late)) alive_ = false;
    }
  });
}

std::int64_t SimCard::NowNs() const noexcept { return clock_ == SimClock::kVirtual ? virtual_ns_ : MonotonicNs(); }

void SimCard::Wait(std::int64_t ns) {
  if (clock_ == SimClock::kVirtual) {
    Step(static_cast<int>(std::max<std::int64_t>(1, ns / segment_.header->cycle_ns)));
    return;
  }
  const timespec t{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

absl::Status RunSimProcess(const Prepared& model, const CardConfig& config, const AxisArray& at, const SimProcessOptions& options,
                           const std::atomic<bool>* quit) {
  if (absl::Status s = CheckSimModel(model, config); !s.ok()) return s;
  const pid_t parent = getppid();
  auto segment = SharedSegment::Create(options.name, config, "sim", "simulated card in its own process");
  if (!segment.ok()) return segment.status();
  const SegmentView& view = (*segment)->view();
  SimMachine machine(model, config, view);
  machine.Place(at);
  for (const SimFault& f : options.faults) machine.Schedule(f);
  view.header->real_time.store(options.real_time && RequestRealTime(80) ? 1 : 0);
  const std::int64_t look_ns = 100'000'000;
  std::int64_t needed_ns = MonotonicNs(), looked_ns = needed_ns;
  CycleClock clock(view.header->cycle_ns);
  while (!quit->load(std::memory_order_relaxed)) {
    const std::int64_t late = clock.Wait();
    view.header->overruns.store(clock.Overruns(), std::memory_order_relaxed);
    const std::int64_t now = MonotonicNs();
    if (!machine.Cycle(now, late)) return absl::AbortedError("card: died by its script");
    if (now - looked_ns < look_ns) continue;
    looked_ns = now;
    if (options.with_parent && getppid() != parent) break;
    if ((*segment)->BridgeAttached()) needed_ns = now;
    if (options.idle_s > 0 && 1e-9 * static_cast<double>(now - needed_ns) > options.idle_s) break;
  }
  return absl::OkStatus();
}

}  // namespace torqued
