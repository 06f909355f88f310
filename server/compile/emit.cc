#include "server/compile/emit.h"

#include <asmjit/x86.h>

#include <algorithm>
#include <map>
#include <utility>

#include "server/compile/registers.h"

namespace torqued::compile {
namespace {

namespace x86 = asmjit::x86;
using Id = x86::Inst::Id;

constexpr int kTemporaries = 2;  // the last registers, for comparisons

class Emitter {
 public:
  Emitter(const Program& p, Target target, int output_slot, int spill_slot)
      : p_(p),
        wide_(target == Target::kAvx512),
        bytes_(8 * LanesOf(target)),
        output_slot_(output_slot),
        spill_slot_(spill_slot),
        registers_(p, (wide_ ? 32 : 16) - kTemporaries),
        home_(p.nodes.size(), -1),
        slot_returned_(p.nodes.size(), 0),
        outputs_of_(p.nodes.size()) {
    for (size_t k = 0; k < p.outputs.size(); ++k) outputs_of_[p.outputs[k]].push_back(static_cast<int>(k));
  }

  Emitted Run() {
    Emitted out;
    code_.init(asmjit::Environment(asmjit::Arch::kX64));
    code_.attach(&as_);
    pool_label_ = as_.newLabel();
    for (size_t i = 0; i < p_.nodes.size(); ++i) {
      const int id = static_cast<int>(i);
      const Node& n = p_.nodes[i];
      now_ = id;
      if (n.op == Op::kInput)
        home_[i] = n.a;
      else if (n.op != Op::kConstant && !Operation(id))
        return out;
      Store(id);
      registers_.UnpinAll();
      FreeDead(id);
    }
    as_.vzeroupper();
    as_.ret();
    WritePool();
    if (failed_ || code_.flatten() != asmjit::kErrorOk || code_.resolveUnresolvedLinks() != asmjit::kErrorOk) return out;
    out.code.resize(code_.codeSize());
    if (code_.copyFlattenedData(out.code.data(), out.code.size()) != asmjit::kErrorOk) return out;
    out.instructions = instructions_;
    out.spill_slots = spill_count_;
    out.ok = true;
    return out;
  }

 private:
  // ---- operands ----
  x86::Vec Vec(int reg) const { return wide_ ? static_cast<x86::Vec>(x86::zmm(reg)) : static_cast<x86::Vec>(x86::ymm(reg)); }
  x86::Vec Temporary(int k) const { return Vec((wide_ ? 32 : 16) - 1 - k); }
  x86::Mem Slot(int slot) const { return x86::ptr(x86::rdi, slot * bytes_, bytes_); }

  // A constant for every lane, as a memory operand of arithmetic.
  x86::Mem Pool(double value) {
    const auto [at, fresh] = pool_.try_emplace(asmjit::Support::bitCast<std::uint64_t>(value), static_cast<int>(pool_.size()));
    if (fresh) pool_order_.push_back(value);
    if (!wide_) return x86::ptr(pool_label_, at->second * bytes_, bytes_);
    x86::Mem m = x86::ptr(pool_label_, at->second * 8, 8);
    m.setBroadcast(x86::Mem::Broadcast::k1To8);
    return m;
  }

  bool HasHome(int v) const { return home_[v] >= 0 || p_.nodes[v].op == Op::kConstant; }
  x86::Mem Home(int v) { return p_.nodes[v].op == Op::kConstant ? Pool(p_.nodes[v].value) : Slot(home_[v]); }

  template <class... Operands>
  void Write(std::uint32_t id, Operands&&... operands) {
    failed_ |= as_.emit(id, std::forward<Operands>(operands)...) != asmjit::kErrorOk;
    ++instructions_;
  }

  // ---- registers ----
  int Free() {
    int evicted;
    const int reg = registers_.Take(now_, &evicted);
    if (evicted != Registers::kNone && !HasHome(evicted)) {
      if (free_slots_.empty()) free_slots_.push_back(spill_slot_ + spill_count_++);
      home_[evicted] = free_slots_.back();
      free_slots_.pop_back();
      Write(Id::kIdVmovapd, Slot(home_[evicted]), Vec(reg));
    }
    registers_.Pin(reg);
    return reg;
  }

  void Read(int v, int reg) {
    if (wide_ && p_.nodes[v].op == Op::kConstant) {
      x86::Mem m = Home(v);
      m.setBroadcast(x86::Mem::Broadcast::kNone);
      Write(Id::kIdVbroadcastsd, Vec(reg), m);
    } else {
      Write(Id::kIdVmovapd, Vec(reg), Home(v));
    }
  }

  // v in a register that stays until the operation is done.
  x86::Vec Register(int v) {
    if (!registers_.InRegister(v)) {
      const int reg = Free();
      Read(v, reg);
      registers_.Assign(v, reg);
    }
    registers_.Pin(registers_.Of(v));
    return Vec(registers_.Of(v));
  }

  bool Dying(int v) { return registers_.InRegister(v) && registers_.DiesAt(v, now_); }

