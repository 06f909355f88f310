#include "server/compile/compiler.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "server/compile/executable_memory.h"

namespace torqued::compile {

struct CompiledPrograms::Owned {
  BlockProgram program;
  std::unique_ptr<ExecutableMemory> memory;
};

namespace {

std::optional<Target> TargetOf(const BatchKernels& k) {
#if defined(__x86_64__)
  if (std::strcmp(k.name, "avx2") == 0) return Target::kAvx2;
  if (std::strcmp(k.name, "avx512") == 0) return Target::kAvx512;
#endif
  return std::nullopt;
}

BlockProgram::Code AsCode(const void* start) {
  BlockProgram::Code code;
  static_assert(sizeof(code) == sizeof(start));
  std::memcpy(&code, &start, sizeof(code));
  return code;
}

// Processor time of this thread: waiting for a busy machine does not count.
double ThreadSeconds() {
  std::timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool AnglesAreInputs(const Program& angles) {
  for (int o : angles.outputs)
    if (angles.nodes[o].op != Op::kInput) return false;
  return true;
}

// Lays the block out, emits both parts, fills `program` except for the addresses.
struct Laid {
  Emitted angles, body;
  BlockProgram program;
  bool ok = false;
};
Laid LayOut(const TrigProgram& made, Target target) {
  Laid out;
  BlockProgram& p = out.program;
  const int inputs = made.body.input_count;
  const int angle_count = static_cast<int>(made.angles.outputs.size());
  const bool direct = AnglesAreInputs(made.angles);
  p.trig_slot = inputs;  // the body's inputs count on
  const int angle_slot = p.trig_slot + 2 * angle_count;
  p.output_slot = angle_slot + (direct ? 0 : angle_count);
  const int spill_slot = p.output_slot + static_cast<int>(made.body.outputs.size());
  for (int k = 0; k < angle_count; ++k)
    p.angle_slots.push_back(direct ? made.angles.nodes[made.angles.outputs[k]].a : angle_slot + k);

  out.body = Emit(made.body, target, p.output_slot, spill_slot);
  if (!direct) out.angles = Emit(made.angles, target, angle_slot, spill_slot);
  p.slot_count = spill_slot + std::max(out.body.spill_slots, out.angles.spill_slots);
  out.ok = out.body.ok && (direct || out.angles.ok);
  return out;
}

}  // namespace

std::size_t CompiledPrograms::code_bytes() const {
  std::size_t sum = 0;
  for (const auto& o : owned_)
    if (o) sum += o->memory->size();
  return sum;
}

std::shared_ptr<const CompiledPrograms> Compile(const Prepared& m, const BatchKernels& kernels,
                                                const CompileLimits& limits) {
  const double start = ThreadSeconds();
  auto out = std::make_shared<CompiledPrograms>();
  out->lanes = kernels.lanes;
  const std::optional<Target> target = TargetOf(kernels);
  if (!target) out->reasons.fill("no code is made for this instruction set");
  for (int k = 0; k < kMethodCount && target; ++k) {
    MethodReport& report = out->reports_[k];
    const auto skip = [&](const char* why) { out->reasons[k] = why; };
    if ((limits.methods >> k & 1u) == 0) {
      skip("not asked for");
      continue;
    }
    const MadeProgram made = Record(m, Conditions(m), static_cast<Method>(k), limits.record);
    if (!made.ok) {
      skip("too large to record, or coupled beyond what a straight line can say");
      continue;
    }
    report.operations = made.program.body.OperationCount() + made.program.angles.OperationCount();
    if (report.operations > limits.max_instructions) {
      skip("more operations than straight code is worth");
      continue;
    }
    Laid laid = LayOut(made.program, *target);
    if (!laid.ok) {
      skip("the code could not be emitted");
      continue;
    }
    auto owned = std::make_shared<CompiledPrograms::Owned>();
    std::vector<const std::vector<std::uint8_t>*> pieces = {&laid.body.code};
    const bool has_angles = !laid.angles.code.empty();
    if (has_angles) pieces.push_back(&laid.angles.code);
    owned->memory = ExecutableMemory::Make(pieces);
    if (owned->memory == nullptr) {
      skip("the system refuses executable memory");
      continue;
    }
    owned->program = std::move(laid.program);
    owned->program.body = AsCode(owned->memory->piece(0));
    if (has_angles) owned->program.angles = AsCode(owned->memory->piece(1));
    report.compiled = true;
    report.instructions = laid.body.instructions + laid.angles.instructions;
    report.code_bytes = static_cast<int>(laid.body.code.size() + laid.angles.code.size());
    report.spill_slots = laid.body.spill_slots;
    out->instructions[k] = report.instructions;
    out->programs[k] = &owned->program;
    out->owned_[k] = std::move(owned);
  }
  out->compile_seconds_ = ThreadSeconds() - start;
  return out;
}

}  // namespace torqued::compile
