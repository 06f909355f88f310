// The batch kernels of one instruction set, built with its flags (CMakeLists.txt). See kernel_loops.h.
#include "server/batch/kernel_loops.h"

namespace torqued {

constinit const BatchKernels kBaselineKernels = batch_detail::Loops<isa::Baseline, 2>::Table();

}  // namespace torqued
