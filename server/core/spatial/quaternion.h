// Which unit quaternion turns like R? xyzw with w >= 0, without a branch on a scalar.
//
// The squares 4 w^2 = 1 + xx + yy + zz, 4 x^2 = 1 + xx - yy - zz, ... sum to 4, so the largest is at least 1: its column of
// 4 u u^T (u = xyzw), divided by its root, loses nothing to cancellation (Shepperd 1978).
#pragma once

#include "server/core/math/scalar.h"
#include "server/core/math/vec3.h"

namespace torqued {

// u [4] = x y z w. REQUIRES: R a rotation (within rounding).
template <class T>
void RotationToQuaternion(const Mat3<T>& R, T* u) {
  const T xx = R.cx.x, yy = R.cy.y, zz = R.cz.z, one(1.0);
  const T yz = R.cy.z + R.cz.y, zx = R.cz.x + R.cx.z, xy = R.cx.y + R.cy.x;    // 4 y z, 4 z x, 4 x y
  const T wx = R.cy.z - R.cz.y, wy = R.cz.x - R.cx.z, wz = R.cx.y - R.cy.x;    // 4 w x, 4 w y, 4 w z
  const T columns[4][4] = {{one + xx - yy - zz, xy, zx, wx},
                           {xy, one - xx + yy - zz, yz, wy},
                           {zx, yz, one - xx - yy + zz, wz},
                           {wx, wy, wz, one + xx + yy + zz}};
  T best = columns[3][3];
  for (int k = 0; k < 4; ++k) u[k] = columns[3][k];
  for (int j = 0; j < 3; ++j) {
    const T better = columns[j][j] - best;
    for (int k = 0; k < 4; ++k) u[k] = SelectPositive(better, columns[j][k], u[k]);
    best = SelectPositive(better, columns[j][j], best);
  }
  const T scale = T(0.5) / sqrt(best);
  const T sign = SelectPositive(-u[3], T(-1.0), one);
  for (int k = 0; k < 4; ++k) u[k] = u[k] * (scale * sign);
}

}  // namespace torqued
