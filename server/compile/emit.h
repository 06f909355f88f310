// How does a program become machine code? One pass over the line, eight or four states per register.
//
// The function made is void f(double* block). A block is an array of slots, each one value for all lanes; inputs lie at
// slots 0.., outputs from output_slot on, and values that wait longer than registers last from spill_slot on.
// Registers: the line is known to its end, so the register given up is the one whose value is needed last
// (Belady 1966); constants, inputs and stored values are read as memory operands where the instruction allows one.
#pragma once

#include <cstdint>
#include <vector>

#include "server/compile/program.h"

namespace torqued::compile {

enum class Target { kAvx2, kAvx512 };

constexpr int LanesOf(Target t) { return t == Target::kAvx512 ? 8 : 4; }

struct Emitted {
  bool ok = false;                 // false: an operation without an instruction (exp, tanh), or no room
  std::vector<std::uint8_t> code;  // position-independent, constants behind the instructions; align to 64
  int instructions = 0;
  int spill_slots = 0;
};

Emitted Emit(const Program& p, Target target, int output_slot, int spill_slot);


}  // namespace torqued::compile
