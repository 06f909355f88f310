// The batch kernels of one instruction set, built with its flags (CMakeLists.txt). See kernel_loops.h.
#include "server/batch/kernel_loops.h"

namespace torqued {

constinit const BatchKernels kAvx2Kernels = batch_detail::Loops<isa::Avx2, 4>::Table();

}  // namespace torqued
