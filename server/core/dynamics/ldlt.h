// Which x solves M x = b? M = L^T D L along the tree's sparsity (sparsity.h).
//
// L is unit lower triangular in the order `dof_order`: row k has entries only at the entries inward of k. Elimination
// runs from the leaves inward; D_k is what remains of M_kk then: the articulated inertia at entry k.
// M is singular if some D_k is no larger than the rounding error with which it was computed (kPivotTolerance times the
// size of the sums behind it): then its inverse is taken as zero, so that no infinity spreads, and k is reported.
// Source: Featherstone 2008, section 6.5.
#pragma once

#include <limits>

#include "server/core/tree/workspace.h"

namespace torqued {

// A pivot below this, relative to its scale, is rounding.
inline double PivotTolerance(int nv) { return 32 * (nv + 2) * std::numeric_limits<double>::epsilon(); }

// Of a forward question. Trivially copyable.
struct SolveStatus {
  int singular = -1;  // an entry of v at which M is singular (a massless moving link), or -1
  bool ok() const { return singular < 0; }
};

// In place: A = M [nv x nv] becomes L (row k, columns inward of k) and 1/D on its diagonal; the rest is left over.
// scale [nv]: ws.pivot_scale of MassMatrixPlaced<true>.
template <class T>
SolveStatus FactorMassMatrix(const Prepared& m, const T* scale, T* A) {
  const int n = m.nv;
  const double tolerance = PivotTolerance(n);
  SolveStatus status;
  for (int o = n - 1; o >= 0; --o) {
    const int k = m.dof_order[o];
    T* row = A + k * n;
    const T margin = row[k] - tolerance * scale[k];
    if (AnyNotPositive(margin)) status.singular = k;
    const T inverse = SelectPositive(margin, T(1.0) / row[k], T(0.0));
    row[k] = inverse;
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) {
      const T l = row[i] * inverse;
      for (int j = i; j >= 0; j = m.dof_parent[j]) A[i * n + j] = A[i * n + j] - l * row[j];
      row[i] = l;
    }
  }
  return status;
}

// x [nv]: b on entry, M^-1 b on return. A: as FactorMassMatrix leaves it.
template <class T>
void SolveMassMatrix(const Prepared& m, const T* A, T* x) {
  const int n = m.nv;
  for (int o = n - 1; o >= 0; --o) {
    const int k = m.dof_order[o];
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) x[i] = x[i] - A[k * n + i] * x[k];
  }
  for (int k = 0; k < n; ++k) x[k] = x[k] * A[k * n + k];
  for (int o = 0; o < n; ++o) {
    const int k = m.dof_order[o];
    for (int i = m.dof_parent[k]; i >= 0; i = m.dof_parent[i]) x[k] = x[k] - A[k * n + i] * x[i];
  }
}

}  // namespace torqued
