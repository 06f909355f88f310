// What do the algorithms run on? The model, prepared once: few bodies, z axes, inertias that add up.
//
// Preparation (prepare.h) does, once per registered model, what would otherwise be paid at every call:
//   - every one-degree joint's frame is turned so that its axis is +z; the turn is folded into the placements R, p
//     and into the inertias, so that a revolute joint is R = R_PJ Rz(q): 12 multiplications, third column constant;
//   - links joined by fixed joints are lumped into one body (inertias about the joint origin add up);
//   - a planar joint becomes two massless prismatic bodies and a revolute one (its rates are exactly theirs);
//   - bodies stand in traversal order: parent < child, subtrees contiguous (depth first).
//
// Tree coordinates. Bodies index *tree* vectors (nq_tree, nv_tree), one entry per moving joint. Without couplings tree
// vectors are the model's own vectors. With couplings (mimic, remote drives: Model), ExpandX/ReduceX in coupling.h map
//     v_tree = B v,    tau = B^T tau_tree.
//
// Notation: body i, parent p(i). R = R_P_J and p = p_P_J place the joint frame (z = axis) in the parent body's frame at
// joint zero. The body frame coincides with the joint frame at joint zero and moves with the joint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/core/math/vec3.h"
#include "server/core/spatial/mass_properties.h"
#include "server/core/tree/model.h"

namespace torqued {

enum class Motion : std::uint8_t {
  kRevolute,   // about z
  kPrismatic,  // along z
  kSpherical,  // q = quaternion xyzw, v = angular velocity in body axes
  kFloating,   // q = xyz, quaternion xyzw; v = [linear of the body origin; angular], body axes
  kFixed,      // only where preparation was told to keep fixed joints (link forces at fixed joints)
};

struct Body {
  int parent = kWorld;
  Motion motion = Motion::kRevolute;
  int q_index = 0;   // first entry in tree q
  int v_index = 0;   // first entry in tree v
  Mat3<double> R = Mat3<double>::Identity();  // R_P_J
  Vec3<double> p{0, 0, 0};                    // p_P_J [m]
  int joint = -1;    // index into Model::joints
  int link = -1;     // the joint's child link; -1: a planar joint's inner bodies
  int subtree_end = 0;  // bodies [this, subtree_end) are this body and its descendants
  int last_dof = -1;    // last tree v entry of this body's joint, else of its nearest moving ancestor; -1: none
};

constexpr int PositionCount(Motion m) {
  switch (m) {
    case Motion::kFloating: return 7;
    case Motion::kSpherical: return 4;
    case Motion::kFixed: return 0;
    default: return 1;
  }
}
constexpr int VelocityCount(Motion m) {
  switch (m) {
    case Motion::kFloating: return 6;
    case Motion::kSpherical: return 3;
    case Motion::kFixed: return 0;
    default: return 1;
  }
}

// A named frame, rigidly on a body (or on the world: body = kWorld).
struct BodyFrame {
  int body = kWorld;
  Mat3<double> R = Mat3<double>::Identity();  // R_BF
  Vec3<double> p{0, 0, 0};                    // p_BF [m]
};

// One row of B: tree entry = sum factor * model entry + offset.
struct CouplingRow {
  std::vector<std::pair<int, double>> terms;  // (model v index, factor)
  double offset = 0;
};

struct PreparedRotor {
  double inertia = 0;            // J [kg m^2]
  int carrier = kWorld;          // body; kWorld: no gyroscopic coupling (or carried by the world: none either)
  Vec3<double> axis{0, 0, 1};    // spin axis in carrier axes
  std::vector<std::pair<int, double>> ratio;  // (model v index, rate per rate)
};

struct PreparedPointSpring {
  BodyFrame a, b;  // only p is used
  double stiffness = 0, free_length = 0;
};

struct Prepared {
  std::vector<Body> bodies;
  std::vector<BodyInertia> inertias;     // per body, about its origin, body axes
  std::vector<PreparedRotor> rotors;
  std::vector<PreparedPointSpring> point_springs;
  std::vector<CoordinateSpring> coordinate_springs;  // coordinate resolved: .coordinate is the v (and one-degree q) entry
  std::vector<int> spring_q_index;       // q entry of coordinate_springs[i]
  std::vector<Friction> friction;        // per model v entry
  bool has_friction = false;

  std::vector<std::string> frame_names;  // links first (index = link index), then Model::frames
  std::vector<BodyFrame> frames;
  int link_count = 0;
  int tool_frame = 0;

  bool coupled = false;                  // false: tree vectors are the model's vectors
  std::vector<CouplingRow> coupling;     // per tree v entry, if coupled (one-degree entries and identity groups)
  std::vector<int> v_to_q;               // per model v entry: its q entry (first entry of the group for a group)

  std::vector<int> tree_dof_parent;      // per tree v entry: the one before it on the way to the world, or -1
  // How M factors (sparsity.h): model v entries outward; per entry the next one inward that it may couple with, or -1.
  std::vector<int> dof_order, dof_parent;
  bool simple_rotors = true;             // every rotor acts on one entry and on no carrier: `armature` says it all
  std::vector<double> armature;          // per model v entry, if simple_rotors: J ratio^2 [kg m^2 or kg]

  Vec3<double> gravity{0, 0, -9.81};     // world axes [m/s^2]
  int nq = 0, nv = 0;                    // the user's vectors
  int nq_tree = 0, nv_tree = 0;

  int body_count() const { return static_cast<int>(bodies.size()); }
};

}  // namespace torqued
