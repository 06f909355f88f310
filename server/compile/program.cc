#include "server/compile/program.h"

#include <algorithm>
#include <utility>

namespace torqued::compile {
namespace {

bool IsLeaf(Op op) { return op == Op::kInput || op == Op::kConstant; }

// Marks the nodes that the outputs need.
std::vector<char> Reach(const std::vector<Node>& nodes, const std::vector<int>& outputs) {
  std::vector<char> reached(nodes.size(), 0);
  for (int o : outputs) reached[o] = 1;
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i)
    if (reached[i])
      for (int k = 0; k < OperandCount(nodes[i].op); ++k) reached[nodes[i].operand(k)] = 1;
  return reached;
}

// Replaces each sine and cosine by an input; returns the angles' nodes.
std::vector<int> CutTrigonometry(std::vector<Node>& nodes, const std::vector<char>& reached, int input_count) {
  std::vector<int> angles;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Op op = nodes[i].op;
    if (!reached[i] || (op != Op::kSin && op != Op::kCos)) continue;
    auto found = std::find(angles.begin(), angles.end(), nodes[i].a);
    if (found == angles.end()) found = angles.insert(angles.end(), nodes[i].a);
    const int k = static_cast<int>(found - angles.begin());
    nodes[i] = {.op = Op::kInput, .a = input_count + 2 * k + (op == Op::kCos ? 1 : 0)};
  }
  return angles;
}

// Absorbs products into sums.
class Fuser {
 public:
  Fuser(std::vector<Node>& nodes, const std::vector<int>& outputs) : nodes_(nodes), users_(nodes.size()) {
    const std::vector<char> reached = Reach(nodes, outputs);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (reached[i])
        for (int k = 0; k < OperandCount(nodes[i].op); ++k) users_[nodes[i].operand(k)].push_back(static_cast<int>(i));
    kept_.assign(nodes.size(), 0);
    for (int o : outputs) kept_[o] = 1;
  }

  void Run() {
    AbsorbSigns();
    for (int most_uses : {1, 4})  // products used once first: they always disappear
      for (size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].op == Op::kMultiply && !kept_[i] && !users_[i].empty() &&
            static_cast<int>(users_[i].size()) <= most_uses && AllSums(users_[i]))
          for (int user : users_[i]) Fuse(user, static_cast<int>(i));
    for (size_t i = 0; i < nodes_.size(); ++i) FuseNegation(static_cast<int>(i));
  }

 private:
  bool Alive(std::size_t i) const { return kept_[i] || !users_[i].empty(); }

  bool AllSums(const std::vector<int>& users) const {
    return std::all_of(users.begin(), users.end(), [this](int u) {
      return (nodes_[u].op == Op::kAdd || nodes_[u].op == Op::kSubtract) && nodes_[u].a != nodes_[u].b;
    });
  }

  void Fuse(int sum, int product) {
    Node& s = nodes_[sum];
    const Node& p = nodes_[product];
    const bool left = s.a == product;
    const int other = left ? s.b : s.a;
    const Op op = s.op == Op::kAdd ? Op::kMultiplyAdd : left ? Op::kMultiplySubtract : Op::kNegMultiplyAdd;
    s = {.op = op, .a = p.a, .b = p.b, .c = other};
  }

  // -(k x) with k constant is (-k) x.
  void AbsorbSigns() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Node& n = nodes_[i];
      if (n.op != Op::kNegate || !Alive(i) || users_[n.a].size() != 1 || kept_[n.a]) continue;
      const Node& p = nodes_[n.a];
      if (p.op != Op::kMultiply || nodes_[p.a].op != Op::kConstant || users_[p.a].size() != 1 || kept_[p.a]) continue;
      nodes_[p.a].value = -nodes_[p.a].value;
      n = {.op = Op::kMultiply, .a = p.a, .b = p.b};
    }
  }

  // -(a b + c), used nowhere else without the sign.
  void FuseNegation(int i) {
    Node& n = nodes_[i];
    if (n.op != Op::kNegate || kept_[n.a] || users_[n.a].size() != 1) return;
    const Node inner = nodes_[n.a];
    Op op;
    switch (inner.op) {
      case Op::kMultiplyAdd: op = Op::kNegMultiplySubtract; break;
      case Op::kMultiplySubtract: op = Op::kNegMultiplyAdd; break;
      case Op::kNegMultiplyAdd: op = Op::kMultiplySubtract; break;
      default: return;
    }
    n = inner;
    n.op = op;
  }

  std::vector<Node>& nodes_;
  std::vector<std::vector<int>> users_;
  std::vector<char> kept_;  // an output: stays a value of its own
};

