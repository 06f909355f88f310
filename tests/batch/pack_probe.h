// One instruction set's Pack functions behind plain pointers, so that the test itself needs no wide instructions.
#pragma once

#include "server/core/math/pack.h"

namespace torqued::testing {

struct PackProbe {
  const char* name;
  void (*sin_cos)(const double* x, double* s, double* c, int count);  // count: a multiple of 8
  // Each function of one argument in turn: sqrt, exp, tanh, abs, Sign, sin, cos, SelectPositive(x, x + 1, x - 1).
  void (*functions)(const double* x, double* out8, int count);
};

extern const PackProbe kBaselineProbe;
#if defined(__x86_64__)
extern const PackProbe kAvx2Probe;
extern const PackProbe kAvx512Probe;
#endif

template <class P>
struct Probe {
  static P Load(const double* x) {
    P out;
    __builtin_memcpy(&out, x, sizeof(P));
    return out;
  }
  static void SinCosAll(const double* x, double* s, double* c, int count) {
    for (int i = 0; i < count; i += P::kLanes) {
      P ps, pc;
      SinCos(Load(x + i), ps, pc);
      __builtin_memcpy(s + i, &ps, sizeof(P));
      __builtin_memcpy(c + i, &pc, sizeof(P));
    }
  }
  static void Functions(const double* x, double* out, int count) {
    for (int i = 0; i < count; i += P::kLanes) {
      const P p = Load(x + i);
      const P all[8] = {sqrt(p), exp(p), tanh(p), abs(p), Sign(p), sin(p), cos(p), SelectPositive(p, p + 1.0, p - P(1.0))};
      for (int k = 0; k < 8; ++k)
        for (int l = 0; l < P::kLanes; ++l) out[8 * (i + l) + k] = all[k][l];
    }
  }
  static constexpr PackProbe Table() { return {P::InstructionSet::kName, &SinCosAll, &Functions}; }
};

}  // namespace torqued::testing
