// What does a program compute? Read operation by operation: slow, for any scalar; the reference for what is emitted.
#pragma once

#include <vector>

#include "server/compile/evaluate.h"
#include "server/compile/program.h"

namespace torqued::compile {

// in: the program's inputs (with sin and cos of the angles behind the plain ones); out: its outputs.
template <class T>
void Interpret(const Program& p, const T* in, T* out) {
  std::vector<T> value(p.nodes.size());
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    const int count = OperandCount(n.op);
    if (n.op == Op::kConstant)
      value[i] = T(n.value);
    else if (n.op == Op::kInput)
      value[i] = in[n.a];
    else
      value[i] = Evaluate(n.op, value[n.a], count > 1 ? value[n.b] : value[n.a], count > 2 ? value[n.c] : value[n.a]);
  }
  for (size_t k = 0; k < p.outputs.size(); ++k) out[k] = value[p.outputs[k]];
}

// The whole: angles, their sines and cosines, the body.
template <class T>
void Interpret(const TrigProgram& p, const T* in, T* out) {
  std::vector<T> angles(p.angles.outputs.size());
  Interpret(p.angles, in, angles.data());
  std::vector<T> all(in, in + p.body.input_count);
  for (const T& angle : angles) {
    T s, c;
    SinCos(angle, s, c);
    all.push_back(s);
    all.push_back(c);
  }
  Interpret(p.body, all.data(), out);
}

}  // namespace torqued::compile
