// A card configuration as YAML, key by key what config.cc reads.
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/card/config.h"

namespace torqued {
namespace {

// The shortest text that reads back as the same double.
std::string Number(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The entries of one map at a depth; numbers that are not finite are left out, as they are defaults.
class Map {
 public:
  Map(std::string* out, int indent) : out_(out), indent_(indent) {}
  void Text(const std::string& key, const std::string& value) {
    absl::StrAppend(out_, first_ ? std::string(first_prefix_) : std::string(indent_, ' '), key, ": ", value, "\n");
    first_ = false;
  }
  void Number(const std::string& key, double value) {
    if (std::isfinite(value)) Text(key, torqued::Number(value));
  }
  // The first entry stands behind "- ".
  void AsItem() {
    first_ = true;
    first_prefix_ = std::string(indent_ - 2, ' ') + "- ";
  }

 private:
  std::string* out_;
  int indent_;
  bool first_ = false;
  std::string first_prefix_;
};

void WriteAxis(const AxisConfig& a, std::string* out) {
  const std::string u = a.linear ? "m" : "rad", t = a.linear ? "n" : "nm";
  Map map(out, 4);
  map.AsItem();
  map.Text("name", Quoted(a.name));
  map.Text("unit", u);
  map.Number("counts_per_" + u, a.counts_per_unit);
  map.Number("gear", a.gear);
  map.Text("sign", absl::StrCat(a.sign));
  map.Number("zero_" + u, a.zero);
  map.Number("lower_" + u, a.lower);
  map.Number("upper_" + u, a.upper);
  map.Number("velocity_" + u + "_per_s", a.velocity);
  map.Number("acceleration_" + u + "_per_s2", a.acceleration);
  map.Number("torque_" + t, a.torque);
  map.Number("stop_deceleration_" + u + "_per_s2", a.stop_deceleration);
  map.Number("quick_deceleration_" + u + "_per_s2", a.quick_deceleration);
  map.Number("in_position_" + u, a.in_position);
  map.Number("standstill_" + u + "_per_s", a.standstill);
  map.Number("start_tolerance_" + u, a.start_tolerance);
  map.Number("kp_" + t + "_per_" + u, a.kp);
  map.Number("kd_" + t + "_s_per_" + u, a.kd);
  map.Text("following_error", absl::StrCat("{floor_", u, ": ", Number(a.following.floor), ", at_full_speed_", u, ": ", Number(a.following.at_full_speed),
                                           ", window_s: ", Number(a.following.window_s), "}"));
  const HomingConfig& h = a.homing;
  map.Text("homing", absl::StrCat("{method: ", h.method == HomingMethod::kSwitch ? "switch" : "absolute", ", switch_position_", u, ": ",
                                  Number(h.switch_position), ", search_speed_", u, "_per_s: ", Number(h.search_speed), ", latch_speed_", u, "_per_s: ",
                                  Number(h.latch_speed), ", home_position_", u, ": ", Number(h.home_position), ", travel_", u, ": ", Number(h.travel), "}"));
}

}  // namespace

std::string WriteCardConfig(const CardConfig& c) {
  std::string out;
  Map map(&out, 0);
  map.Text("name", Quoted(c.name));
  map.Number("cycle_s", c.cycle_s);
  map.Number("watchdog_s", c.watchdog_s);
  map.Number("path_stop_s", c.path_stop_s);
  map.Text("hold_cycles", absl::StrCat(c.hold_cycles));
  map.Text("setpoint_capacity", absl::StrCat(c.setpoint_capacity));
  map.Text("feedback_capacity", absl::StrCat(c.feedback_capacity));
  map.Number("command_timeout_s", c.command_timeout_s);
  absl::StrAppend(&out, "axes:\n");
  for (const AxisConfig& a : c.axes) WriteAxis(a, &out);
  if (!c.actuator_matrix.empty()) absl::StrAppend(&out, "actuator_matrix:\n");
  for (const std::vector<double>& row : c.actuator_matrix) {
    absl::StrAppend(&out, "  - [");
    for (std::size_t j = 0; j < row.size(); ++j) absl::StrAppend(&out, j > 0 ? ", " : "", Number(row[j]));
    absl::StrAppend(&out, "]\n");
  }
  absl::StrAppend(&out, "sim:\n");
  Map sim(&out, 2);
  sim.Text("seed", absl::StrCat(c.sim.seed));
  sim.Number("mismatch", c.sim.mismatch);
  sim.Number("delay_s", c.sim.delay_s);
  sim.Text("substeps", absl::StrCat(c.sim.substeps));
  if (!c.sim.plant.empty()) absl::StrAppend(&out, "  plant:\n");
  for (const AxisPlant& p : c.sim.plant)
    absl::StrAppend(&out, "    - {inertia: ", Number(p.inertia), ", viscous: ", Number(p.viscous), ", coulomb: ", Number(p.coulomb), "}\n");
  return out;
}

}  // namespace torqued
