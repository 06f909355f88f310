// What does a URDF say about motors? Reduction and rotor inertia of each <transmission>, folded into its joint.
//
// Read are, in <actuator>, <joint> or the transmission itself, as text or as value="...":
//   reduction      <mechanicalReduction> (ROS), <drake:gear_ratio>
//   rotor inertia  <rotorInertia>, <motorInertia>, <drake:rotor_inertia>      [kg m^2], at the motor
// The format gives a rotor no place and no axis, so only the reflected inertia J G^2 counts (no gyroscopic coupling).
#pragma once

#include "server/core/tree/model.h"
#include "server/robots/report.h"

namespace tinyxml2 {
class XMLElement;
}

namespace torqued::robots {

void ReadTransmissions(const tinyxml2::XMLElement& robot, Model& model, Report& report);

}  // namespace torqued::robots
