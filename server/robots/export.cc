#include "server/robots/export.h"

#include "server/robots/number.h"
#include "server/robots/placement.h"

namespace torqued {
namespace {

using robots::FormatNumber;
using robots::IsIdentity;

// A word that YAML reads as this text, in quotes where it could be read as anything else.
std::string Word(const std::string& text) {
  bool plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
  for (const char c : text) plain &= std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* reserved : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) plain &= lower != reserved;
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\t') {
      out += "\\t";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string List(const Eigen::Ref<const Eigen::VectorXd>& v) {
  std::string out = "[";
  for (int i = 0; i < v.size(); ++i) out += (i ? ", " : "") + FormatNumber(v[i]);
  return out + "]";
}

std::string Frame3(const Eigen::Isometry3d& X) {
  std::string out = "xyz_m: " + List(X.translation());
  const Eigen::Matrix3d R = X.linear();
  if (R == Eigen::Matrix3d::Identity()) return out;
  out += ", rotation: [";
  for (int i = 0; i < 3; ++i) out += (i ? ", " : "") + List(R.row(i).transpose());
  return out + "]";
}

const char* KindName(JointKind k) {
  switch (k) {
    case JointKind::kFixed: return "fixed";
    case JointKind::kRevolute: return "revolute";
    case JointKind::kContinuous: return "continuous";
    case JointKind::kPrismatic: return "prismatic";
    case JointKind::kFloating: return "floating";
    case JointKind::kSpherical: return "spherical";
    case JointKind::kPlanar: return "planar";
  }
  return "fixed";
}

class Entries {  // "key: value" pairs for a flow map
 public:
  void Add(const std::string& key, double v) { AddText(key, FormatNumber(v)); }
  void Add(const std::string& key, const std::optional<double>& v) {
    if (v) Add(key, *v);
  }
  void AddIf(const std::string& key, double v) {
    if (v != 0) Add(key, v);
  }
  void AddText(const std::string& key, const std::string& v) { text_ += (text_.empty() ? "" : ", ") + key + ": " + v; }
  bool empty() const { return text_.empty(); }
  std::string str() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

Entries FrictionEntries(const Friction& f, bool linear) {
  const std::string unit = linear ? "_m" : "_rad", force = linear ? "_N" : "_Nm";
  Entries out;
  out.AddIf(linear ? "viscous_N_s_m" : "viscous_Nm_s_rad", f.viscous);
  if (f.coulomb_positive != 0 || f.coulomb_negative != 0) {
    out.Add("coulomb_positive" + force, f.coulomb_positive);
    out.Add("coulomb_negative" + force, f.coulomb_negative);
  }
  out.AddIf("breakaway" + force, f.breakaway);
  out.AddIf("stribeck_velocity" + unit + "_s", f.stribeck_velocity);
  out.AddIf("smoothing_velocity" + unit + "_s", f.smoothing_velocity);
  return out;
}

// limits and friction of a one-degree coordinate, each on a line of its own.
std::string LimitsAndFriction(const Coordinate& c) {
  const bool linear = c.kind == JointKind::kPrismatic;
  const std::string unit = linear ? "_m" : "_rad", force = linear ? "_N" : "_Nm";
  Entries limits;
  limits.Add("lower" + unit, c.limits.lower);
  limits.Add("upper" + unit, c.limits.upper);
  limits.Add("velocity" + unit + "_s", c.limits.velocity);
  limits.Add("acceleration" + unit + "_s2", c.limits.acceleration);
  limits.Add("jerk" + unit + "_s3", c.limits.jerk);
  limits.Add("effort" + force, c.limits.effort);
  const Entries friction = FrictionEntries(c.friction, linear);
  std::string out;
  if (!limits.empty()) out += "    limits: " + limits.str() + "\n";
  if (!friction.empty()) out += "    friction: " + friction.str() + "\n";
  return out;
}

bool Plain(const Model& m, const Joint& j) {
  return j.coupling.size() == 1 && j.coupling[0].factor == 1 && j.offset == 0 && !j.is_mimic &&
         m.coordinates[j.coupling[0].coordinate].name == j.name;
}

// Do the coordinates follow from the joints, in order?
bool Implied(const Model& m) {
  size_t next = 0;
  for (const Joint& j : m.joints) {
    if (j.kind == JointKind::kFixed) continue;
    if (!Plain(m, j) || next >= m.coordinates.size()) return false;
    const Coordinate& c = m.coordinates[next++];
    if (c.name != j.name || c.kind != j.kind) return false;
  }
  return next == m.coordinates.size();
}

std::string Links(const Model& m) {
  std::string out = "links:\n";
  for (const Link& l : m.links) {
    out += "  - name: " + Word(l.name) + "\n";
    if (!l.inertia) continue;
    const MassProperties& mp = *l.inertia;
    out += "    mass_kg: " + FormatNumber(mp.mass) + "\n";
    const Eigen::Matrix3d& I = mp.inertia_about_com;
    if (mp.mass != 0 || mp.com != Eigen::Vector3d::Zero()) out += "    com_m: " + List(mp.com) + "\n";
    if (mp.mass == 0 && I == Eigen::Matrix3d::Zero()) continue;
    Entries tensor;
    tensor.Add("xx", I(0, 0));
    tensor.Add("yy", I(1, 1));
    tensor.Add("zz", I(2, 2));
    tensor.Add("xy", I(0, 1));
    tensor.Add("xz", I(0, 2));
    tensor.Add("yz", I(1, 2));
    out += "    inertia_kg_m2: " + tensor.str() + "\n";
  }
  return out;
}

std::string Joints(const Model& m, bool implied) {
  std::string out = m.joints.empty() ? "" : "joints:\n";
  for (const Joint& j : m.joints) {
    out += "  - name: " + Word(j.name) + "\n    type: " + KindName(j.kind) + "\n    parent: " +
           Word(m.links[j.parent_link].name) + "\n    child: " + Word(m.links[j.child_link].name) + "\n";
    if (!IsIdentity(j.X_PJ)) out += "    origin: {" + Frame3(j.X_PJ) + "}\n";
    if (!IsIdentity(j.X_JL)) out += "    link_frame: {" + Frame3(j.X_JL) + "}\n";
    const bool has_axis = VelocityCount(j.kind) == 1 || j.kind == JointKind::kPlanar;
    if (has_axis && j.axis != Eigen::Vector3d::UnitZ()) out += "    axis: " + List(j.axis) + "\n";
    if (j.kind == JointKind::kFixed || VelocityCount(j.kind) != 1) continue;
    if (implied) out += LimitsAndFriction(m.coordinates[j.coupling[0].coordinate]);
    if (Plain(m, j)) continue;
    Entries terms;
    for (const CouplingTerm& t : j.coupling) terms.Add(Word(m.coordinates[t.coordinate].name), t.factor);
    out += "    coupling: " + terms.str() + "\n";
    if (j.offset != 0)
      out += std::string("    coupling_offset") + (j.kind == JointKind::kPrismatic ? "_m: " : "_rad: ") +
             FormatNumber(j.offset) + "\n";
  }
  if (implied || m.coordinates.empty()) return out;
  out += "coordinates:\n";
  for (const Coordinate& c : m.coordinates) {
    out += "  - name: " + Word(c.name) + "\n    type: " + KindName(c.kind) + "\n";
    if (VelocityCount(c.kind) == 1) out += LimitsAndFriction(c);
  }
  return out;
}

const Coordinate* CoordinateAt(const Model& m, int v) {
  for (const Coordinate& c : m.coordinates)
    if (c.v_index == v) return &c;
  return nullptr;
}

std::string Drives(const Model& m) {
  std::string out;
  for (const Coordinate& c : m.coordinates) {
    if (m.drives.empty() || VelocityCount(c.kind) != 1) continue;
    const Drive& d = m.drives[c.v_index];
    Entries e;
    e.AddText("coordinate", Word(c.name));
    e.AddText("name", Word(d.name));
    e.Add("gear_ratio", d.gear_ratio);
    e.Add("efficiency", d.efficiency);
    e.Add("motor_torque_Nm", d.motor_torque);
    e.Add("motor_speed_rad_s", d.motor_speed);
    if (const Entries friction = FrictionEntries(d.motor_friction, false); !friction.empty()) {
      e.AddText("motor_friction", friction.str());
      e.AddText("motor_friction_contained", "true");
    }
    out += "  - " + e.str() + "\n";
  }
  if (!out.empty()) out = "drives:\n" + out;
  if (!m.rotors.empty()) out += "rotors:\n";
  for (const Rotor& r : m.rotors) {
    Entries e, ratio;
    e.AddText("name", Word(r.name));
    e.Add("inertia_kg_m2", r.inertia);
    if (r.carrier_link >= 0) e.AddText("carrier", Word(m.links[r.carrier_link].name));
    if (r.axis != Eigen::Vector3d::UnitZ()) e.AddText("axis", List(r.axis));
    for (const auto& [v, k] : r.ratio)
      if (const Coordinate* c = CoordinateAt(m, v)) ratio.Add(Word(c->name), k);
    e.AddText("ratio", ratio.str());
    out += "  - " + e.str() + "\n";
  }
  return out;
}

std::string Springs(const Model& m) {
  std::string out;
  for (const CoordinateSpring& s : m.coordinate_springs) {
    const Coordinate& c = m.coordinates[s.coordinate];
    const bool linear = c.kind == JointKind::kPrismatic;
    Entries e;
    e.AddText("coordinate", Word(c.name));
    e.Add(linear ? "stiffness_N_m" : "stiffness_Nm_rad", s.stiffness);
    e.Add(linear ? "rest_m" : "rest_rad", s.rest);
    out += "  - " + e.str() + "\n";
  }
  for (const PointSpring& s : m.point_springs) {
    Entries e, a, b;
    e.AddText("name", Word(s.name));
    a.AddText("link", Word(m.links[s.link_a].name));
    a.AddText("point_m", List(s.point_a));
    b.AddText("link", Word(m.links[s.link_b].name));
    b.AddText("point_m", List(s.point_b));
    e.AddText("a", a.str());
    e.AddText("b", b.str());
    e.Add("stiffness_N_m", s.stiffness);
    e.Add("free_length_m", s.free_length);
    out += "  - " + e.str() + "\n";
  }
  return out.empty() ? "" : "springs:\n" + out;
}

}  // namespace

std::string ToYaml(const Model& m, const std::string& description, const std::map<std::string, std::string>& labels) {
  std::string out = "name: " + Word(m.name) + "\n";
  if (!description.empty()) out += "description: " + Word(description) + "\n";
  if (!labels.empty()) {
    Entries e;
    for (const auto& [key, value] : labels) e.AddText(Word(key), Word(value));
    out += "labels: " + e.str() + "\n";
  }
  out += "gravity_m_s2: " + List(m.gravity) + "\n";
  if (!IsIdentity(m.X_WR)) out += "mounting: {" + Frame3(m.X_WR) + "}\n";
  out += Links(m) + Joints(m, Implied(m));
  if (!m.frames.empty()) out += "frames:\n";
  for (const Frame& f : m.frames)
    out += "  - {name: " + Word(f.name) + ", link: " + Word(m.links[f.link].name) + ", " + Frame3(f.X_LF) + "}\n";
  out += "tool_frame: " + Word(m.tool_frame) + "\n";
  if (m.actuator_matrix.size() > 0) {
    std::vector<int> entries;
    for (const Coordinate& c : m.coordinates)
      if (VelocityCount(c.kind) == 1) entries.push_back(c.v_index);
    out += "actuator_matrix:\n";
    for (const int i : entries) out += "  - " + List(Eigen::VectorXd(m.actuator_matrix.row(i)(entries))) + "\n";
  }
  return out + Drives(m) + Springs(m);
}

}  // namespace torqued
