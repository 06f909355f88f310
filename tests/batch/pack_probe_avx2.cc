#include "tests/batch/pack_probe.h"

namespace torqued::testing {
constinit const PackProbe kAvx2Probe = Probe<Pack<isa::Avx2, 4>>::Table();
}  // namespace torqued::testing
