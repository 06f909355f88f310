// How is a robot in our YAML read? The format is described in README.md.
//
// yaml_robot.cc reads the robot as a whole, yaml_links.cc its links, joints and Denavit-Hartenberg rows, yaml_drives.cc
// what moves and brakes it: drives, rotors, friction, springs, actuator matrix.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/robots/assemble.h"
#include "server/robots/yaml_block.h"

namespace torqued::robots {

struct YamlRobot {
  Model model;
  std::string description;
  std::map<std::string, std::string> labels;
};

// REQUIRES: CheckText(source) is OK.
YamlRobot ReadYamlRobot(std::string_view source, const LoadOptions& options, Report& report);

namespace yaml {  // between the three files

using Estimates = std::vector<std::string>;

// links:, joints:, coordinates:
void ReadLinksAndJoints(Block& robot, Draft& draft, Estimates& estimates);
// dh: rows, base and tool. Returns the tool frame of the table, if it has one.
std::optional<std::pair<std::string, Frame>> ReadDhTable(Block& robot, Draft& draft, Estimates& estimates);
Limits ReadLimits(Block& owner, JointKind kind, Estimates& estimates);
Friction ReadFriction(Block& owner, const std::string& key, JointKind kind, Estimates& estimates);
// Mass, centre of mass, inertia; absent: unknown. `mass_kg: 0` alone: nothing there.
std::optional<MassProperties> ReadMass(Block& block, Estimates& estimates);
Eigen::Matrix3d ReadInertia(Block& tensor, Estimates& estimates);

// drives:, rotors:, springs:, actuator_matrix: of a tree that stands.
void ReadDrives(Block& robot, Model& model, Estimates& estimates);
void ReadRotors(Block& robot, Model& model, Estimates& estimates);
void ReadSprings(Block& robot, Model& model, Estimates& estimates);
void ReadActuatorMatrix(Block& robot, Model& model);

// Index of a named link or coordinate; an unknown name is an error and -1.
int NeedLink(Block& block, const std::string& key, const std::string& name, const Model& model);
int NeedCoordinate(Block& block, const std::string& key, const std::string& name, const Model& model);

}  // namespace yaml
}  // namespace torqued::robots
