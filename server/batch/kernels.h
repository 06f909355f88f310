// Which functions does an instruction set's object file offer? One table per set; nothing else leaves that object.
//
// Rows: one robot state per row, row-major, nq or nv wide. A kernel walks rows [0, count) in blocks of its lanes; the
// last block repeats the last row in its spare lanes and writes none of them. Null inputs are zero, null outputs are
// not asked for.
#pragma once

#include "server/batch/block_program.h"
#include "server/core/dynamics/conditions.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/tree/prepared.h"

namespace torqued {

struct StateRows {
  const double* q = nullptr;  // [count x nq]
  const double* v = nullptr;  // [count x nv] or null: at rest
  const double* x = nullptr;  // [count x nv] accelerations (or what the kernel says), or null: zero
  int count = 0;
};

struct PathRows {
  double *m, *c, *g;  // [count x nv] each
};

enum class MatrixLayout {
  kFull,         // nv x nv, row-major
  kPackedUpper,  // nv (nv + 1) / 2: row 0 from its diagonal on, row 1 from its diagonal on, ...
};

constexpr int MatrixWidth(MatrixLayout layout, int nv) { return layout == MatrixLayout::kFull ? nv * nv : nv * (nv + 1) / 2; }

// Parts of M a + c + g + friction + springs = tau; null: not asked for.
struct EquationRows {
  double* mass_matrix = nullptr;      // [count x MatrixWidth]
  MatrixLayout layout = MatrixLayout::kFull;
  double* velocity_torque = nullptr;  // c = C v [count x nv]
  double* gravity = nullptr;          // [count x nv]
  double* friction = nullptr;         // [count x nv]
  double* springs = nullptr;          // [count x nv]
};

// Where a program's outputs go.
struct ProgramOutput {
  int first = 0;           // output of the program
  int width = 0;           // outputs per row
  double* rows = nullptr;  // [count x width], or with mirror_nv [count x mirror_nv^2]
  int mirror_nv = 0;       // > 0: an upper triangle to be written as a full matrix
  bool add_friction = false;
};

// What a kernel computes in; its type is known to its own object only.
class KernelScratch {
 public:
  virtual ~KernelScratch();  // in instruction_set.cc: its type information belongs to no instruction set
};

struct BatchKernels {
  const char* name;  // "baseline", "avx2", "avx512"
  int lanes;
  KernelScratch* (*make_scratch)();

  void (*inverse_dynamics)(const Prepared&, const Conditions&, const StateRows&, KernelScratch&, double* tau);
  void (*gravity)(const Prepared&, const Conditions&, const StateRows&, KernelScratch&, double* tau);
  void (*equation_of_motion)(const Prepared&, const Conditions&, const StateRows&, KernelScratch&, const EquationRows&);
  // x: efforts. singular [count] or null: an entry of v at which M is singular, or -1 (forward_dynamics.h).
  // Returns whether no row is singular.
  bool (*forward_dynamics)(const Prepared&, const Conditions&, const StateRows&, KernelScratch&, double* a, int* singular);
  void (*jacobian)(const Prepared&, const BodyFrame&, Expression, const StateRows&, KernelScratch&, double* J);
  void (*forward_kinematics)(const Prepared&, const int* frames, int frame_count, const StateRows&, KernelScratch&,
                             double* poses);
  // Machine code made for this robot and this set's lanes (block_program.h).
  void (*run_program)(const Prepared&, const BlockProgram&, const StateRows&, KernelScratch&,
                      const ProgramOutput* outputs, int output_count);
  bool (*run_forward_dynamics)(const Prepared&, const Conditions&, const BlockProgram&, const StateRows&, KernelScratch&,
                               double* a, int* singular);
  void (*path_dynamics)(const Prepared&, const Conditions&, const StateRows&, KernelScratch&, const PathRows&);
};

// Data without code: reading a table executes nothing of its set.
extern const BatchKernels kBaselineKernels;
#if defined(__x86_64__)
extern const BatchKernels kAvx2Kernels;
extern const BatchKernels kAvx512Kernels;
#endif

}  // namespace torqued
