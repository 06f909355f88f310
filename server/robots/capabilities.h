// What may be asked of a model, and if something may not, because of which links or joints?
#pragma once

#include <string>
#include <vector>

#include "server/core/tree/model.h"

namespace torqued {

// Kinematics and J^T F can always be asked.
struct Capabilities {
  bool dynamics = true;          // gravity, inverse dynamics: every moving link's inertia is known
  bool forward_dynamics = true;  // and no joint moves nothing (the mass matrix is not structurally singular)
  std::vector<std::string> unknown_inertias;  // moving links
  std::vector<std::string> massless_joints;   // joints that move no inertia
  bool floating_base = false;
  bool coupled = false;          // a joint is driven by another's coordinate, or by several
  bool has_rotors = false, has_friction = false, has_springs = false;
  std::string inverse_kinematics;  // closed form, filled by whoever knows them; empty: numeric
};

Capabilities FindCapabilities(const Model& model);

// Per link: does a moving joint lie between it and the world?
std::vector<bool> MovingLinks(const Model& model);

}  // namespace torqued
