// The default card: simulated, in this process, on a virtual clock (as fast as you step it) or on the wall clock.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "client/card/ring_card.h"
#include "client/card/sim_machine.h"

namespace torqued {

enum class SimClock {
  kVirtual,  // time passes only in Step and Wait: deterministic, bit-equal repeats, one thread
  kWall,     // a thread of its own runs the card
};

class SimCard : private CardPeer, public RingCard {
 public:
  // `model` as Plant requires; `at`: where the robot stands. INVALID_ARGUMENT: configuration and model do not fit.
  static absl::StatusOr<std::unique_ptr<SimCard>> Make(const Prepared& model, const CardConfig& config, const AxisArray& at,
                                                       SimClock clock);
  ~SimCard() override;

  // Virtual clock: runs n cycles. REQUIRES: kVirtual.
  void Step(int n);
  // Before the first cycle of a wall clock's motion, or any time under the virtual clock. REQUIRES: nobody steps meanwhile.
  void Schedule(const SimFault& fault) { machine_->Schedule(fault); }
  // Wall clock: begins to run. REQUIRES: kWall, once. `real_time`: ask for it.
  void Run(bool real_time);

  const SimMachine& machine() const { return *machine_; }

  std::int64_t NowNs() const noexcept override;
  bool HasVirtualClock() const noexcept override { return clock_ == SimClock::kVirtual; }
  void Wait(std::int64_t ns) override;

 private:
  struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
  };
  using Memory = std::unique_ptr<void, FreeMemory>;

  SimCard(Memory memory, const SegmentView& view, const Prepared& model, const CardConfig& config, SimClock clock);
  bool Alive() const override { return alive_.load(); }

  Memory memory_;
  SegmentView segment_;
  SimClock clock_;
  std::unique_ptr<SimMachine> machine_;
  std::int64_t virtual_ns_ = 0;
  std::atomic<bool> alive_{true}, quit_{false};
  std::thread thread_;
};

// Does the model fit the configuration? Joint count, one-degree joints, known masses.
absl::Status CheckSimModel(const Prepared& model, const CardConfig& config);

// Runs a simulated card in shared memory under `name` until *quit becomes true, nobody needs it any more, or the script lets it
// die (ABORTED).
struct SimProcessOptions {
  std::string name;
  bool real_time = false;
  std::vector<SimFault> faults;
  double idle_s = 0;         // ends by itself when no bridge has been attached for so long; 0: never
  bool with_parent = false;  // ends with the process that started it
};
absl::Status RunSimProcess(const Prepared& model, const CardConfig& config, const AxisArray& at, const SimProcessOptions& options,
                           const std::atomic<bool>* quit);

}  // namespace torqued
