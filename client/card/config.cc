#include "client/card/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"

namespace torqued {
namespace {

// Reads the keys of one map and remembers which were asked for, so that a misspelt key is an error and not a default.
class Keys {
 public:
  Keys(const YAML::Node& node, std::string where, std::vector<CardFinding>* findings)
      : node_(node), where_(std::move(where)), findings_(findings) {
    if (!node_.IsMap()) Error("not-a-map", where_, node_.Mark().line, "want a map of keys");
  }

  template <class T>
  bool Read(const std::string& key, T& out, bool required = false) {
    known_.insert(key);
    if (!node_.IsMap()) return false;
    const YAML::Node value = node_[key];
    if (!value) {
      if (required) Error("missing-key", Path(key), node_.Mark().line, "is required");
      return false;
    }
    try {
      out = value.as<T>();
      return true;
    } catch (const YAML::Exception&) {
      Error("wrong-type", Path(key), value.Mark().line, "cannot be read as the wanted type");
      return false;
    }
  }

  YAML::Node Child(const std::string& key) {
    known_.insert(key);
    return node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
  }

  void RefuseUnknown() {
    if (!node_.IsMap()) return;
    for (const auto& entry : node_) {
      const std::string key = entry.first.as<std::string>("?");
      if (!known_.count(key)) Error("unknown-key", Path(key), entry.first.Mark().line, "is not a key of this map");
    }
  }

  std::string Path(const std::string& key) const { return where_.empty() ? key : absl::StrCat(where_, ".", key); }

 private:
  void Error(const char* code, const std::string& where, int mark_line, const char* message) {
    findings_->push_back({FindingSeverity::kError, code, where, mark_line + 1, message});
  }

