// What does a kernel need to run machine code that was made for one robot? The code, and how its block is laid out.
//
// A block is an array of slots, each one value for all lanes:
//   0..            q (nq), v (nv), x (nv)        from the rows; zero where there are none
//   angle slots    angles, if `angles` computes them (else they are among the above)
//   trig_slot..    sine and cosine of each angle, filled between `angles` and `body`
//   output_slot..  outputs, written by `body`
//   ...            values in waiting
#pragma once

#include <array>
#include <memory>
#include <vector>

namespace torqued {

struct BlockProgram {
  using Code = void (*)(double* block);

  Code angles = nullptr;           // null: every angle is an input
  Code body = nullptr;
  std::vector<int> angle_slots;    // where each angle lies
  int trig_slot = 0;
  int output_slot = 0;
  int slot_count = 0;
};

// Questions that a program may answer, all terms counted except friction, under the model's own gravity and inertias.
enum class Method {
  kInverseDynamics,   // q, v, a -> tau, without friction
  kGravity,           // q -> g
  kMassMatrix,        // q -> M, upper triangle row by row
  kEquationOfMotion,  // q, v -> M (upper triangle), c, g
  kForwardDynamics,   // q, v, tau (less friction) -> a, then the doubt: zero where M is regular
  kJacobian,          // q -> J of the tool frame, world-aligned, row-major
  kPathDynamics,      // q, q', q'' -> m, c, g
};
inline constexpr int kMethodCount = 7;

// "inverse dynamics", ...
constexpr const char* MethodName(Method m) {
  constexpr const char* kNames[kMethodCount] = {"inverse dynamics", "gravity",  "mass matrix",  "equation of motion",
                                                "forward dynamics", "Jacobian", "path dynamics"};
  return kNames[static_cast<int>(m)];
}

// The programs of one robot for one instruction set; whoever made them keeps the code alive in a derived class.
class ProgramSet {
 public:
  virtual ~ProgramSet();  // in instruction_set.cc

  int lanes = 0;
  std::array<const BlockProgram*, kMethodCount> programs{};  // null: the template answers

  std::array<int, kMethodCount> instructions{};  // of each program's code; 0: none
  std::array<const char*, kMethodCount> reasons{};  // why there is none: static words

  const BlockProgram* of(Method m) const { return programs[static_cast<int>(m)]; }
};

}  // namespace torqued
