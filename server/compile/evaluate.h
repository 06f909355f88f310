// What is the value of one operation? The meaning of every Op, for numbers and for lanes.
#pragma once

#include "server/compile/graph.h"
#include "server/core/math/scalar.h"

namespace torqued::compile {

// REQUIRES: op has operands. Unused operands are ignored.
template <class T>
T Evaluate(Op op, const T& a, const T& b, const T& c) {
  switch (op) {
    case Op::kAdd: return a + b;
    case Op::kSubtract: return a - b;
    case Op::kMultiply: return a * b;
    case Op::kDivide: return a / b;
    case Op::kNegate: return -a;
    case Op::kSqrt: return sqrt(a);
    case Op::kSin: return sin(a);
    case Op::kCos: return cos(a);
    case Op::kExp: return exp(a);
    case Op::kTanh: return tanh(a);
    case Op::kAbs: return abs(a);
    case Op::kSign: return Sign(a);
    case Op::kSelectPositive: return SelectPositive(a, b, c);
    case Op::kMultiplyAdd: return a * b + c;
    case Op::kMultiplySubtract: return a * b - c;
    case Op::kNegMultiplyAdd: return c - a * b;
    case Op::kNegMultiplySubtract: return -(a * b) - c;
    case Op::kConstant:
    case Op::kInput: break;
  }
  return T(0.0);
}

}  // namespace torqued::compile
