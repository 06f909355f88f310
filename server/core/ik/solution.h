// What does inverse kinematics answer? Every branch by name, what is not reached, and where a continuum of answers lies.
//
// Branch names, the same for every arm, independent of the signs of its axes:
//   shoulder right: the arm reaches the target the way it stands at joint zero (forward); left: the first joint turned
//                   half a turn and the arm reaching backward over the shoulder.
//   elbow up:       seen with the reaching direction to the right and the first axis up, the elbow lies above the line
//                   from shoulder to wrist; down: below. Planar arms: the elbow lies to the left (up) or right (down)
//                   of the line from the base to the hand, seen against the first axis.
//   wrist no-flip:  joint five lies within half a turn above the angle where axes four and six are in line; flip: the
//                   same hand orientation with joint five on the other side.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torqued {

enum class IkClass {
  kPlanar2R,        // two parallel revolute joints: position in their plane
  kPolarRP,         // revolute, then a slide across its axis: position in the plane
  kPlanar3R,        // three parallel revolute joints: position in the plane and turn
  kScara,           // two or three parallel revolute joints and a slide along them
  kSphericalWrist,  // first axis across the second, second parallel to third, last three meet in a point
  kUr,              // second, third, fourth parallel and across the first; fifth meets sixth
  kNumeric,         // everything else
};

inline const char* Name(IkClass c) {
  switch (c) {
    case IkClass::kPlanar2R: return "planar-2r";
    case IkClass::kPolarRP: return "polar-rp";
    case IkClass::kPlanar3R: return "planar-3r";
    case IkClass::kScara: return "scara";
    case IkClass::kSphericalWrist: return "spherical-wrist";
    case IkClass::kUr: return "ur";
    case IkClass::kNumeric: return "numeric";
  }
  return "";
}

enum class Shoulder : std::uint8_t { kNone, kRight, kLeft };
enum class Elbow : std::uint8_t { kNone, kUp, kDown };
enum class Wrist : std::uint8_t { kNone, kNoFlip, kFlip };

struct Branch {
  Shoulder shoulder = Shoulder::kNone;
  Elbow elbow = Elbow::kNone;
  Wrist wrist = Wrist::kNone;

  bool operator==(const Branch&) const = default;
};

// "right up no-flip"; empty for an arm without branches.
inline std::string Name(const Branch& b) {
  std::string out;
  const auto add = [&out](const char* word) {
    if (!out.empty()) out += ' ';
    out += word;
  };
  if (b.shoulder != Shoulder::kNone) add(b.shoulder == Shoulder::kRight ? "right" : "left");
  if (b.elbow != Elbow::kNone) add(b.elbow == Elbow::kUp ? "up" : "down");
  if (b.wrist != Wrist::kNone) add(b.wrist == Wrist::kNoFlip ? "no-flip" : "flip");
  return out;
}

// Where a branch meets another, or one joint may be chosen freely.
struct Degenerate {
  bool shoulder = false;  // target on the first axis: joint one is free (taken from the seed), or right = left
  bool elbow = false;     // stretched out or folded back: up = down
  bool wrist = false;     // axes in line: only a sum of two joints is fixed, the earlier one is taken from the seed

  bool any() const { return shoulder || elbow || wrist; }
};

// Which rows of the pose error (vx vy vz wx wy wz) count, in world axes or in those of the wanted frame: there the first five
// place the tool's point and its z axis and leave the turn about it free.
struct IkTask {
  std::array<bool, 6> on{true, true, true, true, true, true};
  bool in_target_axes = false;

  static IkTask Pose() { return {}; }
  static IkTask Position() { return {{true, true, true, false, false, false}}; }
  static IkTask Rotation() { return {{false, false, false, true, true, true}}; }
  int rows() const { return static_cast<int>(std::count(on.begin(), on.end(), true)); }
  bool whole() const { return rows() == 6; }
  bool has_position() const { return on[0] && on[1] && on[2]; }
  bool has_rotation() const { return on[3] && on[4] && on[5]; }
  bool turns() const { return on[3] || on[4] || on[5]; }
  bool operator==(const IkTask&) const = default;
};

struct IkSolution {
  Eigen::VectorXd q;          // [nq], model order; joints off the chain keep the seed's values
  Branch branch;
  Degenerate degenerate;
  double position_error = 0;  // [m], by forward kinematics
  double rotation_error = 0;  // [rad], by forward kinematics
  Eigen::Matrix<double, 6, 1> task_error = Eigen::Matrix<double, 6, 1>::Zero();  // in the task's axes; zero where a row is free
  bool reached = false;       // the errors that the task counts are within tolerance
  std::vector<int> outside_limits;  // entries of q beyond their limits
};

struct IkOptions {
  IkTask task;
  Eigen::VectorXd seed;          // [nq]; empty: neutral. Turns are chosen nearest to it, free joints are taken from it
  Eigen::VectorXd lower, upper;  // [nq], empty or infinite: no limit
  bool drop_outside_limits = false;
  double position_tolerance = 1e-8;  // [m]
  double rotation_tolerance = 1e-8;  // [rad]
  int restarts = 20;                 // numeric only, after the seed
  int iterations = 200;              // per start
  std::uint64_t random_seed = 1;
};

struct IkAnswer {
  IkClass arm = IkClass::kNumeric;
  IkTask task;                        // may be narrower than asked: a planar 2R arm has no say in its hand's turn
  std::vector<IkSolution> solutions;  // reached ones; if there are none, the nearest that was found
  bool reached = false;
  std::string note;                   // what is free or missing, in words; empty if nothing is
};

}  // namespace torqued
