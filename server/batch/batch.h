// How are many robot states answered at once? One call, rows in, rows out, on the widest instructions of the machine.
//
// Rows: one state per row, row-major: q nq wide, v, a, tau nv wide. A state's result depends on nothing but the state:
// not on its place, its neighbours or how a batch is cut, so a worker pool may cut [0, count) anywhere (offset the
// pointers) and one state alone gives the same bits as within a batch, as long as the same kernel serves (kernel()).
// A NaN stays within its row. Nothing allocates once a scratch has seen its largest model. Null v or a is zero.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "server/batch/kernels.h"
#include "server/batch/instruction_set.h"

namespace torqued {

// Working memory of a Batch call: one per thread, for any number of models. Movable, not copyable.
class BatchScratch {
 public:
  BatchScratch() = default;

 private:
  friend class Batch;
  KernelScratch& For(const BatchKernels& kernels) {
    if (owner_ != &kernels) {
      memory_.reset(kernels.make_scratch());
      owner_ = &kernels;
    }
    return *memory_;
  }
  const BatchKernels* owner_ = nullptr;
  std::unique_ptr<KernelScratch> memory_;
};

// Thread-safe: any number of threads may call one Batch, each with its own scratch.
class Batch {
 public:
  explicit Batch(std::shared_ptr<const Prepared> model, const BatchKernels& kernels = ActiveKernels())
      : model_(std::move(model)), kernels_(kernels) {}

  const Prepared& model() const { return *model_; }
  const BatchKernels& kernels() const { return kernels_; }

  // From now on calls under the model's own conditions run these programs; calls under way finish as they began.
  // The first set stays: false if there is one already, or if its lanes are not these kernels' own.
  bool Install(std::shared_ptr<const ProgramSet> programs);
  // What serves `m` under the model's own conditions: "avx2 compiled", "avx2 template", ...
  std::string KernelName(Method m) const;
  // Instructions of the compiled program of `m`, sines and cosines not counted; 0: the template serves.
  int InstructionCount(Method m) const;
  // Why the template serves `m`; empty: it does not.
  std::string TemplateReason(Method m) const;
  // Somebody makes programs: from now on the reason is that they are not done.
  void ExpectPrograms() { expected_.store(true, std::memory_order_relaxed); }

  // tau [count x nv]: joint efforts for the motion, all terms of c.
  void InverseDynamics(const Conditions& c, const double* q, const double* v, const double* a, int count, double* tau,
                       BatchScratch& s) const;

  // g [count x nv]: holds the links against gravity alone.
  void Gravity(const Conditions& c, const double* q, int count, double* g, BatchScratch& s) const;

  // M [count x MatrixWidth(layout, nv)]: joint-space inertia, with the rotors where c.terms has them.
  void MassMatrix(const Conditions& c, const double* q, int count, MatrixLayout layout, double* M, BatchScratch& s) const;

  // Any of M, c = C v, g, friction, springs: what is not null in out.
  void EquationOfMotion(const Conditions& c, const double* q, const double* v, int count, const EquationRows& out,
                        BatchScratch& s) const;

  // a [count x nv] for efforts tau; where M is singular a is finite but no answer. singular [count] (or null): an entry of v
  // at which M is singular, or -1. True if no row is.
  [[nodiscard]] bool ForwardDynamics(const Conditions& c, const double* q, const double* v, const double* tau, int count,
                                     double* a, int* singular, BatchScratch& s) const;

  // J [count x 6 x nv], row-major, linear rows first, of frame f.
  void Jacobian(const BodyFrame& f, Expression e, const double* q, int count, double* J, BatchScratch& s) const;

  // poses [count x frame_count x 7]: x y z [m], qx qy qz qw with qw >= 0, in the world. frames: indices into
  // Prepared::frames.
  void ForwardKinematics(const int* frames, int frame_count, const double* q, int count, double* poses,
                         BatchScratch& s) const;

  // m, c, g [count x nv] with tau = m sdd + c sd^2 + g along a path q(s); dq = q', ddq = q'' (path_dynamics.h).
  void PathDynamics(const Conditions& c, const double* q, const double* dq, const double* ddq, int count,
                    const PathRows& out, BatchScratch& s) const;

 private:
  // The program that answers `m` under c, or null.
  const BlockProgram* ProgramFor(Method m, const Conditions& c) const;

  const std::shared_ptr<const Prepared> model_;
  const BatchKernels& kernels_;
  std::shared_ptr<const ProgramSet> owned_programs_;     // written once, before programs_ is
  std::atomic<const ProgramSet*> programs_{nullptr};
  std::atomic<bool> installing_{false}, expected_{false};
};

}  // namespace torqued
