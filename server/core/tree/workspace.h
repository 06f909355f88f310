// Where does a call keep its scratch? Here: sized once per model, then no allocation in any call.
//
// One Workspace per thread; never shared, never inside the model. A T with lanes keeps one robot state per lane.
#pragma once

#include <vector>

#include "server/core/math/vec3.h"
#include "server/core/spatial/pose.h"
#include "server/core/spatial/articulated_inertia.h"
#include "server/core/spatial/rigid_inertia.h"
#include "server/core/tree/prepared.h"

namespace torqued {

// Motion of body i, all in the body's own axes (classical Newton-Euler: no six-vectors, no linear velocity needed).
template <class T>
struct BodyKinematics {
  Mat3<T> R;    // R_P_B: body axes in the parent body's axes
  Vec3<T> p;    // p_P_B: body origin in the parent body's frame [m]
  Vec3<T> w;    // angular velocity [rad/s]
  Vec3<T> wd;   // angular acceleration [rad/s^2]
  Vec3<T> a;    // acceleration of the body origin minus gravity [m/s^2]
};

// A body with its descendants hanging on their joints, in branch axes (aba.h).
template <class T>
struct ArticulatedBody {
  ArticulatedInertia<T> IA;
  ForcePair<T> p;  // force that no acceleration would need
  Motion6<T> V;    // velocity
  Motion6<T> c;    // acceleration with zero joint acceleration, beyond the parent's
};
template <class T>
struct ArticulatedEntry {
  ForcePair<T> U;  // force per acceleration of this entry
  T inverse_D;
  T u;             // what is left of the torque
};

// The momentum of a body with its descendants, and how it turns their inertia (coriolis.h), in branch axes.
template <class T>
struct MomentumRate {
  SymMat3<T> K;    // dI/dt about the reference point
  ForcePair<T> h;  // momentum
};

template <class T>
struct Workspace {
  std::vector<BodyKinematics<T>> body;
  std::vector<ForcePair<T>> force;                  // through each body's joint, about the body origin, body axes
  std::vector<Vec3<T>> velocity;                    // of each body origin, body axes [m/s] (kinematics.h)
  std::vector<Pose<T>> world;                       // X_WB of each body (kinematics.h)
  std::vector<int> path;                            // bodies from the root to a frame's body (jacobian.h)
  std::vector<T> q_tree, v_tree, a_tree, tau_tree;  // used only by coupled models
  std::vector<T> rotor_spin;                        // J * acceleration of rotor k, per rotor
  // In the axes and about the origin of the branch's first body (branch_axes.h):
  std::vector<Pose<T>> branch;                      // of each body
  std::vector<Motion6<T>> column;                   // direction of motion per tree v entry
  std::vector<RigidInertia<T>> composite;           // of each body, with its descendants where an algorithm says so
  std::vector<ArticulatedBody<T>> articulated;      // per body
  std::vector<ArticulatedEntry<T>> entry;           // per tree v entry
  std::vector<Motion6<T>> acceleration;             // per body, minus gravity
  std::vector<MomentumRate<T>> momentum;            // per body
  std::vector<Vec3<T>> rotor_spin_axis;             // per model v entry: angular direction on a rotor's carrier
  std::vector<T> rotor_rate, rotor_turn;            // per model v entry: dg/dt, y of coriolis.h
  std::vector<T> unit_rate;                         // nv, for coefficients
  std::vector<T> matrix;                            // nv^2, a partial result
  std::vector<T> tree_mass_matrix;                  // nv_tree^2, used only by coupled models
  std::vector<T> pivot_scale;                       // per model v entry: the size that a pivot's rounding error has
  std::vector<T> mass_matrix;                       // nv^2, M and then its factors
  std::vector<T> tree_jacobian;                     // 6 x nv_tree, used only by coupled models
  std::vector<T> partial_tau, power_tau;            // nv, partial sums
  std::vector<BodyInertia> no_inertias;             // zeros: what the rotors alone contribute

  Workspace() = default;
  explicit Workspace(const Prepared& m) { Resize(m); }

  void Resize(const Prepared& m) {
    body.resize(m.bodies.size());
    force.resize(m.bodies.size());
    velocity.resize(m.bodies.size());
    world.resize(m.bodies.size());
    path.resize(m.bodies.size());
    q_tree.resize(m.nq_tree);
    v_tree.resize(m.nv_tree);
    a_tree.resize(m.nv_tree);
    tau_tree.resize(m.nv_tree);
    rotor_spin.resize(m.rotors.size());
    tree_jacobian.resize(m.coupled ? 6 * m.nv_tree : 0);
    partial_tau.resize(m.nv);
    power_tau.resize(m.nv);
    branch.resize(m.bodies.size());
    column.resize(m.nv_tree);
    composite.resize(m.bodies.size());
    articulated.resize(m.bodies.size());
    entry.resize(m.nv_tree);
    acceleration.resize(m.bodies.size());
    momentum.resize(m.bodies.size());
    rotor_spin_axis.resize(m.nv);
    rotor_rate.resize(m.nv);
    rotor_turn.resize(m.nv);
    unit_rate.resize(m.nv);
    matrix.resize(m.nv * m.nv);
    tree_mass_matrix.resize(m.coupled ? m.nv_tree * m.nv_tree : 0);
    pivot_scale.resize(m.nv);
    mass_matrix.resize(m.nv * m.nv);
    no_inertias.resize(m.bodies.size());
  }
};

}  // namespace torqued
