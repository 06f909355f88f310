// The bodies in common axes, in which inertias add up and nothing is rotated on the way inward.
//
// M, C and the articulated inertias do not depend on where the world is, so each branch that leaves the world takes
// the frame of its first body as reference O: its pose is then the identity, one placement less, and a floating base
// keeps full precision however far away it is. Branches share no inertia, so their references need not agree.
#pragma once

#include "server/core/dynamics/place.h"
#include "server/core/dynamics/jacobian.h"
#include "server/core/spatial/rigid_inertia.h"

namespace torqued {

// Writes ws.body[i].R and .p. tq: tree positions.
template <class T>
inline void PlaceBodies(const Prepared& m, const T* tq, Workspace<T>& ws) {
  for (int i = 0; i < m.body_count(); ++i) PlaceBody(m.bodies[i], tq, ws.body[i]);
}

// Writes ws.branch, ws.column and ws.composite (each body's own inertia). REQUIRES: ws.body placed.
template <class T>
inline void ExpressInBranchAxes(const Prepared& m, const BodyInertia* inertias, Workspace<T>& ws) {
  const auto keep = [&ws](int k, const Vec3<T>& angular, const Vec3<T>& linear) { ws.column[k] = {angular, linear}; };
  for (int i = 0; i < m.body_count(); ++i) {
    const Body& b = m.bodies[i];
    const BodyKinematics<T>& k = ws.body[i];
    if (b.parent == kWorld) {
      ws.branch[i] = Pose<T>::Identity();
      ws.composite[i] = Constant<T>(inertias[i]);
    } else {
      ws.branch[i] = m.bodies[b.parent].parent == kWorld ? Pose<T>{k.R, k.p} : ws.branch[b.parent] * Pose<T>{k.R, k.p};
      ws.composite[i] = Express(ws.branch[i], inertias[i]);
    }
    jacobian_detail::ForEachColumn(b, ws.branch[i].R, -ws.branch[i].p, keep);
  }
}

}  // namespace torqued