  YAML::Node node_;
  std::string where_;
  std::vector<CardFinding>* findings_;
  std::set<std::string> known_;
};

void ReadHoming(const YAML::Node& node, const std::string& where, const std::string& u, HomingConfig& out,
                std::vector<CardFinding>* findings) {
  Keys keys(node, where, findings);
  std::string method = "absolute";
  keys.Read("method", method);
  if (method == "switch") {
    out.method = HomingMethod::kSwitch;
  } else if (method != "absolute") {
    findings->push_back({FindingSeverity::kError, "bad-value", where + ".method", node.Mark().line + 1,
                         absl::StrCat("is '", method, "', want absolute or switch")});
  }
  keys.Read("switch_position_" + u, out.switch_position);
  keys.Read("search_speed_" + u + "_per_s", out.search_speed);
  keys.Read("latch_speed_" + u + "_per_s", out.latch_speed);
  keys.Read("home_position_" + u, out.home_position);
  keys.Read("travel_" + u, out.travel);
  keys.RefuseUnknown();
}

AxisConfig ReadAxis(const YAML::Node& node, int index, std::vector<CardFinding>* findings) {
  AxisConfig a;
  Keys keys(node, absl::StrCat("axes[", index, "]"), findings);
  keys.Read("name", a.name, true);
  std::string unit = "rad";
  keys.Read("unit", unit);
  if (unit != "rad" && unit != "m")
    findings->push_back({FindingSeverity::kError, "bad-value", keys.Path("unit"), node.Mark().line + 1,
                         absl::StrCat("is '", unit, "', want rad or m")});
  a.linear = unit == "m";
  const std::string u = a.linear ? "m" : "rad", t = a.linear ? "n" : "nm";
  keys.Read("counts_per_" + u, a.counts_per_unit, true);
  keys.Read("gear", a.gear);
  keys.Read("sign", a.sign);
  keys.Read("zero_" + u, a.zero);
  keys.Read("lower_" + u, a.lower);
  keys.Read("upper_" + u, a.upper);
  keys.Read("velocity_" + u + "_per_s", a.velocity, true);
  keys.Read("acceleration_" + u + "_per_s2", a.acceleration, true);
  keys.Read("torque_" + t, a.torque, true);
  keys.Read("stop_deceleration_" + u + "_per_s2", a.stop_deceleration);
  keys.Read("quick_deceleration_" + u + "_per_s2", a.quick_deceleration);
  keys.Read("in_position_" + u, a.in_position);
  keys.Read("standstill_" + u + "_per_s", a.standstill);
  keys.Read("start_tolerance_" + u, a.start_tolerance);
  keys.Read("kp_" + t + "_per_" + u, a.kp);
  keys.Read("kd_" + t + "_s_per_" + u, a.kd);
  if (const YAML::Node f = keys.Child("following_error")) {
    Keys law(f, keys.Path("following_error"), findings);
    law.Read("floor_" + u, a.following.floor, true);
    law.Read("at_full_speed_" + u, a.following.at_full_speed, true);
    law.Read("window_s", a.following.window_s);
    law.RefuseUnknown();
  } else {
    findings->push_back({FindingSeverity::kWarning, "default-following-error", keys.Path("following_error"),
                         node.Mark().line + 1, "is absent: floor 0.01, full speed 0.05, window 5 ms are used"});
  }
  if (const YAML::Node h = keys.Child("homing")) ReadHoming(h, keys.Path("homing"), u, a.homing, findings);
  keys.RefuseUnknown();
  return a;
}

void ReadSim(const YAML::Node& node, SimConfig& out, std::vector<CardFinding>* findings) {
  Keys keys(node, "sim", findings);
  keys.Read("seed", out.seed);
  keys.Read("mismatch", out.mismatch);
  keys.Read("delay_s", out.delay_s);
  keys.Read("substeps", out.substeps);
  const YAML::Node plant = keys.Child("plant");
  for (std::size_t i = 0; plant && i < plant.size(); ++i) {
    AxisPlant p;
    Keys axis(plant[i], absl::StrCat("sim.plant[", i, "]"), findings);
    axis.Read("inertia", p.inertia, true);
    axis.Read("viscous", p.viscous);
    axis.Read("coulomb", p.coulomb);
    axis.RefuseUnknown();
    out.plant.push_back(p);
  }
  keys.RefuseUnknown();
}

}  // namespace

std::vector<std::string> CardConfig::JointNames() const {
  std::vector<std::string> names;
  for (const AxisConfig& a : axes) names.push_back(a.name);
  return names;
}

absl::StatusOr<CardConfig> ReadCardConfig(const std::string& yaml, std::vector<CardFinding>* findings) {
  std::vector<CardFinding> local;
  std::vector<CardFinding>* out = findings ? findings : &local;
  CardConfig c;
  try {
    const YAML::Node root = YAML::Load(yaml);
    Keys keys(root, "", out);
    keys.Read("name", c.name);
    keys.Read("cycle_s", c.cycle_s, true);
    keys.Read("watchdog_s", c.watchdog_s);
    keys.Read("path_stop_s", c.path_stop_s);
    keys.Read("hold_cycles", c.hold_cycles);
    keys.Read("setpoint_capacity", c.setpoint_capacity);
    keys.Read("feedback_capacity", c.feedback_capacity);
    keys.Read("command_timeout_s", c.command_timeout_s);
    const YAML::Node axes = keys.Child("axes");
    if (!axes || !axes.IsSequence())
      out->push_back({FindingSeverity::kError, "missing-key", "axes", 0, "is required: a list, one entry per axis"});
    else
      for (std::size_t i = 0; i < axes.size(); ++i) c.axes.push_back(ReadAxis(axes[i], static_cast<int>(i), out));
    keys.Read("actuator_matrix", c.actuator_matrix);
    if (const YAML::Node sim = keys.Child("sim")) ReadSim(sim, c.sim, out);
    keys.RefuseUnknown();
  } catch (const YAML::Exception& e) {
    out->push_back({FindingSeverity::kError, "not-yaml", "", e.mark.line + 1, e.msg});
  }
  const bool readable = std::none_of(out->begin(), out->end(),
                                     [](const CardFinding& f) { return f.severity == FindingSeverity::kError; });
  if (readable)
    for (CardFinding& f : CheckCardConfig(c)) out->push_back(std::move(f));
  std::stable_sort(out->begin(), out->end(),
                   [](const CardFinding& a, const CardFinding& b) { return a.severity < b.severity; });
  if (!out->empty() && out->front().severity == FindingSeverity::kError) {
    const CardFinding& f = out->front();
    return absl::InvalidArgumentError(absl::StrCat("card configuration", f.line ? absl::StrCat(" line ", f.line) : "",
                                                   ": ", f.where, " ", f.message));
  }
  return c;
}

}  // namespace torqued
