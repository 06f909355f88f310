#include "server/robots/urdf_transmission.h"

#include <tinyxml2.h>

#include <cmath>

#include "server/robots/number.h"
#include "server/robots/xml.h"

namespace torqued::robots {
namespace {

using tinyxml2::XMLElement;

// Number of the first of `names` found below any of `places`.
std::optional<double> Find(std::initializer_list<const XMLElement*> places, std::initializer_list<const char*> names,
                           const XmlPlace& at) {
  for (const XMLElement* place : places) {
    if (place == nullptr) continue;
    for (const char* name : names) {
      const XMLElement* e = place->FirstChildElement(name);
      if (e == nullptr) continue;
      if (e->Attribute("value")) return XmlNumber(*e, "value", at);
      const absl::StatusOr<double> value = ParseNumber(e->GetText() ? e->GetText() : "");
      if (value.ok()) return *value;
      const absl::string_view why = value.status().message();
      at.report.Fail(e->GetLineNum(), at.element,
                     std::string("<") + name + ">: " + std::string(why.data(), why.size()));
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

void ReadTransmissions(const XMLElement& robot, Model& model, Report& report) {
  std::vector<Drive> drives(model.nv);
  for (const Coordinate& c : model.coordinates)
    for (int k = 0; k < VelocityCount(c.kind); ++k) drives[c.v_index + k].name = c.name;
  std::vector<bool> driven(model.nv, false);
  for (const XMLElement* t = robot.FirstChildElement("transmission"); t && !report.failed();
       t = t->NextSiblingElement("transmission")) {
    const XmlPlace at{report, Element("transmission", t->Attribute("name") ? t->Attribute("name") : "")};
    const XMLElement* joint_element = t->FirstChildElement("joint");
    const XMLElement* actuator = t->FirstChildElement("actuator");
    const auto ignore = [&](const std::string& why) {
      report.Add(finding::kTransmissionIgnored, Severity::kWarning, at.element, t->GetLineNum(), why + ": ignored");
    };
    if (joint_element == nullptr || joint_element->Attribute("name") == nullptr) {
      ignore("names no joint");
      continue;
    }
    if (joint_element->NextSiblingElement("joint")) {
      ignore("drives several joints");
      continue;
    }
    const std::string joint_name = joint_element->Attribute("name");
    const Joint* joint = nullptr;
    for (const Joint& j : model.joints)
      if (j.name == joint_name) joint = &j;
    if (joint == nullptr) {
      report.Fail(t->GetLineNum(), at.element, "joint " + Quoted(joint_name) + " does not exist");
      return;
    }
    const std::optional<double> reduction =
        Find({actuator, joint_element, t}, {"mechanicalReduction", "drake:gear_ratio"}, at);
    const std::optional<double> inertia =
        Find({actuator, joint_element, t}, {"rotorInertia", "motorInertia", "drake:rotor_inertia"}, at);
    if (joint->coupling.size() != 1 || VelocityCount(joint->kind) != 1) {
      if (reduction || inertia) ignore("joint " + Quoted(joint_name) + " has not one degree of freedom of its own");
      continue;
    }
    if (!reduction && !inertia) continue;
    const double gear = reduction.value_or(1);
    if (gear == 0) {
      report.Fail(t->GetLineNum(), at.element, "the reduction is 0, want motor turns per joint turn");
      return;
    }
    if (inertia.value_or(0) < 0) {
      report.Fail(t->GetLineNum(), at.element, "the rotor inertia is negative: " + FormatNumber(*inertia));
      return;
    }
    const std::string motor = actuator && actuator->Attribute("name") ? actuator->Attribute("name") : joint_name;
    const Coordinate& c = model.coordinates[joint->coupling[0].coordinate];
    const double ratio = gear * joint->coupling[0].factor;
    if (!joint->is_mimic) {
      if (driven[c.v_index]) {
        ignore("joint " + Quoted(joint_name) + " has a transmission already");
        continue;
      }
      driven[c.v_index] = true;
      drives[c.v_index].name = motor;
      drives[c.v_index].gear_ratio = gear;
    }
    if (inertia.value_or(0) > 0) {
      Rotor rotor;
      rotor.name = motor;
      rotor.inertia = *inertia;
      rotor.ratio = {{c.v_index, ratio}};
      model.rotors.push_back(rotor);
      report.Add(finding::kRotorReflectedOnly, Severity::kInfo, at.element, t->GetLineNum(),
                 "the format gives the rotor no place: its reflected inertia counts, its gyroscopic moment does not",
                 FormatNumber(*inertia * ratio * ratio));
    }
  }
  for (int v = 0; v < model.nv; ++v)
    if (driven[v]) model.drives = drives;
}

}  // namespace torqued::robots
