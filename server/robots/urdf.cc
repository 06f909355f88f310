#include "server/robots/urdf.h"

#include <cmath>
#include <cstring>

#include "server/robots/assemble.h"
#include "server/robots/number.h"
#include "server/robots/placement.h"
#include "server/robots/text.h"
#include "server/robots/urdf_transmission.h"
#include "server/robots/xml.h"

namespace torqued::robots {
namespace {

using tinyxml2::XMLElement;

bool OneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  for (std::string_view n : names)
    if (name == n) return true;
  return false;
}

// Elements that carry no dynamics, and prefixed ones (drake:..., gz:...).
void NoteUnknown(const XMLElement& parent, std::initializer_list<std::string_view> known, const XmlPlace& at) {
  for (const XMLElement* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string_view name = e->Name();
    if (OneOf(name, known) || name.find(':') != std::string_view::npos) continue;
    const std::vector<std::string> candidates(known.begin(), known.end());
    at.report.Add(finding::kUnknownElement, Severity::kWarning, at.element, e->GetLineNum(),
                  "<" + std::string(name) + "> is not known here and was ignored" +
                      Suggest(std::string(name), candidates),
                  std::string(name));
  }
}

Eigen::Isometry3d ReadOrigin(const XMLElement& parent, const XmlPlace& at) {
  const XMLElement* origin = XmlChild(parent, "origin", at);
  if (origin == nullptr) return Eigen::Isometry3d::Identity();
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const Eigen::Vector3d xyz = XmlTriple(*origin, "xyz", zero, at);
  return Placement(RotationFromRpy(XmlTriple(*origin, "rpy", zero, at)), xyz);
}

Link ReadLink(const XMLElement& e, Report& report) {
  Link link;
  link.line = e.GetLineNum();
  link.name = XmlRequiredText(e, "name", {report, "link"});
  const XmlPlace at{report, Element("link", link.name)};
  NoteUnknown(e, {"inertial", "visual", "collision", "contact", "self_collision_checking", "sensor", "type"}, at);
  MassProperties mp;
  if (const XMLElement* inertial = XmlChild(e, "inertial", at)) {
    const Eigen::Isometry3d X_LI = ReadOrigin(*inertial, at);
    const XMLElement* mass = XmlChild(*inertial, "mass", at);
    const XMLElement* tensor = XmlChild(*inertial, "inertia", at);
    if (mass == nullptr) report.Fail(inertial->GetLineNum(), at.element, "<inertial> has no <mass>");
    if (tensor == nullptr) report.Fail(inertial->GetLineNum(), at.element, "<inertial> has no <inertia>");
    if (report.failed()) return link;
    mp.mass = XmlRequiredNumber(*mass, "value", at);
    mp.com = X_LI.translation();
    const auto entry = [&](const char* name) { return XmlRequiredNumber(*tensor, name, at); };
    const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"), yz = entry("iyz"),
                 zz = entry("izz");
    Eigen::Matrix3d I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Eigen::Matrix3d R = X_LI.linear();
    if (R != Eigen::Matrix3d::Identity()) {
      I = R * I * R.transpose();
      I = (0.5 * (I + I.transpose())).eval();
      report.Add(finding::kReaderInertialRotation, Severity::kInfo, at.element, inertial->GetLineNum(),
                 "the inertia's axes are turned against the link's (rpy): turned here; RBDL refuses such a file, "
                 "some readers drop the rotation");
    }
    mp.inertia_about_com = I;
  } else {
    report.Add(finding::kInertialMissing, Severity::kInfo, at.element, link.line,
               "has no <inertial>: mass 0");
  }
  link.inertia = mp;
  return link;
}

JointKind ReadKind(const XMLElement& e, const XmlPlace& at) {
  const std::string type = XmlRequiredText(e, "type", at);
  constexpr std::pair<const char*, JointKind> kKinds[] = {
      {"revolute", JointKind::kRevolute}, {"continuous", JointKind::kContinuous},
      {"prismatic", JointKind::kPrismatic}, {"fixed", JointKind::kFixed},
      {"floating", JointKind::kFloating}, {"planar", JointKind::kPlanar},
      {"spherical", JointKind::kSpherical}, {"ball", JointKind::kSpherical}};
  for (const auto& [name, kind] : kKinds)
    if (type == name) return kind;
  at.report.Fail(e.GetLineNum(), at.element,
                 "type " + Quoted(type) +
                     ": want revolute, continuous, prismatic, fixed, floating, planar or spherical" +
                     Suggest(type, {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"}));
  return JointKind::kFixed;
}

Eigen::Vector3d ReadAxis(const XMLElement& e, JointKind kind, const XmlPlace& at) {
  const XMLElement* axis = XmlChild(e, "axis", at);
  const bool used = kind == JointKind::kRevolute || kind == JointKind::kContinuous ||
                    kind == JointKind::kPrismatic || kind == JointKind::kPlanar;
  if (!used) return Eigen::Vector3d::UnitZ();
  if (axis == nullptr) return Eigen::Vector3d::UnitX();  // the format's default
  const Eigen::Vector3d given = XmlTriple(*axis, "xyz", Eigen::Vector3d::UnitX(), at);
  if (at.report.failed()) return Eigen::Vector3d::UnitZ();
  const double length = given.stableNorm();
  if (!(length >= 1e-8)) {
    at.report.Fail(axis->GetLineNum(), at.element,
                   "<axis> xyz has length " + FormatNumber(length) + ", want a direction (at least 1e-8)");
    return Eigen::Vector3d::UnitZ();
  }
  if (std::abs(length - 1) > 1e-4)
    at.report.Add(finding::kAxisNotUnit, Severity::kInfo, at.element, axis->GetLineNum(),
                  "<axis> has not unit length and was normalised", FormatNumber(length));
  return Normalised(given);
}

Limits ReadLimits(const XMLElement& e, JointKind kind, const XmlPlace& at) {
  Limits out;
  const XMLElement* limit = XmlChild(e, "limit", at);
  if (limit == nullptr) return out;
  if (kind == JointKind::kRevolute || kind == JointKind::kPrismatic) {
    out.lower = XmlNumber(*limit, "lower", at);
    out.upper = XmlNumber(*limit, "upper", at);
  }
  out.velocity = XmlNumber(*limit, "velocity", at);
  out.effort = XmlNumber(*limit, "effort", at);
  out.acceleration = XmlNumber(*limit, "acceleration", at);  // not in the standard, but written by some
  out.jerk = XmlNumber(*limit, "jerk", at);
  return out;
}

DraftJoint ReadJoint(const XMLElement& e, Report& report) {
  DraftJoint d;
  d.joint.line = e.GetLineNum();
  d.joint.name = XmlRequiredText(e, "name", {report, "joint"});
  const XmlPlace at{report, Element("joint", d.joint.name)};
  NoteUnknown(e,
              {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
              at);
  d.joint.kind = ReadKind(e, at);
  const auto link = [&](const char* role) -> std::string {
    const XMLElement* end = XmlChild(e, role, at);
    if (end == nullptr) {
      report.Fail(d.joint.line, at.element, std::string("has no <") + role + " link=...>");
      return "";
    }
    return XmlRequiredText(*end, "link", at);
  };
  d.parent = link("parent");
  d.child = link("child");
  d.joint.X_PJ = ReadOrigin(e, at);
  d.joint.axis = ReadAxis(e, d.joint.kind, at);
  d.limits = ReadLimits(e, d.joint.kind, at);
  if (const XMLElement* dynamics = XmlChild(e, "dynamics", at)) {
    const double damping = XmlNumber(*dynamics, "damping", at).value_or(0);
    const double friction = XmlNumber(*dynamics, "friction", at).value_or(0);
    if (damping < 0 || friction < 0)
      report.Fail(dynamics->GetLineNum(), at.element,
                  "<dynamics> damping and friction must not be negative, got " + FormatNumber(damping) + " and " +
                      FormatNumber(friction));
    d.friction.viscous = damping;
    d.friction.coulomb_positive = d.friction.coulomb_negative = friction;
  }
  const XMLElement* mimic = XmlChild(e, "mimic", at);
  if (mimic != nullptr && d.joint.kind != JointKind::kFixed) {
    DraftMimic m;
    m.joint = XmlRequiredText(*mimic, "joint", at);
    m.multiplier = XmlNumber(*mimic, "multiplier", at).value_or(1);
    m.offset = XmlNumber(*mimic, "offset", at).value_or(0);
    d.mimic = m;
  }
  return d;
}

// "${...}" or an <xacro:...> element anywhere: the macros were never expanded.
const XMLElement* FindXacro(const XMLElement& root) {
  std::vector<const XMLElement*> open = {&root};
  while (!open.empty()) {
    const XMLElement* e = open.back();
    open.pop_back();
    if (std::strncmp(e->Name(), "xacro:", 6) == 0) return e;
    for (const tinyxml2::XMLAttribute* a = e->FirstAttribute(); a; a = a->Next())
      if (std::strstr(a->Value(), "${") || std::strstr(a->Value(), "$(")) return e;
    for (const XMLElement* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) open.push_back(c);
  }
  return nullptr;
}

void RefuseOtherFormats(const XMLElement& root, Report& report) {
  const std::string name = root.Name();
  const int line = root.GetLineNum();
  if (name == "sdf")
    return report.Fail(line, "<sdf>", "this is SDFormat; want a URDF (export one from the source of the model) or a robot in YAML");
  if (name == "mujoco")
    return report.Fail(line, "<mujoco>", "this is MJCF; want a URDF or a robot in YAML");
  if (name == "COLLADA")
    return report.Fail(line, "<COLLADA>", "this is a mesh file; want the URDF that refers to it");
  if (name != "robot") return report.Fail(line, "<" + name + ">", "want <robot> as the outermost element");
  if (const XMLElement* e = FindXacro(root))
    report.Fail(e->GetLineNum(), std::string("<") + e->Name() + ">",
                "this is xacro; expand it first: xacro robot.urdf.xacro > robot.urdf");
}

// The parser's error names in plain words: XML_ERROR_MISMATCHED_ELEMENT is "mismatched element".
std::string XmlFault(tinyxml2::XMLError error) {
  if (error == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    return "elements are nested too deeply, at most 100 levels are read";
  std::string words = tinyxml2::XMLDocument::ErrorIDToName(error);
  if (words.rfind("XML_ERROR_", 0) == 0) words.erase(0, 10);
  for (char& c : words) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return words;
}

// No moving link weighs anything: the file describes geometry, and its masses are unknown rather than zero.
void ForgetMissingMasses(Model& model) {
  const std::vector<bool> moving = MovingLinks(model);
  bool any_moving = false;
  for (size_t l = 0; l < moving.size(); ++l) {
    any_moving |= moving[l];
    if (moving[l] && model.links[l].inertia->mass != 0) return;
  }
  if (!any_moving) return;
  for (size_t l = 0; l < moving.size(); ++l)
    if (moving[l]) model.links[l].inertia.reset();
}

}  // namespace

Model ReadUrdf(std::string_view source, const LoadOptions& options, Report& report) {
  tinyxml2::XMLDocument document(true, tinyxml2::COLLAPSE_WHITESPACE);
  document.Parse(source.data(), source.size());
  if (document.Error()) {
    report.Fail(document.ErrorLineNum(), "", "not well-formed XML: " + XmlFault(document.ErrorID()));
    return {};
  }
  for (const tinyxml2::XMLNode* n = document.FirstChild(); n; n = n->NextSibling())
    if (n->ToUnknown()) report.Fail(n->GetLineNum(), "", "a document type is not accepted: want a plain URDF");
  const XMLElement* robot = document.RootElement();
  if (robot == nullptr) report.Fail(0, "", "no XML element, want <robot>");
  if (report.failed()) return {};
  RefuseOtherFormats(*robot, report);
  if (report.failed()) return {};
  if (const XMLElement* second = robot->NextSiblingElement())
    report.Fail(second->GetLineNum(), std::string("<") + second->Name() + ">", "a second outermost element, want one <robot>");

  Draft draft;
  draft.line = robot->GetLineNum();
  draft.name = robot->Attribute("name") ? robot->Attribute("name") : "robot";
  const XmlPlace at{report, Element("robot", draft.name)};
  const std::string fault = NameFault(draft.name);
  if (!fault.empty()) report.Fail(draft.line, at.element, fault);
  if (const XMLElement* loop = robot->FirstChildElement("loop_joint"))
    report.Fail(loop->GetLineNum(), at.element, "<loop_joint>: closed loops are not supported; want a tree");
  NoteUnknown(*robot, {"link", "joint", "material", "transmission", "gazebo", "ros2_control", "sensor", "gripper",
                       "mujoco", "version"}, at);
  for (const XMLElement* e = robot->FirstChildElement("link"); e && !report.failed(); e = e->NextSiblingElement("link"))
    draft.links.push_back(ReadLink(*e, report));
  for (const XMLElement* e = robot->FirstChildElement("joint"); e && !report.failed(); e = e->NextSiblingElement("joint"))
    draft.joints.push_back(ReadJoint(*e, report));
  if (report.failed()) return {};

  Model model = Assemble(std::move(draft), options.base, report);
  if (report.failed()) return {};
  model.tool_frame = GuessToolFrame(model, report);
  ForgetMissingMasses(model);
  ReadTransmissions(*robot, model, report);
  return model;
}

}  // namespace torqued::robots
