#include <cmath>

#include "server/robots/number.h"
#include "server/robots/placement.h"
#include "server/robots/text.h"
#include "server/robots/yaml_robot.h"

namespace torqued::robots::yaml {
namespace {

constexpr std::pair<const char*, JointKind> kKinds[] = {
    {"revolute", JointKind::kRevolute}, {"continuous", JointKind::kContinuous}, {"prismatic", JointKind::kPrismatic},
    {"fixed", JointKind::kFixed},       {"floating", JointKind::kFloating},     {"planar", JointKind::kPlanar},
    {"spherical", JointKind::kSpherical}};

JointKind ReadKind(Block& block, JointKind fallback) {
  const std::optional<std::string> type = block.Text("type");
  if (!type) return fallback;
  std::vector<std::string> names;
  for (const auto& [name, kind] : kKinds) {
    if (*type == name) return kind;
    names.push_back(name);
  }
  block.Fail("type", Quoted(*type) + ": want revolute, continuous, prismatic, fixed, floating, planar or spherical" +
                         Suggest(*type, names));
  return fallback;
}

void ReadMimicAndCoupling(Block& block, DraftJoint& d) {
  const Dimension dimension = d.joint.kind == JointKind::kPrismatic ? Dimension::kLength : Dimension::kAngle;
  if (std::optional<Block> mimic = block.Sub("mimic")) {
    DraftMimic m;
    m.joint = mimic->RequiredText("joint");
    m.multiplier = mimic->Number("multiplier").value_or(1);
    m.offset = mimic->Quantity("offset", dimension).value_or(0);
    mimic->Done();
    d.mimic = m;
  }
  const YamlNode* coupling = block.Find("coupling");
  if (coupling == nullptr) return;
  if (d.mimic) block.Fail("coupling", "is given together with mimic");
  Block terms(*coupling, block.element() + ": coupling", block.report());
  for (const std::string& name : coupling->keys) {
    const double factor = terms.Number(name).value_or(0);
    d.coupling.emplace_back(name, factor);
  }
  if (d.coupling.empty()) block.Fail("coupling", "want coordinate: factor");
  d.joint.offset = block.Quantity("coupling_offset", dimension).value_or(0);
}

Eigen::Vector3d ReadAxis(Block& block) {
  const Eigen::Vector3d axis = block.Vector("axis").value_or(Eigen::Vector3d::UnitZ());
  const double length = axis.stableNorm();
  if (!(length >= 1e-8)) {
    block.Fail("axis", "has length " + FormatNumber(length) + ", want a direction (at least 1e-8)");
    return Eigen::Vector3d::UnitZ();
  }
  if (std::abs(length - 1) > 1e-4)
    block.report().Add(finding::kAxisNotUnit, Severity::kInfo, block.element(), block.line(),
                       "axis has not unit length and was normalised", FormatNumber(length));
  return Normalised(axis);
}

}  // namespace

std::optional<MassProperties> ReadMass(Block& block, Estimates& estimates) {
  const std::optional<double> mass = block.Number("mass_kg");
  const std::optional<Eigen::Vector3d> com = block.Vector("com_m");
  std::optional<Block> tensor = block.Sub("inertia_kg_m2");
  const std::string about = block.Text("inertia_about").value_or("com");
  if (about != "com" && about != "origin") block.Fail("inertia_about", Quoted(about) + ", want com or origin");
  const std::optional<Eigen::Vector3d> rad = block.Vector("inertia_rpy_rad"), deg = block.Vector("inertia_rpy_deg");
  if (!mass) {
    if (com || tensor) block.Missing("mass_kg", " beside com_m and inertia_kg_m2");
    return std::nullopt;
  }
  if (*mass != 0) {
    if (!com) block.Missing("com_m", ": a link with mass needs its centre of mass");
    if (!tensor) {
      block.Missing("inertia_kg_m2", ": give it, or an estimate marked so; a point mass has {xx: 0, yy: 0, zz: 0}");
      return std::nullopt;
    }
  }
  MassProperties mp;
  mp.mass = *mass;
  mp.com = com.value_or(Eigen::Vector3d::Zero());
  if (!tensor) return mp;
  Eigen::Matrix3d I = ReadInertia(*tensor, estimates);
  if (rad && deg) block.Fail("inertia_rpy_deg", "is given in radians as well");
  if (rad || deg) {
    const Eigen::Matrix3d R = RotationFromRpy(rad ? *rad : Eigen::Vector3d(*deg * M_PI / 180));
    I = (R * I * R.transpose()).eval();
    I = (0.5 * (I + I.transpose())).eval();
  }
  if (about == "origin")
    I -= mp.mass * (mp.com.squaredNorm() * Eigen::Matrix3d::Identity() - mp.com * mp.com.transpose());
  mp.inertia_about_com = I;
  return mp;
}

Eigen::Matrix3d ReadInertia(Block& tensor, Estimates& estimates) {
  const auto diagonal = [&](const char* key) {
    const std::optional<double> v = tensor.Number(key);
    if (!v) tensor.Missing(key);
    return v.value_or(0);
  };
  const double xx = diagonal("xx"), yy = diagonal("yy"), zz = diagonal("zz");
  const double xy = tensor.Number("xy").value_or(0), xz = tensor.Number("xz").value_or(0),
               yz = tensor.Number("yz").value_or(0);
  tensor.Done(&estimates);
  return (Eigen::Matrix3d() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
}

Limits ReadLimits(Block& owner, JointKind kind, Estimates& estimates) {
  Limits out;
  std::optional<Block> b = owner.Sub("limits");
  if (!b) return out;
  const bool linear = kind == JointKind::kPrismatic;
  const Dimension d = linear ? Dimension::kLength : Dimension::kAngle;
  out.lower = b->Quantity("lower", d);
  out.upper = b->Quantity("upper", d);
  out.velocity = b->Quantity("velocity", d, "_s");
  out.acceleration = b->Quantity("acceleration", d, "_s2");
  out.jerk = b->Quantity("jerk", d, "_s3");
  out.effort = b->Number(linear ? "effort_N" : "effort_Nm");
  for (const auto& [key, value] : {std::pair("acceleration", out.acceleration), std::pair("jerk", out.jerk)})
    if (value && *value <= 0) b->Fail(key, FormatNumber(*value) + ", want a positive number");
  b->Done(&estimates);
  return out;
}

Friction ReadFriction(Block& owner, const std::string& key, JointKind kind, Estimates& estimates) {
  Friction f;
  std::optional<Block> b = owner.Sub(key);
  if (!b) return f;
  const bool linear = kind == JointKind::kPrismatic;
  const std::string force = linear ? "_N" : "_Nm", rate = linear ? "_m_s" : "_rad_s";
  f.viscous = b->Number(linear ? "viscous_N_s_m" : "viscous_Nm_s_rad").value_or(0);
  const std::optional<double> both = b->Number("coulomb" + force);
  const std::optional<double> positive = b->Number("coulomb_positive" + force), negative = b->Number("coulomb_negative" + force);
  if (both && (positive || negative)) b->Fail("coulomb" + force, "is given per direction as well");
  if (positive.has_value() != negative.has_value())
    b->Fail("coulomb_positive" + force, "give the magnitudes of both directions");
  f.coulomb_positive = positive.value_or(both.value_or(0));
  f.coulomb_negative = negative.value_or(both.value_or(0));
  f.breakaway = b->Number("breakaway" + force).value_or(0);
  f.stribeck_velocity = b->Number("stribeck_velocity" + rate).value_or(0);
  f.smoothing_velocity = b->Number("smoothing_velocity" + rate).value_or(0);
  for (const double v : {f.viscous, f.coulomb_positive, f.coulomb_negative, f.breakaway, f.stribeck_velocity,
                         f.smoothing_velocity})
    if (v < 0) b->report().Fail(b->line(), b->element(), "friction values are magnitudes, got " + FormatNumber(v));
  if ((f.breakaway > 0) != (f.stribeck_velocity > 0))
    b->Fail("breakaway" + force, "Stribeck friction needs both breakaway" + force + " and stribeck_velocity" + rate);
  b->Done(&estimates);
  return f;
}

void ReadLinksAndJoints(Block& robot, Draft& draft, Estimates& estimates) {
  Report& report = robot.report();
  for (const YamlNode* node : robot.List("links")) {
    Block unnamed(*node, "link", report);
    Link link;
    link.line = node->line;
    link.name = unnamed.RequiredText("name");
    Block b(*node, Element("link", link.name), report);
    b.Find("name");
    link.inertia = ReadMass(b, estimates);
    b.Done(&estimates);
    draft.links.push_back(link);
    if (report.failed()) return;
  }
  for (const YamlNode* node : robot.List("joints")) {
    Block unnamed(*node, "joint", report);
    DraftJoint d;
    d.joint.line = node->line;
    d.joint.name = unnamed.RequiredText("name");
    Block b(*node, Element("joint", d.joint.name), report);
    b.Find("name");
    if (!b.Has("type")) b.Missing("type");
    d.joint.kind = ReadKind(b, JointKind::kFixed);
    d.parent = b.RequiredText("parent");
    d.child = b.RequiredText("child");
    if (std::optional<Block> origin = b.Sub("origin")) {
      d.joint.X_PJ = origin->Placement();
      origin->Done(&estimates);
    }
    if (std::optional<Block> link_frame = b.Sub("link_frame")) {
      d.joint.X_JL = link_frame->Placement();
      link_frame->Done(&estimates);
    }
    const JointKind k = d.joint.kind;
    if (k == JointKind::kRevolute || k == JointKind::kContinuous || k == JointKind::kPrismatic || k == JointKind::kPlanar)
      d.joint.axis = ReadAxis(b);
    if (VelocityCount(k) == 1) {
      d.limits = ReadLimits(b, k, estimates);
      d.friction = ReadFriction(b, "friction", k, estimates);
      ReadMimicAndCoupling(b, d);
    }
    b.Done(&estimates);
    draft.joints.push_back(d);
    if (report.failed()) return;
  }
  for (const YamlNode* node : robot.List("coordinates")) {
    Block unnamed(*node, "coordinate", report);
    DraftCoordinate c;
    c.line = node->line;
    c.coordinate.name = unnamed.RequiredText("name");
    Block b(*node, Element("coordinate", c.coordinate.name), report);
    b.Find("name");
    c.coordinate.kind = ReadKind(b, JointKind::kRevolute);
    if (c.coordinate.kind == JointKind::kFixed) b.Fail("type", "a coordinate moves something: it cannot be fixed");
    if (VelocityCount(c.coordinate.kind) == 1) {
      c.coordinate.limits = ReadLimits(b, c.coordinate.kind, estimates);
      c.coordinate.friction = ReadFriction(b, "friction", c.coordinate.kind, estimates);
    }
    b.Done(&estimates);
    draft.coordinates.push_back(c);
    if (report.failed()) return;
  }
}

std::optional<std::pair<std::string, Frame>> ReadDhTable(Block& robot, Draft& draft, Estimates& estimates) {
  std::optional<Block> table = robot.Sub("dh");
  if (!table) return std::nullopt;
  Report& report = robot.report();
  const std::string convention = table->RequiredText("convention");
  if (convention != "standard" && convention != "modified")
    table->Fail("convention", Quoted(convention) + ", want standard or modified");
  const DhConvention dh = convention == "modified" ? DhConvention::kModified : DhConvention::kStandard;
  Eigen::Isometry3d X_0 = Eigen::Isometry3d::Identity();
  if (std::optional<Block> base = table->Sub("base")) {
    X_0 = base->Placement();
    base->Done(&estimates);
  }
  std::string parent = table->Text("root_link").value_or("base");
  Link root;
  root.name = parent;
  root.line = table->line();
  draft.links.push_back(root);
  int index = 0;
  for (const YamlNode* node : table->List("rows")) {
    ++index;
    Block unnamed(*node, "dh row " + std::to_string(index), report);
    DraftJoint d;
    d.joint.line = node->line;
    d.joint.name = unnamed.Text("joint").value_or("joint" + std::to_string(index));
    Block b(*node, Element("joint", d.joint.name), report);
    b.Find("joint");
    d.joint.kind = ReadKind(b, JointKind::kRevolute);
    if (VelocityCount(d.joint.kind) != 1 || d.joint.kind == JointKind::kFixed)
      b.Fail("type", "a row is revolute, continuous or prismatic");
    Link link;
    link.line = node->line;
    link.name = b.Text("link").value_or("link" + std::to_string(index));
    const bool prismatic = d.joint.kind == JointKind::kPrismatic;
    DhRow row;
    row.theta = b.Quantity("theta", Dimension::kAngle).value_or(0);
    row.d = b.Quantity("d", Dimension::kLength).value_or(0);
    row.a = b.Quantity("a", Dimension::kLength).value_or(0);
    row.alpha = b.Quantity("alpha", Dimension::kAngle).value_or(0);
    const double offset = b.Quantity("offset", prismatic ? Dimension::kLength : Dimension::kAngle).value_or(0);
    (prismatic ? row.d : row.theta) += offset;
    const DhPlacement place = PlaceDhRow(row, dh);
    d.joint.X_PJ = index == 1 ? Compose(X_0, place.X_PJ) : place.X_PJ;
    d.joint.X_JL = place.X_JL;
    d.parent = parent;
    d.child = parent = link.name;
    d.limits = ReadLimits(b, d.joint.kind, estimates);
    d.friction = ReadFriction(b, "friction", d.joint.kind, estimates);
    ReadMimicAndCoupling(b, d);
    link.inertia = ReadMass(b, estimates);
    b.Done(&estimates);
    draft.links.push_back(link);
    draft.joints.push_back(d);
    if (report.failed()) return std::nullopt;
  }
  if (index == 0) table->Fail("rows", "want at least one row");
  std::optional<std::pair<std::string, Frame>> out;
  if (std::optional<Block> tool = table->Sub("tool")) {
    Frame frame;
    frame.name = tool->Text("name").value_or("tool0");
    frame.X_LF = tool->Placement();
    tool->Done(&estimates);
    out = {parent, frame};
  }
  table->Done(&estimates);
  return out;
}

}  // namespace torqued::robots::yaml
