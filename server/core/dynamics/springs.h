// What do the springs ask of the drives? The gradient of their energy, springs on coordinates and between two points.
//
//   coordinate spring   tau_k = stiffness (p_k - rest)
//   point spring        E = 1/2 stiffness (L - L0)^2, d = b - a, L = |d|:
//                       tau_j = stiffness (1 - L0 / L) d . (db/dq_j - da/dq_j)
// A point spring of length zero has no direction: its torque is then taken as zero.
#pragma once

#include "server/core/dynamics/jacobian.h"

namespace torqued {
namespace springs_detail {

// d = b - a in world axes and the force per length along it, stiffness (1 - L0 / L). REQUIRES: ws.world.
template <class T>
inline Vec3<T> PointSpringPull(const PreparedPointSpring& s, const Workspace<T>& ws) {
  const Vec3<T> d = FramePose(s.b, ws).p - FramePose(s.a, ws).p;
  const T square = Dot(d, d);
  const T length = sqrt(SelectPositive(square, square, T(1.0)));
  return Scale(d, s.stiffness * (T(1.0) - T(s.free_length) / length));
}

// tree_tau += sign * (d point / d q)^T pull, for the point that is f's origin.
template <class T>
inline void AddPointForce(const Prepared& m, const BodyFrame& f, const Vec3<T>& pull, const Workspace<T>& ws, T* tree_tau) {
  const Vec3<T> p = FramePose(f, ws).p;
  for (int i = f.body; i != kWorld; i = m.bodies[i].parent)
    jacobian_detail::ForEachColumn(m.bodies[i], ws.world[i].R, p - ws.world[i].p,
                                   [&](int column, const Vec3<T>&, const Vec3<T>& linear) {
                                     tree_tau[column] = tree_tau[column] + Dot(linear, pull);
                                   });
}

}  // namespace springs_detail

// tau [nv] += the torque that the drives hold against all springs. Overwrites ws.world and ws.tau_tree.
template <class T>
void AddSpringTorque(const Prepared& m, const T* q, Workspace<T>& ws, T* tau) {
  for (size_t k = 0; k < m.coordinate_springs.size(); ++k) {
    const CoordinateSpring& s = m.coordinate_springs[k];
    tau[s.coordinate] = tau[s.coordinate] + s.stiffness * (q[m.spring_q_index[k]] - T(s.rest));
  }
  if (m.point_springs.empty()) return;
  ForwardKinematics(m, q, ws);
  T* tree_tau = m.coupled ? ws.tau_tree.data() : tau;
  if (m.coupled)
    for (int i = 0; i < m.nv_tree; ++i) tree_tau[i] = T(0.0);
  for (const PreparedPointSpring& s : m.point_springs) {
    const Vec3<T> pull = springs_detail::PointSpringPull(s, ws);
    springs_detail::AddPointForce(m, s.b, pull, ws, tree_tau);
    springs_detail::AddPointForce(m, s.a, -pull, ws, tree_tau);
  }
  if (m.coupled) AddReducedEfforts(m, tree_tau, tau);
}

// 1/2 k (p - rest)^2 and 1/2 k (L - L0)^2, summed [J]. REQUIRES: ws.world at q.
template <class T>
T SpringEnergy(const Prepared& m, const T* q, const Workspace<T>& ws) {
  T E(0.0);
  for (size_t k = 0; k < m.coordinate_springs.size(); ++k) {
    const CoordinateSpring& s = m.coordinate_springs[k];
    const T x = q[m.spring_q_index[k]] - T(s.rest);
    E = E + (0.5 * s.stiffness) * (x * x);
  }
  for (const PreparedPointSpring& s : m.point_springs) {
    const Vec3<T> d = FramePose(s.b, ws).p - FramePose(s.a, ws).p;
    const T square = Dot(d, d);
    const T x = SelectPositive(square, sqrt(SelectPositive(square, square, T(1.0))), T(0.0)) - T(s.free_length);
    E = E + (0.5 * s.stiffness) * (x * x);
  }
  return E;
}

template <class T>
void SpringTorque(const Prepared& m, const T* q, Workspace<T>& ws, T* tau) {
  for (int k = 0; k < m.nv; ++k) tau[k] = T(0.0);
  AddSpringTorque(m, q, ws, tau);
}

}  // namespace torqued
