#include "server/batch/instruction_set.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/batch/block_program.h"

namespace torqued {
namespace {

struct Built {
  const BatchKernels* kernels;
  bool runs_here;  // the processor and its operating system execute these instructions
};

// The narrowest first.
std::vector<Built> BuiltKernels() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return {{&kBaselineKernels, true}, {&kAvx2Kernels, avx2}, {&kAvx512Kernels, avx512}};
#else
  return {{&kBaselineKernels, true}};
#endif
}

// Index of the named set among those built; -1: unset, -2: no such name.
int NamedByEnvironment() {
  const char* name = std::getenv(kInstructionSetVariable);
  if (name == nullptr || *name == '\0') return -1;
  const auto built = BuiltKernels();
  for (size_t i = 0; i < built.size(); ++i)
    if (std::strcmp(built[i].kernels->name, name) == 0) return static_cast<int>(i);
  return -2;
}

}  // namespace

KernelScratch::~KernelScratch() = default;
ProgramSet::~ProgramSet() = default;

const std::vector<const BatchKernels*>& AvailableKernels() {
  static const auto* const available = [] {
    auto* out = new std::vector<const BatchKernels*>;
    for (const Built& b : BuiltKernels())
      if (b.runs_here) out->push_back(b.kernels);
    return out;
  }();
  return *available;
}

const BatchKernels& ActiveKernels() {
  static const BatchKernels* const active = [] {
    const int named = NamedByEnvironment();
    const auto built = BuiltKernels();
    for (int i = named >= 0 ? named : static_cast<int>(built.size()) - 1; i > 0; --i)
      if (built[i].runs_here) return built[i].kernels;
    return built[0].kernels;
  }();
  return *active;
}

absl::Status CheckInstructionSetVariable() {
  const int named = NamedByEnvironment();
  if (named == -1) return absl::OkStatus();
  const std::string got = absl::StrCat(kInstructionSetVariable, ": ", std::getenv(kInstructionSetVariable));
  if (named == -2) {
    std::string names;
    for (const Built& b : BuiltKernels()) absl::StrAppend(&names, names.empty() ? "" : ", ", b.kernels->name);
    return absl::InvalidArgumentError(absl::StrCat(got, ", want one of ", names));
  }
  if (!BuiltKernels()[named].runs_here)
    return absl::FailedPreconditionError(
        absl::StrCat(got, " does not run on this processor; the widest that does: ", AvailableKernels().back()->name));
  return absl::OkStatus();
}

}  // namespace torqued
