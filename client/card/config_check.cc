// Is a card configuration possible, safe and meant? The rules, apart from the reading of the file.
#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "client/card/actuator_map.h"
#include "client/card/config.h"

namespace torqued {
namespace {

class Rules {
 public:
  void Add(FindingSeverity severity, const char* code, const std::string& where, const std::string& message) {
    found.push_back({severity, code, where, 0, message});
  }
  void Positive(const std::string& where, double value) {
    if (!(value > 0) || !std::isfinite(value))
      Add(FindingSeverity::kError, "not-positive", where, absl::StrCat("is ", value, ", want a number above 0"));
  }
  void NotNegative(const std::string& where, double value) {
    if (!(value >= 0) || !std::isfinite(value))
      Add(FindingSeverity::kError, "negative", where, absl::StrCat("is ", value, ", want 0 or more"));
  }
  void PowerOfTwo(const std::string& where, int value) {
    if (value < 2 || value > (1 << 20) || (value & (value - 1)) != 0)
      Add(FindingSeverity::kError, "not-a-power-of-two", where, absl::StrCat("is ", value, ", want a power of two from 2 to 2^20"));
  }

  std::vector<CardFinding> found;
};

void CheckAxis(const AxisConfig& a, const CardConfig& c, const std::string& at, Rules& r) {
  r.Positive(at + ".counts_per_unit", a.counts_per_unit);
  r.Positive(at + ".gear", a.gear);
  if (a.sign != 1 && a.sign != -1)
    r.Add(FindingSeverity::kError, "bad-sign", at + ".sign", absl::StrCat("is ", a.sign, ", want 1 or -1"));
  if (!std::isfinite(a.zero)) r.Add(FindingSeverity::kError, "not-finite", at + ".zero", "want a number");
  r.Positive(at + ".velocity", a.velocity);
  r.Positive(at + ".acceleration", a.acceleration);
  r.Positive(at + ".torque", a.torque);
  r.NotNegative(at + ".stop_deceleration", a.stop_deceleration);
  r.NotNegative(at + ".quick_deceleration", a.quick_deceleration);
  r.Positive(at + ".following_error.floor", a.following.floor);
  r.NotNegative(at + ".following_error.at_full_speed", a.following.at_full_speed);
  r.NotNegative(at + ".following_error.window_s", a.following.window_s);
  r.Positive(at + ".in_position", a.in_position);
  r.Positive(at + ".standstill", a.standstill);
  r.Positive(at + ".start_tolerance", a.start_tolerance);
  r.NotNegative(at + ".kp", a.kp);
  r.NotNegative(at + ".kd", a.kd);
  if (!(a.lower < a.upper))
    r.Add(FindingSeverity::kError, "empty-range", at, absl::StrCat("lower ", a.lower, " is not below upper ", a.upper));
  else if (!std::isfinite(a.lower) || !std::isfinite(a.upper))
    r.Add(a.linear ? FindingSeverity::kWarning : FindingSeverity::kNote, "no-position-limit", at,
          "has no position limit on at least one side: the card cannot refuse an overrun");
  if (a.homing.method == HomingMethod::kSwitch) {
    r.Positive(at + ".homing.latch_speed", a.homing.latch_speed);
    r.Positive(at + ".homing.travel", a.homing.travel);
    if (!(std::abs(a.homing.search_speed) > 0) || std::abs(a.homing.search_speed) > a.velocity)
      r.Add(FindingSeverity::kError, "bad-value", at + ".homing.search_speed",
            absl::StrCat("is ", a.homing.search_speed, ", want a speed other than 0 within the velocity limit"));
    if (a.homing.home_position < a.lower || a.homing.home_position > a.upper)
      r.Add(FindingSeverity::kError, "outside-range", at + ".homing.home_position", "is outside lower .. upper");
    if (std::abs(a.homing.latch_speed) > std::abs(a.homing.search_speed))
      r.Add(FindingSeverity::kWarning, "fast-latch", at + ".homing.latch_speed", "is faster than the search: the edge is read less precisely");
  }
  if (r.found.size() && r.found.back().severity == FindingSeverity::kError) return;
  const double count = 1 / (a.counts_per_unit * a.gear);
  if (count > a.in_position)
    r.Add(FindingSeverity::kWarning, "coarse-encoder", at, absl::StrCat("one count is ", count, ", more than the in-position band ", a.in_position));
  if (a.velocity * c.cycle_s * a.counts_per_unit * a.gear > 2e9)
    r.Add(FindingSeverity::kError, "counts-overflow", at, "full speed is more than 2e9 counts per cycle");
  if (a.stop_deceleration > 0 && a.quick_deceleration > 0 && a.quick_deceleration < a.stop_deceleration)
    r.Add(FindingSeverity::kError, "weaker-quick-stop", at + ".quick_deceleration", "is below the stop deceleration: a stop must escalate");
  if (a.following.floor < 3 * count)
    r.Add(FindingSeverity::kWarning, "tight-following-error", at + ".following_error.floor", "is below three encoder counts");
  if (a.kp == 0)
    r.Add(FindingSeverity::kNote, "no-position-loop", at, "kp is 0: the drive itself must close the position loop");
}

// A joint whose motors do not all know where they are cannot know it either.
void CheckCoupling(const CardConfig& c, Rules& r) {
  if (const std::string problem = ActuatorMap::Problem(c.actuator_matrix, c.axis_count()); !problem.empty()) {
    r.Add(FindingSeverity::kError, "bad-matrix", "actuator_matrix", problem);
    return;
  }
  const ActuatorMap map(c.actuator_matrix, c.axis_count());
  for (int joint = 0; joint < c.axis_count(); ++joint)
    for (int motor = 0; motor < c.axis_count(); ++motor)
      if (motor != joint && std::abs(map.joint_from_motor(joint, motor)) > 1e-12 && c.axes[joint].homing.method == HomingMethod::kAbsolute &&
          c.axes[motor].homing.method == HomingMethod::kSwitch)
        r.Add(FindingSeverity::kError, "homing-coupled", absl::StrCat("axes[", joint, "] (", c.axes[joint].name, ").homing"),
              absl::StrCat("is absolute, but the axis moves with the motor of ", c.axes[motor].name, ", which must be homed: want method switch"));
}

}  // namespace

std::vector<CardFinding> CheckCardConfig(const CardConfig& c) {
  Rules r;
  if (!(c.cycle_s >= 1e-5 && c.cycle_s <= 0.1))
    r.Add(FindingSeverity::kError, "bad-value", "cycle_s", absl::StrCat("is ", c.cycle_s, ", want 1e-5 to 0.1"));
  r.Positive("watchdog_s", c.watchdog_s);
  if (c.watchdog_s < 3 * c.cycle_s)
    r.Add(FindingSeverity::kError, "bad-value", "watchdog_s", absl::StrCat("is ", c.watchdog_s, ", want at least three cycles"));
  if (c.watchdog_s > 0.5)
    r.Add(FindingSeverity::kWarning, "slow-watchdog", "watchdog_s", absl::StrCat("is ", c.watchdog_s, ": a dead bridge keeps the robot moving that long"));
  r.Positive("path_stop_s", c.path_stop_s);
  r.Positive("command_timeout_s", c.command_timeout_s);
  if (c.hold_cycles < 0 || c.hold_cycles * c.cycle_s > 0.1)
    r.Add(FindingSeverity::kError, "bad-value", "hold_cycles", absl::StrCat("is ", c.hold_cycles, ", want 0 to 0.1 s worth of cycles"));
  r.PowerOfTwo("setpoint_capacity", c.setpoint_capacity);
  r.PowerOfTwo("feedback_capacity", c.feedback_capacity);
  if (c.axes.empty() || c.axis_count() > kMaxAxes)
    r.Add(FindingSeverity::kError, "axis-count", "axes", absl::StrCat("has ", c.axis_count(), " entries, want 1 to ", kMaxAxes));
  std::set<std::string> names;
  for (int i = 0; i < c.axis_count(); ++i) {
    const AxisConfig& a = c.axes[i];
    const std::string at = absl::StrCat("axes[", i, "] (", a.name, ")");
    if (a.name.empty()) r.Add(FindingSeverity::kError, "missing-name", at, "has no name");
    if (!names.insert(a.name).second) r.Add(FindingSeverity::kError, "duplicate-name", at, "has the name of an earlier axis");
    CheckAxis(a, c, at, r);
  }
  if (c.axis_count() <= kMaxAxes) CheckCoupling(c, r);
  if (!(c.sim.mismatch >= 0 && c.sim.mismatch < 1))
    r.Add(FindingSeverity::kError, "bad-value", "sim.mismatch", absl::StrCat("is ", c.sim.mismatch, ", want 0 to below 1"));
  if (!(c.sim.delay_s >= 0 && c.sim.delay_s <= 16 * c.cycle_s))
    r.Add(FindingSeverity::kError, "bad-value", "sim.delay_s", absl::StrCat("is ", c.sim.delay_s, ", want 0 to 16 cycles"));
  if (c.sim.substeps < 1 || c.sim.substeps > 100)
    r.Add(FindingSeverity::kError, "bad-value", "sim.substeps", absl::StrCat("is ", c.sim.substeps, ", want 1 to 100"));
  if (!c.sim.plant.empty() && c.sim.plant.size() != c.axes.size())
    r.Add(FindingSeverity::kError, "axis-count", "sim.plant", "want none or one entry per axis");
  for (std::size_t i = 0; i < c.sim.plant.size(); ++i) r.Positive(absl::StrCat("sim.plant[", i, "].inertia"), c.sim.plant[i].inertia);
  std::stable_sort(r.found.begin(), r.found.end(), [](const CardFinding& a, const CardFinding& b) { return a.severity < b.severity; });
  return r.found;
}

}  // namespace torqued
