// How does a robot's equation look in C? The recorded program as one function without loops, branches or libraries but
// <math.h>: for a controller that has no room for a server, and for whoever wants to read it.
#pragma once

#include <string>

#include "server/compile/program.h"

namespace torqued::compile {

struct CFunction {
  std::string name;                        // a C identifier
  std::string comment;                     // one line each, without comment marks: what the inputs and outputs are
};

// void name(const double in[n], double out[m]), C99. Numbers are written so that they read back exactly.
std::string PrintC(const TrigProgram& program, const CFunction& function);

}  // namespace torqued::compile
