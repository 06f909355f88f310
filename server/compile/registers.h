// Where is each value now? Registers, and the memory where a value can be read again.
//
// Knows the positions of all uses beforehand; hands out registers and says which value must be stored to free one.
#pragma once

#include <vector>

#include "server/compile/program.h"

namespace torqued::compile {

class Registers {
 public:
  static constexpr int kNone = -1;

  Registers(const Program& p, int count) : owner_(count, kNone), pinned_(count, 0), reg_(p.nodes.size(), kNone), next_(p.nodes.size(), 0), uses_(p.nodes.size()) {
    for (size_t i = 0; i < p.nodes.size(); ++i)
      for (int k = 0; k < OperandCount(p.nodes[i].op); ++k) uses_[p.nodes[i].operand(k)].push_back(static_cast<int>(i));
  }

  int Of(int value) const { return reg_[value]; }
  bool InRegister(int value) const { return reg_[value] != kNone; }

  // Position of the first use after `now`; kNever if there is none.
  static constexpr int kNever = 1 << 30;
  int NextUse(int value, int now) {
    int& k = next_[value];
    while (k < static_cast<int>(uses_[value].size()) && uses_[value][k] <= now) ++k;
    return k < static_cast<int>(uses_[value].size()) ? uses_[value][k] : kNever;
  }
  bool DiesAt(int value, int now) { return NextUse(value, now) == kNever; }

  void Pin(int reg) { pinned_[reg] = 1; }
  void UnpinAll() { pinned_.assign(pinned_.size(), 0); }

  // A register to write: a free one, else that whose value is needed last; `evicted` is that value or kNone.
  int Take(int now, int* evicted) {
    int best = kNone, farthest = -1;
    for (size_t r = 0; r < owner_.size(); ++r) {
      if (pinned_[r]) continue;
      if (owner_[r] == kNone) {
        *evicted = kNone;
        return static_cast<int>(r);
      }
      const int next = NextUse(owner_[r], now - 1);
      if (next > farthest) farthest = next, best = static_cast<int>(r);
    }
    *evicted = owner_[best];
    Release(owner_[best]);
    return best;
  }

  void Assign(int value, int reg) {
    owner_[reg] = value;
    reg_[value] = reg;
  }
  void Release(int value) {
    if (reg_[value] == kNone) return;
    owner_[reg_[value]] = kNone;
    reg_[value] = kNone;
  }

 private:
  std::vector<int> owner_;   // value in each register
  std::vector<char> pinned_;
  std::vector<int> reg_;     // register of each value
  std::vector<int> next_;    // uses already passed
  std::vector<std::vector<int>> uses_;
};

}  // namespace torqued::compile