  // The register that will hold the result; an operand that dies gives its own.
  int Result(std::initializer_list<int> operands) {
    for (int v : operands)
      if (Dying(v)) {
        const int reg = registers_.Of(v);
        registers_.Release(v);
        registers_.Pin(reg);
        return reg;
      }
    return Free();
  }

  void FreeDead(int id) {
    const Node& n = p_.nodes[id];
    for (int k = 0; k < OperandCount(n.op); ++k) Drop(n.operand(k));
    Drop(id);
  }
  void Drop(int v) {
    if (!registers_.DiesAt(v, now_)) return;
    registers_.Release(v);
    if (home_[v] >= spill_slot_ && !slot_returned_[v]) {
      slot_returned_[v] = 1;
      free_slots_.push_back(home_[v]);
    }
  }

  // ---- operations ----
  bool Operation(int id) {
    const Node& n = p_.nodes[id];
    switch (n.op) {
      case Op::kAdd: Binary(id, Id::kIdVaddpd, true); return true;
      case Op::kMultiply: Binary(id, Id::kIdVmulpd, true); return true;
      case Op::kSubtract: Binary(id, Id::kIdVsubpd, false); return true;
      case Op::kDivide: Binary(id, Id::kIdVdivpd, false); return true;
      case Op::kNegate: Masked(id, Id::kIdVxorpd, -0.0); return true;
      case Op::kAbs: Masked(id, Id::kIdVandpd, asmjit::Support::bitCast<double>(0x7fffffffffffffffull)); return true;
      case Op::kSqrt: {
        const bool memory = !registers_.InRegister(n.a) && p_.nodes[n.a].op != Op::kConstant;
        if (!memory) Register(n.a);
        const x86::Vec source = memory ? x86::Vec() : Vec(registers_.Of(n.a));
        const int reg = Result({n.a});
        if (memory) Write(Id::kIdVsqrtpd, Vec(reg), Home(n.a));
        else Write(Id::kIdVsqrtpd, Vec(reg), source);
        registers_.Assign(id, reg);
        return true;
      }
      case Op::kSign: Sign(id); return true;
      case Op::kSelectPositive: Select(id); return true;
      case Op::kMultiplyAdd: Fused(id, {Id::kIdVfmadd132pd, Id::kIdVfmadd213pd, Id::kIdVfmadd231pd}); return true;
      case Op::kMultiplySubtract: Fused(id, {Id::kIdVfmsub132pd, Id::kIdVfmsub213pd, Id::kIdVfmsub231pd}); return true;
      case Op::kNegMultiplyAdd: Fused(id, {Id::kIdVfnmadd132pd, Id::kIdVfnmadd213pd, Id::kIdVfnmadd231pd}); return true;
      case Op::kNegMultiplySubtract: Fused(id, {Id::kIdVfnmsub132pd, Id::kIdVfnmsub213pd, Id::kIdVfnmsub231pd}); return true;
      default: return false;
    }
  }

  void Binary(int id, std::uint32_t op, bool commutes) {
    int a = p_.nodes[id].a, b = p_.nodes[id].b;
    if (commutes && registers_.InRegister(b) && !registers_.InRegister(a)) std::swap(a, b);
    const x86::Vec left = Register(a);
    if (registers_.InRegister(b)) {
      const x86::Vec right = Register(b);
      const int reg = Result({a, b});
      Write(op, Vec(reg), left, right);
      registers_.Assign(id, reg);
    } else {
      const int reg = Result({a});
      Write(op, Vec(reg), left, Home(b));
      registers_.Assign(id, reg);
    }
  }

  void Masked(int id, std::uint32_t op, double mask) {
    const int a = p_.nodes[id].a;
    const x86::Vec source = Register(a);
    const int reg = Result({a});
    Write(op, Vec(reg), source, Pool(mask));
    registers_.Assign(id, reg);
  }

  struct Forms {
    std::uint32_t f132, f213, f231;  // x = x z + y,  x = y x + z,  x = y z + x  (z may be memory)
  };

  // One of the three operands is overwritten: one that dies, else one read from memory, else a copy.
  void Fused(int id, const Forms& f) {
    int a = p_.nodes[id].a, b = p_.nodes[id].b;
    const int c = p_.nodes[id].c;
    for (int v : {a, b, c})
      if (registers_.InRegister(v)) registers_.Pin(registers_.Of(v));
    const bool sum_alone = c != a && c != b;
    if (sum_alone && (Dying(c) || (!Dying(a) && !Dying(b) && !registers_.InRegister(c)))) {
      const int reg = Overwrite(c);
      if (registers_.InRegister(b)) std::swap(a, b);  // b may be memory
      const x86::Vec first = Register(a);
      WriteThird(f.f231, reg, first, b);
      registers_.Assign(id, reg);
      return;
    }
    if (Dying(b) || (!Dying(a) && !registers_.InRegister(b))) std::swap(a, b);
    if (b == a || c == a) {  // overwriting a would change b or c as well
      const x86::Vec source = Register(a);
      const x86::Vec sum = Register(c);
      const x86::Vec other = Register(b);
      const int reg = Free();
      Write(Id::kIdVmovapd, Vec(reg), source);
      Write(f.f213, Vec(reg), other, sum);
      registers_.Assign(id, reg);
      return;
    }
    const int reg = Overwrite(a);
    if (!registers_.InRegister(b) && registers_.InRegister(c)) {
      const x86::Vec sum = Register(c);
      WriteThird(f.f132, reg, sum, b);
    } else {
      const x86::Vec other = Register(b);
      WriteThird(f.f213, reg, other, c);
    }
    registers_.Assign(id, reg);
  }

