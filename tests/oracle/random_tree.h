// A robot nobody would draw: random trees of all joint kinds, and random states for any model. Same seed, same robot.
#pragma once

#include <cstdint>
#include <random>

#include "server/core/tree/model.h"

namespace torqued::oracle {

struct TreeOptions {
  int max_joints = 12;
  bool quaternion_joints = true;  // floating, spherical
  bool planar_joints = true;
  bool couplings = false;
  bool rotors = false;            // with carriers, on one or two coordinates
  bool springs = false;
  bool friction = false;
};

// Options that vary with the seed: every feature on in some seeds and off in others, up to `max_joints`.
TreeOptions VariedOptions(std::uint64_t seed, int max_joints);

// Inertias are physical (sums of point masses), couplings have full rank: M is positive definite.
Model RandomTree(std::uint64_t seed, const TreeOptions& options);

struct State {
  Eigen::VectorXd q, v, a;
};
// Quaternions are unit; positions within (-pi, pi) or (-1, 1) m; rates and accelerations of order one.
State RandomState(const Model& model, std::mt19937_64& random);

}  // namespace torqued::oracle
