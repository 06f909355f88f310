#include "client/card/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace torqued {
namespace {

double Rms(double sum_sq, std::uint64_t n) { return n > 0 ? std::sqrt(sum_sq / static_cast<double>(n)) : 0; }

std::string JointName(const Recording& r, int joint) {
  return joint >= 0 && joint < static_cast<int>(r.joints.size()) ? r.joints[joint] : "";
}

}  // namespace

RunStatistics Summarize(const Recording& r) {
  RunStatistics s;
  for (const CycleRecord& c : r.cycles) s.Add(c, static_cast<int>(r.joints.size()));
  return s;
}

std::string ReportText(const Recording& r, const CardConfig* config) {
  const RunStatistics s = Summarize(r);
  const auto cycle_ns = static_cast<std::int64_t>(1e9 * r.cycle_s);
  std::string out = absl::StrCat("outcome      ", r.outcome, "\n");
  if (!r.cause.ok()) absl::StrAppend(&out, "cause        ", ToString(r.cause, JointName(r, r.cause.joint)), "\n");
  absl::StrAppendFormat(&out, "set-points   %d executed of %d planned at full pace, %d held cycles\n", s.executed, r.planned, s.held);
  absl::StrAppendFormat(&out, "cycles       %d of %g ms, %d feedback records lost, %d not recorded\n", s.cycles, 1e3 * r.cycle_s, s.lost_feedback, r.lost);
  absl::StrAppendFormat(&out, "lateness     card worst %.1f us, p99 %.1f us, in time %.4f %%; bridge worst %.1f us, p99 %.1f us, in time %.4f %%\n",
                        1e-3 * s.card.worst_ns(), 1e-3 * s.card.PercentileNs(0.99), 100 * s.card.OnTimeShare(cycle_ns),
                        1e-3 * s.bridge.worst_ns(), 1e-3 * s.bridge.PercentileNs(0.99), 100 * s.bridge.OnTimeShare(cycle_ns));
  absl::StrAppend(&out, "real time    ", r.real_time ? "yes" : "no (ordinary scheduling)", "\n");
  absl::StrAppendFormat(&out, "%-20s %13s %10s %13s %12s %12s %9s\n", "joint", "peak error", "at cycle", "RMS error", "peak torque", "RMS torque", "of limit");
  for (std::size_t i = 0; i < r.joints.size(); ++i) {
    const AxisStatistics& a = s.axis[i];
    const char* unit = r.linear[i] ? "m" : "rad";
    absl::StrAppendFormat(&out, "%-20s %9.6f %-3s %10d %9.6f %-3s %12.3f %12.3f ", r.joints[i], a.peak_following, unit, a.peak_following_cycle,
                          Rms(a.sum_sq_following, s.cycles), unit, a.peak_tau_command, Rms(a.sum_sq_tau, s.cycles));
    if (config && static_cast<int>(i) < config->axis_count())
      absl::StrAppendFormat(&out, "%7.1f %%\n", 100 * a.peak_tau_command / config->axes[i].torque);
    else
      absl::StrAppend(&out, "        -\n");
  }
  if (s.saturated > 0) absl::StrAppendFormat(&out, "torque was clipped at its limit in %d cycles\n", s.saturated);
  return out;
}

std::string ReportJson(const Recording& r, const CardConfig* config) {
  using nlohmann::json;
  const RunStatistics s = Summarize(r);
  const auto cycle_ns = static_cast<std::int64_t>(1e9 * r.cycle_s);
  const auto lateness = [&](const Lateness& l) {
    return json{{"worst_s", 1e-9 * l.worst_ns()}, {"p50_s", 1e-9 * l.PercentileNs(0.5)}, {"p99_s", 1e-9 * l.PercentileNs(0.99)},
                {"in_time_share", l.OnTimeShare(cycle_ns)}};
  };
  json j{{"outcome", r.outcome}, {"driver", r.driver}, {"real_time", r.real_time}, {"cycle_s", r.cycle_s},
         {"planned", r.planned}, {"executed", s.executed}, {"held_cycles", s.held}, {"cycles", s.cycles},
         {"lost_feedback", s.lost_feedback}, {"lost_records", r.lost}, {"saturated_cycles", s.saturated},
         {"card_lateness", lateness(s.card)}, {"bridge_lateness", lateness(s.bridge)}};
  if (!r.cause.ok())
    j["cause"] = {{"name", Name(r.cause.code)}, {"joint", JointName(r, r.cause.joint)}, {"cycle", r.cause.cycle},
                  {"value", std::isfinite(r.cause.value) ? json(r.cause.value) : json(nullptr)}, {"limit", r.cause.limit},
                  {"vendor", r.cause.vendor}, {"text", ToString(r.cause, JointName(r, r.cause.joint))}};
  json joints = json::array();
  for (std::size_t i = 0; i < r.joints.size(); ++i) {
    const AxisStatistics& a = s.axis[i];
    json row{{"name", r.joints[i]}, {"unit", r.linear[i] ? "m" : "rad"}, {"peak_following_error", a.peak_following},
             {"peak_following_error_cycle", a.peak_following_cycle}, {"rms_following_error", Rms(a.sum_sq_following, s.cycles)},
             {"peak_torque_command", a.peak_tau_command}, {"peak_torque", a.peak_tau}, {"rms_torque", Rms(a.sum_sq_tau, s.cycles)},
             {"peak_speed", a.peak_speed}};
    if (config && static_cast<int>(i) < config->axis_count()) row["torque_limit"] = config->axes[i].torque;
    joints.push_back(std::move(row));
  }
  j["joints"] = std::move(joints);
  return j.dump(2);
}

}  // namespace torqued
