// A rotation as the wire says it: unit quaternion x y z w, w >= 0.
#pragma once

#include <cmath>

#include "server/core/math/vec3.h"

namespace torqued {

// Shepperd's method: the largest of the four components is found without cancellation.
inline void RotationToQuaternion(const Mat3<double>& R, double* xyzw) {
  const double xx = R.cx.x, yy = R.cy.y, zz = R.cz.z, trace = xx + yy + zz;
  double x, y, z, w;
  if (trace >= xx && trace >= yy && trace >= zz) {
    w = 1 + trace, x = R.cy.z - R.cz.y, y = R.cz.x - R.cx.z, z = R.cx.y - R.cy.x;
  } else if (xx >= yy && xx >= zz) {
    x = 1 + xx - yy - zz, w = R.cy.z - R.cz.y, y = R.cx.y + R.cy.x, z = R.cz.x + R.cx.z;
  } else if (yy >= zz) {
    y = 1 + yy - xx - zz, w = R.cz.x - R.cx.z, x = R.cx.y + R.cy.x, z = R.cy.z + R.cz.y;
  } else {
    z = 1 + zz - xx - yy, w = R.cx.y - R.cy.x, x = R.cz.x + R.cx.z, y = R.cy.z + R.cz.y;
  }
  const double scale = (w < 0 ? -1.0 : 1.0) / std::sqrt(x * x + y * y + z * z + w * w);
  xyzw[0] = x * scale, xyzw[1] = y * scale, xyzw[2] = z * scale, xyzw[3] = w * scale;
}

}  // namespace torqued
