// A bridge on the virtual-clock rig: load a trajectory, run it, keep the recording.
#pragma once

#include "client/card/path_source.h"
#include "client/card/report.h"
#include "client/card/run.h"
#include "tests/card/scara.h"

namespace torqued::card_test {

struct BridgeRig : Rig {
  explicit BridgeRig(const CardConfig& c = ScaraConfig(), const AxisArray& at = {}, const BridgeOptions& o = {})
      : Rig(c, at), config(c), recorder(1 << 14), bridge(card.get(), config, o, &recorder) {}

  PathTable Table(const Trajectory& t, bool exact = true) {
    auto table = PathTable::Make(t, config, exact ? ModelTorques(model) : TorqueBatch());
    if (!table.ok()) throw std::runtime_error(std::string(table.status().message()));
    return *table;
  }
  // Ticks until the motion is over; `each` is called once per cycle before the tick.
  template <class Each>
  Recording Run(Each each) {
    std::vector<CycleRecord> cycles;
    for (std::uint64_t k = 0; k < 200000; ++k) {
      each(k);
      if (!bridge.Tick()) break;
      card->Step(1);
      if (k % 1000 == 0) recorder.Drain(&cycles);
    }
    recorder.Drain(&cycles);
    Recording r = DescribeRun(card.get(), config, bridge);
    r.cycles = std::move(cycles);
    r.lost = recorder.lost();
    return r;
  }
  Recording Run() {
    return Run([](std::uint64_t) {});
  }

  CardConfig config;
  Recorder recorder;
  Bridge bridge;
};

inline std::vector<SetPoint> Executed(const Recording& r) { return Replay(r, 1); }

}  // namespace torqued::card_test
