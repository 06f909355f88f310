// What was computed, as a graph? Expressions recorded while a template ran on symbols, equal ones stored once.
//
// Simplified while recording, by rules that hold for every finite number: x + 0, x 1, x (-1), x 0, x / 1, x - x,
// -(-x), signs moved outwards out of products, a + (-b) = a - b, operations on constants. Equal expressions (operands of + and x in a
// fixed order) are one node: common subexpressions are shared without a pass of their own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace torqued::compile {

enum class Op : std::uint8_t {
  kConstant,        // value
  kInput,           // a: index of the input
  kAdd,             // a + b
  kSubtract,        // a - b
  kMultiply,        // a b
  kDivide,          // a / b
  kNegate,          // -a
  kSqrt,
  kSin,
  kCos,
  kExp,
  kTanh,
  kAbs,
  kSign,            // -1, 0, +1
  kSelectPositive,  // a > 0 ? b : c
  // Made by the optimiser (program.h), never recorded; one rounding where the machine fuses:
  kMultiplyAdd,          // a b + c
  kMultiplySubtract,     // a b - c
  kNegMultiplyAdd,       // c - a b
  kNegMultiplySubtract,  // -(a b) - c
};

// How many of a, b, c are operands.
constexpr int OperandCount(Op op) {
  switch (op) {
    case Op::kConstant:
    case Op::kInput: return 0;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide: return 2;
    case Op::kSelectPositive:
    case Op::kMultiplyAdd:
    case Op::kMultiplySubtract:
    case Op::kNegMultiplyAdd:
    case Op::kNegMultiplySubtract: return 3;
    default: return 1;
  }
}

struct Node {
  Op op = Op::kConstant;
  int a = -1, b = -1, c = -1;
  double value = 0;

  int operand(int k) const { return k == 0 ? a : k == 1 ? b : c; }
};

class Graph {
 public:
  // Recording beyond `max_nodes` nodes goes on without storing; then overflowed() and the graph is of no use.
  explicit Graph(int max_nodes) : max_nodes_(max_nodes) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  int Constant(double value);
  int Input(int index);
  // Any recorded operation, simplified.
  int Make(Op op, int a, int b = -1, int c = -1);

  // Nodes that must be zero for the recorded answer to hold (symbol.h).
  void Doubt(int node) { doubts_.push_back(node); }
  const std::vector<int>& doubts() const { return doubts_; }

  const std::vector<Node>& nodes() const { return nodes_; }
  bool overflowed() const { return overflowed_; }

 private:
  struct Hash {
    std::size_t operator()(const Node& n) const;
  };
  struct Equal {
    bool operator()(const Node& x, const Node& y) const;
  };

  int Store(const Node& n);
  bool IsConstant(int id) const { return nodes_[id].op == Op::kConstant; }
  bool IsConstant(int id, double value) const { return IsConstant(id) && nodes_[id].value == value; }
  bool IsNegation(int id) const { return nodes_[id].op == Op::kNegate; }
  int Simplify(Op op, int a, int b, int c);  // -1: nothing to simplify
  int SimplifySum(Op op, int a, int b);
  int SimplifyProduct(Op op, int a, int b);

  const int max_nodes_;
  bool overflowed_ = false;
  std::vector<Node> nodes_;
  std::vector<int> doubts_;
  std::unordered_map<Node, int, Hash, Equal> index_;
};

}  // namespace torqued::compile
