// What did the user describe? A tree of links and joints, and what drives it. Immutable once built.
//
// Algorithms do not run on this form but on Prepared (prepared.h), which is made from it once per registration.
//
// Coordinates. The *independent coordinates* p are what a user's vectors hold, in the document order of the joints
// that own them. A joint of one degree of freedom takes its own value from them by a constant coupling
//     q_joint = sum_k factor_k p_k + offset,
// which is the identity for an ordinary joint, one term for a mimic joint, and several for remote-driven links and
// coupled wrists (actuator matrix). Torques map back with the transpose: tau_p = B^T tau_joint.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/core/spatial/mass_properties.h"

namespace torqued {

inline constexpr int kWorld = -1;  // as a body or carrier index: the world, or "none"

enum class JointKind { kFixed, kRevolute, kContinuous, kPrismatic, kFloating, kSpherical, kPlanar };

// Width of a joint's own position and velocity (API.md: floating q = xyz + quaternion xyzw).
constexpr int PositionCount(JointKind k) {
  switch (k) {
    case JointKind::kFixed: return 0;
    case JointKind::kFloating: return 7;
    case JointKind::kSpherical: return 4;
    case JointKind::kPlanar: return 3;
    default: return 1;
  }
}
constexpr int VelocityCount(JointKind k) {
  switch (k) {
    case JointKind::kFixed: return 0;
    case JointKind::kFloating: return 6;
    case JointKind::kSpherical: return 3;
    case JointKind::kPlanar: return 3;
    default: return 1;
  }
}

// Absent means unknown: never a silent infinity or one.
struct Limits {
  std::optional<double> lower, upper;   // [rad] or [m]
  std::optional<double> velocity;       // [rad/s] or [m/s]
  std::optional<double> acceleration;   // [rad/s^2] or [m/s^2]
  std::optional<double> jerk;           // [rad/s^3] or [m/s^3]
  std::optional<double> effort;         // [Nm] or [N], at the joint
};

// Opposes motion, joint side. At rest it is zero.
//   tau_f = viscous v + (level(v)) s(v),   level(v) = coulomb + (breakaway - coulomb) exp(-(v / stribeck_velocity)^2)
// with coulomb per direction; s(v) is sign(v), or tanh(v / smoothing_velocity) where that is positive.
struct Friction {
  double viscous = 0;              // [Nm s/rad] or [N s/m]
  double coulomb_positive = 0;     // [Nm] or [N], magnitude while v > 0
  double coulomb_negative = 0;     // [Nm] or [N], magnitude while v < 0
  double breakaway = 0;            // [Nm] or [N], static level; used only where stribeck_velocity > 0
  double stribeck_velocity = 0;    // [rad/s] or [m/s]; 0: no Stribeck effect
  double smoothing_velocity = 0;   // [rad/s] or [m/s]; 0: sign function
};

// One independent joint variable, or the group of a floating, spherical or planar joint.
struct Coordinate {
  std::string name;        // the owning joint's name unless the description says otherwise
  JointKind kind = JointKind::kRevolute;
  int q_index = 0;         // first position in q
  int v_index = 0;         // first entry in v, a, tau
  Limits limits;           // of a one-degree coordinate
  Friction friction;       // of a one-degree coordinate (or each rate of a group)
};

struct CouplingTerm {
  int coordinate = 0;   // index into Model::coordinates
  double factor = 1;
};

struct Link {
  std::string name;
  std::optional<MassProperties> inertia;  // nullopt: unknown
  int line = 0;                           // in the source; 0: not known
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::kFixed;
  int parent_link = 0;
  int child_link = 0;
  Eigen::Isometry3d X_PJ = Eigen::Isometry3d::Identity();  // joint frame at q = 0 in the parent link
  // Child link's frame in the joint frame, moving with it. Identity except for standard Denavit-Hartenberg rows, whose
  // link frame stands at the far end of the link (Tx(a) Rx(alpha)), off the joint's axis.
  Eigen::Isometry3d X_JL = Eigen::Isometry3d::Identity();
  // Unit, joint frame. Planar: the plane's normal; its x and y are then, for a normal along +x: y, z; +y: z, x; +z: x, y;
  // otherwise where the shortest turn of z onto the normal takes x and y. A negative normal (crooked: z < 0) has its
  // opposite's axes with the second turned around.
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  std::vector<CouplingTerm> coupling;  // one-degree joints: q_joint = sum factor p + offset. Others: one term, factor 1
  double offset = 0;
  bool is_mimic = false;
  int line = 0;
};

// A spinning rotor beyond what the links' inertias hold: its rate relative to the carrier is w = sum ratio_k v_k.
// Kinetic energy added: 1/2 J w^2 + J w (axis . omega_carrier)   (gyroscopic coupling; carrier = none: only the first).
// The rotor as a rigid lump (its mass, and J about the axis turning with the carrier) belongs in the carrier's inertia.
struct Rotor {
  std::string name;
  double inertia = 0;                                  // J about the spin axis [kg m^2]
  int carrier_link = -1;                               // -1: no gyroscopic coupling
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();     // unit, carrier link frame
  std::vector<std::pair<int, double>> ratio;           // (entry of v, motor rad per rad or per m)
};

// Conservative spring between two anchor points: energy 1/2 stiffness (|b - a| - free_length)^2.
struct PointSpring {
  std::string name;
  int link_a = 0, link_b = 0;
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();   // [m], in link_a
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();   // [m], in link_b
  double stiffness = 0;                                // [N/m]
  double free_length = 0;                              // [m]
};

// Spring at a one-degree coordinate: tau_spring = stiffness (p - rest), to be held by the drive.
struct CoordinateSpring {
  int coordinate = 0;
  double stiffness = 0;   // [Nm/rad] or [N/m]
  double rest = 0;        // [rad] or [m]
};

struct Frame {
  std::string name;
  int link = 0;
  Eigen::Isometry3d X_LF = Eigen::Isometry3d::Identity();
};

struct Drive {  // what lies between motor and coordinate; for reports at the motor and for sizing
  std::string name;
  double gear_ratio = 1;       // motor turns per coordinate turn (signed), or rad per metre
  double efficiency = 1;       // (0, 1]
  std::optional<double> motor_torque, motor_speed;  // [Nm], [rad/s] limits at the motor
  // At the motor [Nm, rad/s], directions as the coordinate's. The coordinate's friction holds it already, reflected.
  Friction motor_friction;
};

struct Model {
  std::string name;
  std::vector<Link> links;       // links[0] is the root link
  std::vector<Joint> joints;     // document order
  std::vector<Coordinate> coordinates;
  std::vector<Rotor> rotors;
  std::vector<PointSpring> point_springs;
  std::vector<CoordinateSpring> coordinate_springs;
  std::vector<Drive> drives;     // empty, or one per entry of v
  Eigen::MatrixXd actuator_matrix;  // empty, or T (nv x nv): motor-side coordinate rates = T v; tau_v = T^T tau_motor
  std::vector<Frame> frames;     // besides the links, whose names are frames too
  std::string tool_frame;        // a link or frame name
  Eigen::Isometry3d X_WR = Eigen::Isometry3d::Identity();    // mounting: root link in the world
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.81);    // [m/s^2], world axes
  int nq = 0, nv = 0;

  int FindLink(const std::string& link_name) const {
    for (size_t i = 0; i < links.size(); ++i)
      if (links[i].name == link_name) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace torqued
