// After warm-up no batch call allocates, by template or by compiled code, also when models take turns.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "server/compile/compiler.h"
#include "server/core/tree/prepare.h"
#include "tests/oracle/random_tree.h"

#if !defined(TORQUED_SANITIZED)  // sanitizers bring their own allocator

namespace {
std::atomic<long> allocations{0};

// Out of line, so that the compiler does not pair a caller's new with what stands here.
[[gnu::noinline]] void Release(void* p) { std::free(p); }
[[gnu::noinline]] void* Counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t size) { return Counted(size == 0 ? 1 : size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) { return Counted(size == 0 ? 1 : size, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { Release(p); }
void operator delete(void* p, std::size_t) noexcept { Release(p); }
void operator delete(void* p, std::align_val_t) noexcept { Release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { Release(p); }

namespace torqued::compile {
namespace {

void AskEverything(const Batch& b, const std::vector<double>& rows, int count, std::vector<double>& out, BatchScratch& s) {
  const Prepared& m = b.model();
  const Conditions c(m);
  const double *q = rows.data(), *v = q + count * m.nq, *x = v + count * m.nv;
  double* o = out.data();
  b.InverseDynamics(c, q, v, x, count, o, s);
  b.Gravity(c, q, count, o, s);
  b.MassMatrix(c, q, count, MatrixLayout::kFull, o, s);
  (void)b.ForwardDynamics(c, q, v, x, count, o, nullptr, s);
  b.Jacobian(m.frames[m.tool_frame], Expression::kWorldAligned, q, count, o, s);
  b.ForwardKinematics(&m.tool_frame, 1, q, count, o, s);
  b.PathDynamics(c, q, v, x, count, {o, o + count * m.nv, o + 2 * count * m.nv}, s);
}

TEST(Allocation, NoneAfterWarmUp) {
  constexpr int kCount = 11;
  for (bool compiled : {false, true}) {
    std::vector<std::unique_ptr<Batch>> batches;
    std::vector<std::vector<double>> rows;
    std::vector<double> out;
    for (unsigned seed : {4u, 9u, 10u}) {
      const Model model = oracle::RandomTree(seed, oracle::VariedOptions(seed, 9));
      batches.push_back(std::make_unique<Batch>(std::make_shared<const Prepared>(Prepare(model))));
      const Prepared& m = batches.back()->model();
      if (compiled) {
        ASSERT_TRUE(batches.back()->Install(Compile(m, ActiveKernels())));
      }
      rows.emplace_back(kCount * (m.nq + 2 * m.nv), 0.25);
      out.resize(std::max<std::size_t>(out.size(), static_cast<std::size_t>(kCount * (m.nv * m.nv + 6 * m.nv + 7))));
    }
    BatchScratch scratch;
    for (size_t k = 0; k < batches.size(); ++k) AskEverything(*batches[k], rows[k], kCount, out, scratch);
    const long before = allocations;
    for (int turn = 0; turn < 3; ++turn)
      for (size_t k = 0; k < batches.size(); ++k) AskEverything(*batches[k], rows[k], kCount, out, scratch);
    EXPECT_EQ(allocations - before, 0) << (compiled ? "compiled" : "template");
  }
}

}  // namespace
}  // namespace torqued::compile

#endif