// Depth first from the outputs, the operand that needs more work first.
std::vector<int> DepthFirst(const std::vector<Node>& nodes, const std::vector<int>& outputs) {
  std::vector<int> height(nodes.size(), 0), order;
  std::vector<char> done(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (int k = 0; k < OperandCount(nodes[i].op); ++k)
      height[i] = std::max(height[i], height[nodes[i].operand(k)] + 1);
  std::vector<std::pair<int, bool>> stack;  // node, operands already visited
  for (int o : outputs) {
    stack.emplace_back(o, false);
    while (!stack.empty()) {
      const auto [id, visited] = stack.back();
      stack.pop_back();
      if (done[id]) continue;
      if (visited) {
        done[id] = 1;
        order.push_back(id);
        continue;
      }
      stack.emplace_back(id, true);
      int operands[3], count = OperandCount(nodes[id].op);
      for (int k = 0; k < count; ++k) {  // insertion sort by height
        int at = k;
        for (; at > 0 && height[operands[at - 1]] > height[nodes[id].operand(k)]; --at) operands[at] = operands[at - 1];
        operands[at] = nodes[id].operand(k);
      }
      for (int k = 0; k < count; ++k)
        if (!done[operands[k]]) stack.emplace_back(operands[k], false);
    }
  }
  return order;
}

Program Ordered(const std::vector<Node>& nodes, const std::vector<int>& outputs, const std::vector<int>& order,
                int input_count) {
  Program p;
  p.input_count = input_count;
  std::vector<int> place(nodes.size(), -1);
  for (int id : order) {
    Node n = nodes[id];
    int* operands[] = {&n.a, &n.b, &n.c};
    for (int k = 0; k < OperandCount(n.op); ++k) *operands[k] = place[*operands[k]];
    place[id] = static_cast<int>(p.nodes.size());
    p.nodes.push_back(n);
  }
  for (int o : outputs) p.outputs.push_back(place[o]);
  return p;
}

Program Finish(std::vector<Node> nodes, const std::vector<int>& outputs, int input_count) {
  Fuser(nodes, outputs).Run();
  const std::vector<char> reached = Reach(nodes, outputs);
  std::vector<int> recorded;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (reached[i]) recorded.push_back(static_cast<int>(i));
  Program as_recorded = Ordered(nodes, outputs, recorded, input_count);
  Program depth_first = Ordered(nodes, outputs, DepthFirst(nodes, outputs), input_count);
  return depth_first.MostWaiting() < as_recorded.MostWaiting() ? depth_first : as_recorded;
}

}  // namespace

int Program::OperationCount() const {
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const Node& n) { return !IsLeaf(n.op); }));
}

int Program::MostWaiting() const {
  std::vector<int> last(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (int k = 0; k < OperandCount(nodes[i].op); ++k) last[nodes[i].operand(k)] = static_cast<int>(i);
  std::vector<int> ends(nodes.size() + 1, 0);
  int waiting = 0, most = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsLeaf(nodes[i].op) && last[i] > static_cast<int>(i)) {
      ++waiting;
      ++ends[last[i]];
    }
    waiting -= ends[i];
    most = std::max(most, waiting);
  }
  return most;
}

MadeProgram MakeProgram(const Graph& graph, const std::vector<int>& outputs, int input_count) {
  MadeProgram made;
  std::vector<Node> nodes = graph.nodes();
  const std::vector<int> angles = CutTrigonometry(nodes, Reach(graph.nodes(), outputs), input_count);
  const std::vector<char> before = Reach(graph.nodes(), angles);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (before[i] && (graph.nodes()[i].op == Op::kSin || graph.nodes()[i].op == Op::kCos)) return made;
  made.program.angles = Finish(graph.nodes(), angles, input_count);
  made.program.body = Finish(std::move(nodes), outputs, input_count);
  made.ok = true;
  return made;
}

}  // namespace torqued::compile
