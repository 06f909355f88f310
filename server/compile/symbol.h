// How does a template write down its own equation? A Scalar that records instead of computing.
//
// A Symbol is a constant until it meets an input; only then does it live in a graph. Hence no global recorder, and
// templates may make constants (T(0.0)) freely.
#pragma once

#include "server/compile/evaluate.h"
#include "server/compile/graph.h"
#include "server/core/math/scalar.h"

namespace torqued::compile {

class Symbol {
 public:
  Symbol() = default;
  explicit Symbol(double k) : value_(k) {}
  static Symbol Input(Graph& g, int index) { return Symbol(&g, g.Input(index)); }

  // The node that stands for this symbol in g.
  int In(Graph& g) const { return graph_ ? id_ : g.Constant(value_); }

  friend Symbol operator+(const Symbol& a, const Symbol& b) { return Apply(Op::kAdd, a, b); }
  friend Symbol operator-(const Symbol& a, const Symbol& b) { return Apply(Op::kSubtract, a, b); }
  friend Symbol operator*(const Symbol& a, const Symbol& b) { return Apply(Op::kMultiply, a, b); }
  friend Symbol operator/(const Symbol& a, const Symbol& b) { return Apply(Op::kDivide, a, b); }
  friend Symbol operator+(const Symbol& a, double b) { return a + Symbol(b); }
  friend Symbol operator-(const Symbol& a, double b) { return a - Symbol(b); }
  friend Symbol operator*(const Symbol& a, double b) { return a * Symbol(b); }
  friend Symbol operator/(const Symbol& a, double b) { return a / Symbol(b); }
  friend Symbol operator+(double a, const Symbol& b) { return Symbol(a) + b; }
  friend Symbol operator-(double a, const Symbol& b) { return Symbol(a) - b; }
  friend Symbol operator*(double a, const Symbol& b) { return Symbol(a) * b; }
  friend Symbol operator/(double a, const Symbol& b) { return Symbol(a) / b; }
  friend Symbol operator-(const Symbol& a) { return Apply(Op::kNegate, a); }

  friend Symbol sqrt(const Symbol& a) { return Apply(Op::kSqrt, a); }
  friend Symbol sin(const Symbol& a) { return Apply(Op::kSin, a); }
  friend Symbol cos(const Symbol& a) { return Apply(Op::kCos, a); }
  friend Symbol exp(const Symbol& a) { return Apply(Op::kExp, a); }
  friend Symbol tanh(const Symbol& a) { return Apply(Op::kTanh, a); }
  friend Symbol abs(const Symbol& a) { return Apply(Op::kAbs, a); }
  friend Symbol Sign(const Symbol& a) { return Apply(Op::kSign, a); }
  friend void SinCos(const Symbol& a, Symbol& s, Symbol& c) {
    const Symbol x = a;
    s = sin(x);
    c = cos(x);
  }
  // What it asks cannot be known while recording; it becomes a doubt of the graph: 1 where x is not positive, else 0.
  friend bool AnyNotPositive(const Symbol& x) {
    if (x.graph_ == nullptr) return !(x.value_ > 0);
    x.graph_->Doubt(x.graph_->Make(Op::kSelectPositive, x.id_, x.graph_->Constant(0), x.graph_->Constant(1)));
    return false;
  }
  static Symbol Sum(Graph& g, const std::vector<int>& nodes) {
    Symbol sum(0.0);
    for (int id : nodes) sum = sum + Symbol(&g, id);
    return sum;
  }
  friend Symbol SelectPositive(const Symbol& x, const Symbol& if_positive, const Symbol& otherwise) {
    return Apply(Op::kSelectPositive, x, if_positive, otherwise);
  }

 private:
  Symbol(Graph* graph, int id) : graph_(graph), id_(id) {}

  static Symbol Apply(Op op, const Symbol& a, const Symbol& b = Symbol(0.0), const Symbol& c = Symbol(0.0)) {
    Graph* g = a.graph_ ? a.graph_ : b.graph_ ? b.graph_ : c.graph_;
    if (g == nullptr) return Symbol(Evaluate(op, a.value_, b.value_, c.value_));
    const int count = OperandCount(op);
    return Symbol(g, g->Make(op, a.In(*g), count > 1 ? b.In(*g) : -1, count > 2 ? c.In(*g) : -1));
  }

  Graph* graph_ = nullptr;  // null: a constant
  int id_ = -1;
  double value_ = 0;
};

}  // namespace torqued::compile
