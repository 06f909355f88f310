// The batch kernels of one instruction set, built with its flags (CMakeLists.txt). See kernel_loops.h.
#include "server/batch/kernel_loops.h"

namespace torqued {

constinit const BatchKernels kAvx512Kernels = batch_detail::Loops<isa::Avx512, 8>::Table();

}  // namespace torqued