  // A register with v in it that may be overwritten.
  int Overwrite(int v) {
    if (Dying(v)) {
      const int reg = registers_.Of(v);
      registers_.Release(v);
      registers_.Pin(reg);
      return reg;
    }
    const int reg = Free();
    if (registers_.InRegister(v)) Write(Id::kIdVmovapd, Vec(reg), Vec(registers_.Of(v)));
    else Read(v, reg);
    return reg;
  }

  void WriteThird(std::uint32_t op, int reg, const x86::Vec& second, int third) {
    if (registers_.InRegister(third)) Write(op, Vec(reg), second, Vec(registers_.Of(third)));
    else Write(op, Vec(reg), second, Home(third));
  }

  // (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0)
  void Sign(int id) {
    const int a = p_.nodes[id].a;
    const x86::Vec x = Register(a);
    const int reg = Free();
    const x86::Vec zero = Temporary(0), below = Temporary(1);
    Write(Id::kIdVxorpd, zero, zero, zero);
    if (wide_) {
      Write(Id::kIdVcmppd, x86::k1, x, zero, asmjit::imm(kGreater));
      Write(Id::kIdVcmppd, x86::k2, x, zero, asmjit::imm(kLess));
      as_.k(x86::k1).z();
      Write(Id::kIdVbroadcastsd, Vec(reg), PoolScalar(1.0));
      as_.k(x86::k2).z();
      Write(Id::kIdVbroadcastsd, below, PoolScalar(1.0));
    } else {
      Write(Id::kIdVcmppd, Vec(reg), x, zero, asmjit::imm(kGreater));
      Write(Id::kIdVcmppd, below, x, zero, asmjit::imm(kLess));
      Write(Id::kIdVandpd, Vec(reg), Vec(reg), Pool(1.0));
      Write(Id::kIdVandpd, below, below, Pool(1.0));
    }
    Write(Id::kIdVsubpd, Vec(reg), Vec(reg), below);
    registers_.Assign(id, reg);
  }

  void Select(int id) {
    const Node n = p_.nodes[id];
    const x86::Vec x = Register(n.a), yes = Register(n.b), no = Register(n.c);
    const int reg = Free();
    const x86::Vec mask = Temporary(0);
    Write(Id::kIdVxorpd, mask, mask, mask);
    if (wide_) {
      Write(Id::kIdVcmppd, x86::k1, x, mask, asmjit::imm(kGreater));
      as_.k(x86::k1);
      Write(Id::kIdVblendmpd, Vec(reg), no, yes);
    } else {
      Write(Id::kIdVcmppd, mask, x, mask, asmjit::imm(kGreater));
      Write(Id::kIdVblendvpd, Vec(reg), no, yes, mask);
    }
    registers_.Assign(id, reg);
  }

  x86::Mem PoolScalar(double value) {
    x86::Mem m = Pool(value);
    m.setBroadcast(x86::Mem::Broadcast::kNone);
    return m;
  }

  // ---- results ----
  void Store(int id) {
    if (outputs_of_[id].empty()) return;
    const bool leaf = !registers_.InRegister(id);
    const x86::Vec source = leaf ? Temporary(0) : Vec(registers_.Of(id));
    if (leaf) Read(id, (wide_ ? 32 : 16) - 1);
    for (int k : outputs_of_[id]) Write(Id::kIdVmovapd, Slot(output_slot_ + k), source);
    if (!leaf) home_[id] = output_slot_ + outputs_of_[id].front();
  }

  void WritePool() {
    as_.align(asmjit::AlignMode::kZero, 64);
    as_.bind(pool_label_);
    const int copies = wide_ ? 1 : LanesOf(Target::kAvx2);
    for (double value : pool_order_)
      for (int k = 0; k < copies; ++k) as_.embed(&value, sizeof(value));
  }

  static constexpr int kGreater = 0x1e, kLess = 0x11;  // ordered, quiet

  const Program& p_;
  const bool wide_;
  const int bytes_, output_slot_, spill_slot_;
  Registers registers_;
  std::vector<int> home_;                     // slot from which a value can be read; -1: none
  std::vector<char> slot_returned_;           // a value's spill slot was given back
  std::vector<std::vector<int>> outputs_of_;
  std::vector<int> free_slots_;
  int spill_count_ = 0, instructions_ = 0, now_ = 0;
  bool failed_ = false;
  asmjit::CodeHolder code_;
  x86::Assembler as_;
  asmjit::Label pool_label_;
  std::map<std::uint64_t, int> pool_;
  std::vector<double> pool_order_;
};

}  // namespace

Emitted Emit(const Program& p, Target target, int output_slot, int spill_slot) {
  return Emitter(p, target, output_slot, spill_slot).Run();
}

}  // namespace torqued::compile
