// Which functions does an instruction set's object file offer? One table per set; nothing else leaves that object.
//
// Rows: one robot state per row, row-major, nq or nv wide. A kernel walks rows [0, count) in blocks of its lanes; the
// last block repeats the last row in its spare lanes and writes none of them. Null outputs are not computed.
#pragma once

#include "server/core/dynamics/conditions.h"
#include "server/core/tree/prepared.h"

namespace torqued {

enum class MatrixLayout {
  kFull,         // nv x nv, row-major
  kPackedUpper,  // nv (nv + 1) / 2: row 0 from the diagonal on, row 1 from the diagonal on, ...
};

struct StateRows {
  const double* q = nullptr;  // [count x nq]
  const double* v = nullptr;  // [count x nv] or null: at rest
  const double* x = nullptr;  // [count x nv] accelerations or efforts, or null: zero
  int count = 0;
};

// What a kernel computes in; its type is known to its own object only.
class KernelScratch {
 public:
  virtual ~KernelScratch() = default;
};

struct BatchKernels {
  const char* name;  // "baseline", "avx2", "avx512"
  int lanes;
  bool (*runs_here)();  // does this processor (and its operating system) execute these instructions?
  KernelScratch* (*make_scratch)();

  void (*inverse_dynamics)(const Prepared&, const Conditions&, const StateRows&, double* tau, KernelScratch&);
};

const BatchKernels& BaselineKernels();
#if defined(__x86_64__)
const BatchKernels& Avx2Kernels();
const BatchKernels& Avx512Kernels();
#endif

}  // namespace torqued
