#include "server/batch/instruction_set.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace torqued {
namespace {

std::vector<const BatchKernels*> BuiltKernels() {
#if defined(__x86_64__)
  return {&BaselineKernels(), &Avx2Kernels(), &Avx512Kernels()};
#else
  return {&BaselineKernels()};
#endif
}

// Index of the named set among those built; -1: unset, -2: no such name.
int NamedByEnvironment() {
  const char* name = std::getenv(kInstructionSetVariable);
  if (name == nullptr || *name == '\0') return -1;
  const auto built = BuiltKernels();
  for (size_t i = 0; i < built.size(); ++i)
    if (std::strcmp(built[i]->name, name) == 0) return static_cast<int>(i);
  return -2;
}

}  // namespace

const std::vector<const BatchKernels*>& AvailableKernels() {
  static const auto* const available = [] {
    auto* out = new std::vector<const BatchKernels*>;
    for (const BatchKernels* k : BuiltKernels())
      if (k->runs_here()) out->push_back(k);
    return out;
  }();
  return *available;
}

const BatchKernels& ActiveKernels() {
  static const BatchKernels* const active = [] {
    const int named = NamedByEnvironment();
    const auto built = BuiltKernels();
    for (int i = named >= 0 ? named : static_cast<int>(built.size()) - 1; i > 0; --i)
      if (built[i]->runs_here()) return built[i];
    return built[0];
  }();
  return *active;
}

absl::Status CheckInstructionSetVariable() {
  const int named = NamedByEnvironment();
  if (named == -1) return absl::OkStatus();
  const std::string got = absl::StrCat(kInstructionSetVariable, ": ", std::getenv(kInstructionSetVariable));
  const auto name = [](std::string* out, const BatchKernels* k) { out->append(k->name); };
  if (named == -2)
    return absl::InvalidArgumentError(absl::StrCat(got, ", want one of ", absl::StrJoin(BuiltKernels(), ", ", name)));
  if (!BuiltKernels()[named]->runs_here())
    return absl::FailedPreconditionError(
        absl::StrCat(got, " does not run on this processor; available: ", absl::StrJoin(AvailableKernels(), ", ", name)));
  return absl::OkStatus();
}

}  // namespace torqued
