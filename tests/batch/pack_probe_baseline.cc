#include "tests/batch/pack_probe.h"

namespace torqued::testing {
constinit const PackProbe kBaselineProbe = Probe<Pack<isa::Baseline, 2>>::Table();
}  // namespace torqued::testing
