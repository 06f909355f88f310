// What remains to be done, in which order? A straight line of operations: no branch, no loop, each value made once.
//
// Made from a graph in three steps, each of which keeps the values (up to the rounding of fused operations):
//   reach     only what the outputs need;
//   fuse      a product used only by sums disappears into them: a b + c in one operation;
//   order     so that few values wait at a time, since a processor has 16 or 32 registers (of two orders the one with
//             fewer waiting values is kept: as recorded, and depth first from the outputs).
// Sines and cosines are not operations of the line: they are further inputs, which a caller computes for many states
// at once from the arguments.
#pragma once

#include <vector>

#include "server/compile/graph.h"

namespace torqued::compile {

struct Program {
  // In execution order; operands are indices into this list. kInput and kConstant are leaves, without work.
  std::vector<Node> nodes;
  std::vector<int> outputs;  // node of each output
  int input_count = 0;       // plain inputs; then sin and cos of each angle: input_count + 2 k, input_count + 2 k + 1

  int OperationCount() const;   // nodes that are work
  int MostWaiting() const;      // largest number of computed values alive at once
};

// A program whose angles must be computed first (possibly just inputs), then their sines, then `body`.
struct TrigProgram {
  Program angles;  // outputs: the angles whose sine and cosine body needs
  Program body;    // its inputs: the plain inputs, then sin, cos of each angle
};

// outputs: nodes of the graph. REQUIRES: !graph.overflowed(); input_count: how many inputs the caller has.
// The angles themselves must not contain sines: then `ok` is false.
struct MadeProgram {
  bool ok = false;
  TrigProgram program;
};
MadeProgram MakeProgram(const Graph& graph, const std::vector<int>& outputs, int input_count);

}  // namespace torqued::compile
