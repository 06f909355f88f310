// How does a registered robot get machine code of its own? Record, emit, place into executable pages.
#pragma once

#include <memory>

#include "server/batch/batch.h"
#include "server/compile/emit.h"
#include "server/compile/record.h"

namespace torqued::compile {

struct CompileLimits {
  RecordLimits record;
  unsigned methods = ~0u;        // bit of each Method that is wanted
  int max_instructions = 12000;  // of one method; beyond, straight code no longer fits the caches and the template is faster
};

// What was made of one method.
struct MethodReport {
  bool compiled = false;
  int operations = 0;    // of the program
  int instructions = 0;  // of the code, sines and cosines not counted
  int code_bytes = 0;    // with constants
  int spill_slots = 0;
};

class CompiledPrograms final : public ProgramSet {
 public:
  const MethodReport& report(Method m) const { return reports_[static_cast<int>(m)]; }
  double compile_seconds() const { return compile_seconds_; }  // of processor time
  std::size_t code_bytes() const;  // pages of all methods

 private:
  friend std::shared_ptr<const CompiledPrograms> Compile(const Prepared&, const BatchKernels&, const CompileLimits&);
  struct Owned;
  std::array<MethodReport, kMethodCount> reports_;
  std::array<std::shared_ptr<const Owned>, kMethodCount> owned_;
  double compile_seconds_ = 0;
};

// Code for every method that has a program within the limits, for the instruction set of `kernels`; never null.
// On another processor, or where executable pages are refused, no method is compiled. Takes milliseconds: not for a request's path.
std::shared_ptr<const CompiledPrograms> Compile(const Prepared& m, const BatchKernels& kernels,
                                                const CompileLimits& limits = {});

}  // namespace torqued::compile
