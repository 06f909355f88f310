// Which instruction set do the batch kernels use on this machine? The widest that runs, unless told otherwise.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "server/batch/kernels.h"

namespace torqued {

// Names the instruction set to use: baseline, avx2 or avx512.
inline constexpr char kInstructionSetVariable[] = "TORQUED_ISA";

// All sets that run on this processor, the narrowest first; never empty. Thread-safe.
const std::vector<const BatchKernels*>& AvailableKernels();

// The kernels in use: what TORQUED_ISA names, else the widest available. Chosen at the first call and kept.
// Where TORQUED_ISA asks for what cannot run here, the widest set not beyond it; an unknown name counts as unset.
const BatchKernels& ActiveKernels();

// What the server says at start: INVALID_ARGUMENT TORQUED_ISA is no known name; FAILED_PRECONDITION it cannot run here.
absl::Status CheckInstructionSetVariable();

}  // namespace torqued
