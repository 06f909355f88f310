#include <cmath>

#include "server/robots/audit.h"
#include "server/robots/number.h"
#include "server/robots/placement.h"
#include "server/robots/text.h"
#include "server/robots/yaml_robot.h"

namespace torqued::robots::yaml {
namespace {

std::vector<std::string> CoordinateNames(const Model& model) {
  std::vector<std::string> out;
  for (const Coordinate& c : model.coordinates) out.push_back(c.name);
  return out;
}

Eigen::Vector3d UnitAxis(Block& block) {
  const Eigen::Vector3d axis = block.Vector("axis").value_or(Eigen::Vector3d::UnitZ());
  if (!(axis.stableNorm() >= 1e-8)) {
    block.Fail("axis", "want a direction (length at least 1e-8)");
    return Eigen::Vector3d::UnitZ();
  }
  return Normalised(axis);
}

// ratio: {coordinate: motor rad per rad or per m}
std::vector<std::pair<int, double>> ReadRatio(Block& block, const Model& model) {
  std::vector<std::pair<int, double>> out;
  const YamlNode* node = block.Find("ratio");
  if (node == nullptr) return out;
  Block terms(*node, block.element() + ": ratio", block.report());
  for (const std::string& name : node->keys) {
    const double ratio = terms.Number(name).value_or(0);
    const int c = NeedCoordinate(block, "ratio", name, model);
    if (c < 0) return out;
    out.emplace_back(model.coordinates[c].v_index, ratio);
  }
  return out;
}

// Adds the rotor as a rigid lump to its carrier's inertia.
void AddLump(Block& block, Link& carrier, double mass, const Eigen::Vector3d& com, const Eigen::Matrix3d& I) {
  if (!carrier.inertia) {
    block.Fail("contained_in_link", "link " + Quoted(carrier.name) + " has no known inertia that the rotor could be added to");
    return;
  }
  const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
  carrier.inertia = ToMassProperties(ToBodyInertia(*carrier.inertia, here) + ToBodyInertia({mass, com, I}, here));
}

// The spinning part. `ratio`: what the drive implies, where the block gives none.
void ReadRotor(Block& b, const std::string& name, std::vector<std::pair<int, double>> ratio, Model& model,
               Estimates& estimates) {
  Rotor rotor;
  rotor.name = name;
  const std::optional<double> inertia = b.Number("inertia_kg_m2");
  if (!inertia) b.Missing("inertia_kg_m2");
  rotor.inertia = inertia.value_or(0);
  if (rotor.inertia < 0) b.Fail("inertia_kg_m2", FormatNumber(rotor.inertia) + " is negative");
  rotor.axis = UnitAxis(b);
  const std::optional<std::string> carrier = b.Text("carrier");
  const int carrier_link = carrier ? NeedLink(b, "carrier", *carrier, model) : -1;
  const bool gyroscopic = b.Flag("gyroscopic").value_or(carrier.has_value());
  if (gyroscopic && !carrier) b.Fail("gyroscopic", "needs a carrier: the link that the motor sits on");
  if (gyroscopic) rotor.carrier_link = carrier_link;
  const std::optional<double> mass = b.Number("mass_kg");
  const std::optional<Eigen::Vector3d> com = b.Vector("com_m");
  const double transverse = b.Number("transverse_inertia_kg_m2").value_or(0);
  const std::optional<bool> contained = b.Flag("contained_in_link");
  if (mass && !contained) b.Missing("contained_in_link", ": say whether the carrier's mass_kg holds the motor already");
  const std::vector<std::pair<int, double>> given = ReadRatio(b, model);
  rotor.ratio = given.empty() ? std::move(ratio) : given;
  b.Done(&estimates);
  if (b.report().failed()) return;
  if (contained.has_value() && !*contained) {
    if (!carrier) return b.Fail("contained_in_link", "needs a carrier: the link that the motor sits on");
    if (mass && !com) return b.Missing("com_m", ": where the motor sits on its carrier");
    const Eigen::Matrix3d ee = rotor.axis * rotor.axis.transpose();
    AddLump(b, model.links[carrier_link], mass.value_or(0), com.value_or(Eigen::Vector3d::Zero()),
            rotor.inertia * ee + transverse * (Eigen::Matrix3d::Identity() - ee));
  }
  if (rotor.inertia > 0) model.rotors.push_back(rotor);
}

// Motor-side friction, reflected: joint torque = |G| (B |G| v + Tc).
void AddMotorFriction(Block& drive, double gear, Friction& at_motor, Coordinate& c, Estimates& estimates) {
  const bool contained = drive.Flag("motor_friction_contained").value_or(false);
  if (!drive.Has("motor_friction")) {
    if (contained) drive.Fail("motor_friction_contained", "needs motor_friction");
    return;
  }
  const Friction f = at_motor = ReadFriction(drive, "motor_friction", JointKind::kRevolute, estimates);
  if (contained) return;
  const double g = std::abs(gear);
  Friction& to = c.friction;
  const bool joint_side = to.viscous != 0 || to.coulomb_positive != 0 || to.coulomb_negative != 0;
  if (to.stribeck_velocity > 0 || to.smoothing_velocity > 0 || (joint_side && (f.stribeck_velocity > 0 || f.smoothing_velocity > 0)))
    return drive.Fail("motor_friction", "cannot be added to the friction that coordinate " + Quoted(c.name) + " has already");
  to.viscous += g * g * f.viscous;
  to.coulomb_positive += g * f.coulomb_positive;
  to.coulomb_negative += g * f.coulomb_negative;
  to.breakaway += g * f.breakaway;
  to.stribeck_velocity = f.stribeck_velocity / g;
  to.smoothing_velocity = f.smoothing_velocity / g;
}

}  // namespace

int NeedLink(Block& block, const std::string& key, const std::string& name, const Model& model) {
  const int link = model.FindLink(name);
  if (link >= 0) return link;
  std::vector<std::string> names;
  for (const Link& l : model.links) names.push_back(l.name);
  block.Fail(key, "link " + Quoted(name) + " does not exist" + Suggest(name, names));
  return -1;
}

int NeedCoordinate(Block& block, const std::string& key, const std::string& name, const Model& model) {
  for (size_t c = 0; c < model.coordinates.size(); ++c) {
    if (model.coordinates[c].name != name) continue;
    if (VelocityCount(model.coordinates[c].kind) == 1) return static_cast<int>(c);
    block.Fail(key, "coordinate " + Quoted(name) + " has not one degree of freedom");
    return -1;
  }
  block.Fail(key, "coordinate " + Quoted(name) + " does not exist" + Suggest(name, CoordinateNames(model)));
  return -1;
}

void ReadActuatorMatrix(Block& robot, Model& model) {
  const YamlNode* rows = robot.Find("actuator_matrix");
  if (rows == nullptr) return;
  std::vector<int> entries;  // of v: the one-degree coordinates; groups keep the identity
  for (const Coordinate& c : model.coordinates)
    if (VelocityCount(c.kind) == 1) entries.push_back(c.v_index);
  const size_t n = entries.size();
  const std::string want = "want " + std::to_string(n) + " rows of " + std::to_string(n) + " numbers, one per coordinate";
  if (rows->kind != YamlNode::Kind::kSequence || rows->items.size() != n) return robot.Fail("actuator_matrix", want);
  Eigen::MatrixXd T = Eigen::MatrixXd::Identity(model.nv, model.nv);
  for (size_t i = 0; i < n; ++i) {
    const YamlNode& row = rows->items[i];
    if (row.kind != YamlNode::Kind::kSequence || row.items.size() != n) return robot.Fail("actuator_matrix", want);
    for (size_t j = 0; j < n; ++j) {
      const absl::StatusOr<double> v = ParseNumber(row.items[j].text);
      if (!v.ok()) return robot.Fail("actuator_matrix", Quoted(row.items[j].text) + " is not a number");
      T(entries[i], entries[j]) = *v;
    }
  }
  if (!Invertible(T)) return robot.Fail("actuator_matrix", "is singular: the motors could not move every coordinate");
  model.actuator_matrix = T;
}

void ReadDrives(Block& robot, Model& model, Estimates& estimates) {
  const std::vector<const YamlNode*> nodes = robot.List("drives");
  if (nodes.empty()) return;
  Report& report = robot.report();
  model.drives.assign(model.nv, Drive{});
  for (const Coordinate& c : model.coordinates)
    for (int k = 0; k < VelocityCount(c.kind); ++k) model.drives[c.v_index + k].name = c.name;
  std::vector<bool> seen(model.nv, false);
  for (const YamlNode* node : nodes) {
    Block unnamed(*node, "drive", report);
    const std::string coordinate = unnamed.RequiredText("coordinate");
    Block b(*node, "drive of " + Quoted(coordinate), report);
    b.Find("coordinate");
    const int index = report.failed() ? -1 : NeedCoordinate(b, "coordinate", coordinate, model);
    if (index < 0) return;
    Coordinate& c = model.coordinates[index];
    if (seen[c.v_index]) return b.Fail("coordinate", "has a drive already");
    seen[c.v_index] = true;
    Drive& drive = model.drives[c.v_index];
    drive.name = b.Text("name").value_or(coordinate);
    double gear = b.Number("gear_ratio").value_or(1);
    if (const std::optional<double> lead = b.Number("lead_m")) {
      if (c.kind != JointKind::kPrismatic || *lead == 0) return b.Fail("lead_m", "want metres per turn of a prismatic joint's screw, not 0");
      gear *= 2 * M_PI / *lead;
    }
    if (const std::optional<double> factor = b.Number("rad_per_m")) {
      if (c.kind != JointKind::kPrismatic) return b.Fail("rad_per_m", "is for prismatic joints");
      gear *= *factor;
    }
    if (gear == 0) return b.Fail("gear_ratio", "is 0, want motor turns per joint turn");
    drive.gear_ratio = gear;
    drive.efficiency = b.Number("efficiency").value_or(1);
    if (!(drive.efficiency > 0 && drive.efficiency <= 1)) b.Fail("efficiency", FormatNumber(drive.efficiency) + ", want more than 0, at most 1");
    drive.motor_torque = b.Number("motor_torque_Nm");
    drive.motor_speed = b.Number("motor_speed_rad_s");
    for (const auto& [key, value] : {std::pair("motor_torque_Nm", drive.motor_torque), std::pair("motor_speed_rad_s", drive.motor_speed)})
      if (value && *value <= 0) b.Fail(key, FormatNumber(*value) + ", want a positive number");
    AddMotorFriction(b, gear, drive.motor_friction, c, estimates);
    if (std::optional<Block> rotor = b.Sub("rotor")) {
      std::vector<std::pair<int, double>> ratio = {{c.v_index, gear}};
      if (model.actuator_matrix.size() > 0) {
        ratio.clear();
        for (int v = 0; v < model.nv; ++v)
          if (model.actuator_matrix(c.v_index, v) != 0) ratio.emplace_back(v, gear * model.actuator_matrix(c.v_index, v));
      }
      ReadRotor(*rotor, drive.name, ratio, model, estimates);
    }
    b.Done(&estimates);
    if (report.failed()) return;
  }
}

void ReadRotors(Block& robot, Model& model, Estimates& estimates) {
  for (const YamlNode* node : robot.List("rotors")) {
    Block unnamed(*node, "rotor", robot.report());
    const std::string name = unnamed.RequiredText("name");
    Block b(*node, Element("rotor", name), robot.report());
    b.Find("name");
    if (!b.Has("ratio")) b.Missing("ratio", ": {coordinate: motor rad per rad or per m}");
    ReadRotor(b, name, {}, model, estimates);
    if (robot.report().failed()) return;
  }
}

void ReadSprings(Block& robot, Model& model, Estimates& estimates) {
  Report& report = robot.report();
  for (const YamlNode* node : robot.List("springs")) {
    Block unnamed(*node, "spring", report);
    const std::string name = unnamed.Text("name").value_or("");
    Block b(*node, Element("spring", name), report);
    b.Find("name");
    const auto positive = [&](const std::string& key) {
      const std::optional<double> v = b.Number(key);
      if (!v) b.Missing(key);
      else if (*v < 0) b.Fail(key, FormatNumber(*v) + " is negative");
      return v.value_or(0);
    };
    if (const std::optional<std::string> coordinate = b.Text("coordinate")) {
      const int c = NeedCoordinate(b, "coordinate", *coordinate, model);
      if (c < 0) return;
      const bool linear = model.coordinates[c].kind == JointKind::kPrismatic;
      CoordinateSpring spring;
      spring.coordinate = c;
      spring.stiffness = positive(linear ? "stiffness_N_m" : "stiffness_Nm_rad");
      spring.rest = b.Quantity("rest", linear ? Dimension::kLength : Dimension::kAngle).value_or(0);
      model.coordinate_springs.push_back(spring);
    } else {
      PointSpring spring;
      spring.name = name;
      for (const bool first : {true, false}) {
        const char* key = first ? "a" : "b";
        std::optional<Block> end = b.Sub(key);
        if (!end) return b.Missing(key, ": {link: ..., point_m: [x, y, z]} (or give a coordinate)");
        const int link = NeedLink(*end, "link", end->RequiredText("link"), model);
        const std::optional<Eigen::Vector3d> point = end->Vector("point_m");
        if (!point) end->Missing("point_m");
        end->Done(&estimates);
        (first ? spring.link_a : spring.link_b) = link;
        (first ? spring.point_a : spring.point_b) = point.value_or(Eigen::Vector3d::Zero());
      }
      spring.stiffness = positive("stiffness_N_m");
      spring.free_length = positive("free_length_m");
      model.point_springs.push_back(spring);
    }
    b.Done(&estimates);
    if (report.failed()) return;
  }
}

}  // namespace torqued::robots::yaml
