// Which inverse kinematics has a robot? The closed form's name, or "numeric".
#pragma once

#include <string>

#include "server/core/tree/prepared.h"

namespace torqued {

// "2R", "3R", "RP", "SCARA", "spherical-wrist", "UR", "numeric": of the tool frame.
std::string InverseKinematicsMethod(const Prepared& prepared);

}  // namespace torqued
