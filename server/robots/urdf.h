// How is a URDF read? ROS wiki "urdf/XML", what urdfdom accepts, and these decisions:
//   - joints and coordinates in document order; parents and children by name, in any order
//   - an axis is normalised; shorter than 1e-8 refused on a moving joint, ignored on a fixed one; default 1 0 0
//   - <inertial> rpy turns the tensor: I_link = R I R^T, about the centre of mass
//   - no <inertial>: mass 0 and a finding; no moving link with mass: every moving link's inertia is unknown
//   - <limit> attributes that are absent are unknown; effort or velocity 0 is a finding and unknown
//   - <dynamics damping friction> is viscous and Coulomb friction of the coordinate
//   - <mimic> takes the joint's degree of freedom away; chains are followed
//   - <transmission> (urdf_transmission.h): reduction and rotor inertia
//   - joint types "spherical" and "ball" are read besides the six of the standard
#pragma once

#include <string_view>

#include "server/robots/load.h"
#include "server/robots/report.h"

namespace torqued::robots {

// REQUIRES: CheckText(source) is OK.
Model ReadUrdf(std::string_view source, const LoadOptions& options, Report& report);

}  // namespace torqued::robots
