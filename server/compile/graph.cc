#include "server/compile/graph.h"

#include <bit>
#include <cmath>
#include <utility>

#include "server/compile/evaluate.h"

namespace torqued::compile {

std::size_t Graph::Hash::operator()(const Node& n) const {
  std::uint64_t h = static_cast<std::uint64_t>(n.op);
  for (std::uint64_t part : {static_cast<std::uint64_t>(n.a + 1), static_cast<std::uint64_t>(n.b + 1),
                             static_cast<std::uint64_t>(n.c + 1), std::bit_cast<std::uint64_t>(n.value)}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

bool Graph::Equal::operator()(const Node& x, const Node& y) const {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

int Graph::Store(const Node& n) {
  const auto found = index_.find(n);
  if (found != index_.end()) return found->second;
  if (static_cast<int>(nodes_.size()) >= max_nodes_) {
    overflowed_ = true;
    return 0;
  }
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back(n);
  index_.emplace(n, id);
  return id;
}

int Graph::Constant(double value) {
  return Store({.op = Op::kConstant, .value = value == 0 ? 0.0 : value});  // one zero: -0 is 0 here
}

int Graph::Input(int index) { return Store({.op = Op::kInput, .a = index}); }

int Graph::Make(Op op, int a, int b, int c) {
  if (overflowed_) return 0;
  const int simpler = Simplify(op, a, b, c);
  if (simpler >= 0) return simpler;
  if (op == Op::kAdd || op == Op::kMultiply) {
    const bool constant_second = IsConstant(b) && !IsConstant(a);
    if (constant_second || (a > b && !IsConstant(a))) std::swap(a, b);  // constants first, then by age
  }
  return Store({.op = op, .a = a, .b = b, .c = c});
}

int Graph::Simplify(Op op, int a, int b, int c) {
  const int count = OperandCount(op);
  if (IsConstant(a) && (count < 2 || IsConstant(b)) && (count < 3 || IsConstant(c))) {
    const double value = Evaluate(op, nodes_[a].value, count > 1 ? nodes_[b].value : 0.0, count > 2 ? nodes_[c].value : 0.0);
    if (std::isfinite(value)) return Constant(value);
  }
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract: return SimplifySum(op, a, b);
    case Op::kMultiply:
    case Op::kDivide: return SimplifyProduct(op, a, b);
    case Op::kNegate:
      if (IsNegation(a)) return nodes_[a].a;
      if (nodes_[a].op == Op::kSubtract) return Make(Op::kSubtract, nodes_[a].b, nodes_[a].a);
      return -1;
    case Op::kSin: return IsNegation(a) ? Make(Op::kNegate, Make(Op::kSin, nodes_[a].a)) : -1;
    case Op::kCos:
    case Op::kAbs: return IsNegation(a) ? Make(op, nodes_[a].a) : -1;
    case Op::kSelectPositive:
      if (b == c) return b;
      if (IsConstant(a)) return nodes_[a].value > 0 ? b : c;
      return -1;
    default: return -1;
  }
}

int Graph::SimplifySum(Op op, int a, int b) {
  const bool add = op == Op::kAdd;
  if (IsConstant(b, 0)) return a;
  if (IsConstant(a, 0)) return add ? b : Make(Op::kNegate, b);
  if (!add && a == b) return Constant(0);
  if (IsNegation(b)) return Make(add ? Op::kSubtract : Op::kAdd, a, nodes_[b].a);
  if (IsNegation(a))
    return add ? Make(Op::kSubtract, b, nodes_[a].a) : Make(Op::kNegate, Make(Op::kAdd, nodes_[a].a, b));
  return -1;
}

int Graph::SimplifyProduct(Op op, int a, int b) {
  const bool times = op == Op::kMultiply;
  if (times && (IsConstant(a, 0) || IsConstant(b, 0))) return Constant(0);
  if (!times && IsConstant(a, 0)) return a;
  if (IsConstant(b, 1)) return a;
  if (IsConstant(b, -1)) return Make(Op::kNegate, a);
  if (times && IsConstant(a, 1)) return b;
  if (times && IsConstant(a, -1)) return Make(Op::kNegate, b);
  if (IsNegation(a)) return Make(Op::kNegate, Make(op, nodes_[a].a, b));
  if (IsNegation(b)) return Make(Op::kNegate, Make(op, a, nodes_[b].a));
  if (times && IsConstant(b)) std::swap(a, b);  // the constant stands first, here and in Make
  if (times && IsConstant(a) && nodes_[a].value < 0)  // constants positive: k x and -k x share one product
    return Make(Op::kNegate, Make(op, Constant(-nodes_[a].value), b));
  if (times && IsConstant(a) && nodes_[b].op == Op::kMultiply && IsConstant(nodes_[b].a))
    return Make(op, Constant(nodes_[a].value * nodes_[nodes_[b].a].value), nodes_[b].b);
  return -1;
}

}  // namespace torqued::compile
