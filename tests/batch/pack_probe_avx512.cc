#include "tests/batch/pack_probe.h"

namespace torqued::testing {
constinit const PackProbe kAvx512Probe = Probe<Pack<isa::Avx512, 8>>::Table();
}  // namespace torqued::testing
