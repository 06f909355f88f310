// What does a registered robot's question look like as one straight line? The templates of core, run once on symbols.
#pragma once

#include <vector>

#include "server/batch/block_program.h"
#include "server/compile/program.h"
#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/tree/prepared.h"

namespace torqued::compile {

// How many values come out.
int OutputCount(Method method, int nv);

struct RecordLimits {
  int max_nodes = 60000;  // recorded nodes, before anything is left out
  bool tidy = true;       // fold what only rounding made non-zero (Tidy)
};

// Inputs: q (nq), v (nv), x (nv), whatever the method uses of them. Friction is never recorded: it is added (or taken off the
// efforts) by whoever runs the program. ok = false: too large, or a sine of a sine.
MadeProgram Record(const Prepared& m, const Conditions& conditions, Method method, const RecordLimits& limits = {});

// A copy in which what only rounding made non-zero is zero: entries of rotations below 4 eps, of placements, first moments and inertias below
// 4 eps times the largest of their own body. Fewer operations; results move by rounding.
Prepared Tidy(const Prepared& m);

}  // namespace torqued::compile
