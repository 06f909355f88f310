// The cyclic path does not allocate: every malloc and new of this program is counted while bridge and card run.
//
// A program of its own, because it replaces the allocator's entry points.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "client/card/computed_torque.h"
#include "tests/card/bridge_rig.h"

namespace {
std::atomic<long> allocations{0};
thread_local bool counting = false;

void Count() {
  if (counting) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

#ifndef TORQUED_SANITIZED
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t n) { return Count(), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t m) { return Count(), __libc_calloc(n, m); }
void* realloc(void* p, std::size_t n) { return Count(), __libc_realloc(p, n); }
void* aligned_alloc(std::size_t a, std::size_t n) { return Count(), __libc_memalign(a, n); }
int posix_memalign(void** p, std::size_t a, std::size_t n) { return Count(), *p = __libc_memalign(a, n), *p ? 0 : 12; }
}
#else
// The sanitizers own malloc; new is counted.
void* operator new(std::size_t n) {
  Count();
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace torqued::card_test {
namespace {

TEST(Allocation, TheCounterCounts) {
  counting = true;
  const long before = allocations;
  auto* p = new int(1);
  asm volatile("" : : "r"(p) : "memory");
  counting = false;
  delete p;
  EXPECT_GT(allocations, before);
}

// Answers at once what it was asked: inverse dynamics in this thread.
struct AtOnce {
  explicit AtOnce(const Prepared& m) : model(m), conditions(m), ws(m) {}
  bool Ask(std::uint64_t sequence, const AxisArray& q, const AxisArray& v, const AxisArray& a) noexcept {
    ticket = sequence;
    InverseDynamics<double>(model, conditions, q.data(), v.data(), a.data(), ws, tau.data());
    return true;
  }
  bool Answer(std::uint64_t sequence, AxisArray* out) noexcept {
    if (sequence != ticket) return false;
    *out = tau;
    return true;
  }
  const Prepared& model;
  Conditions conditions;
  Workspace<double> ws;
  std::uint64_t ticket = 0;
  AxisArray tau{};
};

long CountMotion(bool closed_loop, const std::vector<SimFault>& faults) {
  BridgeRig rig;
  const PathTable table = rig.Table(PickAndPlace(rig.model));
  rig.Enable();
  for (const SimFault& f : faults) rig.card->Schedule(f);
  PathSource source(table, rig.config);
  AtOnce answers(rig.model);
  ComputedTorque<AtOnce> loop(&answers, 4, {});
  Rig::Ok(rig.bridge.Start(&source, closed_loop ? &loop : nullptr));
  const long before = allocations;
  int cycles = 0;
  counting = true;
  while (rig.bridge.Tick()) {
    rig.card->Step(1);
    ++cycles;
    if (cycles == 200) rig.bridge.SetOverride(0.5);
    if (cycles == 400) rig.bridge.Pause();
    if (cycles == 700) rig.bridge.Resume();
    if (cycles == 1500 && faults.empty()) rig.bridge.Stop(StopKind::kOnPath);
  }
  rig.card->Step(100);
  counting = false;
  EXPECT_GT(cycles, 800);
  return allocations - before;
}

TEST(Allocation, NoneInTheCyclicPath) {
  EXPECT_EQ(CountMotion(false, {}), 0);
  EXPECT_EQ(CountMotion(true, {}), 0);
  EXPECT_EQ(CountMotion(false, {{SimFaultKind::kDropSetPoint, 1200, 0, 0, 0}}), 0);
  EXPECT_EQ(CountMotion(false, {{SimFaultKind::kEmergencyStop, 1200, 0, 0, 0}}), 0);
}

}  // namespace
}  // namespace torqued::card_test
