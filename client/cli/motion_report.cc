#include "client/cli/motion_report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "client/cli/motion_plots.h"
#include "client/cli/mover.h"
#include "client/cli/numbers.h"
#include "client/cli/trajectory_io.h"
#include "client/planning/explain.h"
#include "client/planning/trajectory_file.h"

namespace torqued::cli {
namespace {

using Json = nlohmann::ordered_json;

Cell Rounded(double value, int decimals) { return std::isfinite(value) ? Cell(Fixed(value, decimals)) : Cell(""); }
Cell Percent(double value, double limit) { return std::isfinite(limit) ? Cell(Fixed(100 * value / limit, 1)) : Cell(""); }

bool SomeTorque(const MotionAnswer& answer) { return answer.trajectory->has_tau(); }

Sheet JointSheet(const MotionAnswer& answer) {
  const bool torque = SomeTorque(answer);
  Sheet sheet{"", {"joint", "unit", "from", "to", "peak speed", "of limit [%]", "peak acceleration", "of limit [%]"}, {}};
  if (torque)
    for (const char* name : {"peak torque", "of limit [%]", "at [s]", "RMS torque", "peak power [W]"}) sheet.columns.push_back(name);
  const Trajectory& t = *answer.trajectory;
  for (size_t j = 0; j < answer.report->joints.size(); ++j) {
    const JointReport& r = answer.report->joints[j];
    const auto row = static_cast<Eigen::Index>(j);
    std::vector<Cell> cells = {r.name,
                               answer.facts.is_linear[j] ? "m, N" : "rad, Nm",
                               Rounded(t.q(row, 0), 4),
                               Rounded(t.q(row, t.q.cols() - 1), 4),
                               Rounded(r.peak_velocity, 3),
                               Percent(r.peak_velocity, r.velocity_limit),
                               Rounded(r.peak_acceleration, 2),
                               Percent(r.peak_acceleration, r.acceleration_limit)};
    if (torque)
      for (Cell cell : {Rounded(r.peak_torque, 2), Percent(r.peak_torque, r.torque_limit), Rounded(r.peak_torque_time_s, 3),
                        Rounded(r.rms_torque, 2), Rounded(r.peak_power, 1)})
        cells.push_back(std::move(cell));
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

std::string Summary(const MotionAnswer& answer) {
  const PlanReport& r = *answer.report;
  std::string line = absl::StrCat(answer.title, " of ", RevisionForPeople(answer.facts.revision), ": ",
                                  Fixed(r.duration_s, 4), " s, ", answer.trajectory->sample_count(), " samples");
  if (r.lower_bound_s > 0) absl::StrAppend(&line, "; no timing of this path is below ", Fixed(r.lower_bound_s, 4), " s");
  if (SomeTorque(answer))
    absl::StrAppend(&line, "\nenergy ", Fixed(r.energy, 2), " J given, ", Fixed(r.regenerated, 2), " J taken back");
  if (r.path_residual > 0) absl::StrAppend(&line, "; the hand leaves its path by ", absl::StrFormat("%.1g", r.path_residual), " m at most");
  if (!answer.branch_start.empty() || !answer.branch_end.empty()) {
    absl::StrAppend(&line, "\nbranch ", answer.branch_start.empty() ? answer.branch_end : answer.branch_start);
    if (!answer.branch_start.empty() && answer.branch_start != answer.branch_end) absl::StrAppend(&line, " to ", answer.branch_end);
  }
  return line + "\n";
}

Sheet BindingSheet(const std::vector<BindingShare>& shares) {
  Sheet sheet{"what limits the motion", {"limit", "time [s]", "share [%]", "first at [s]", "last at [s]"}, {}};
  for (const BindingShare& b : shares)
    sheet.rows.push_back({b.what, Rounded(b.seconds, 4), Rounded(100 * b.share, 1), Rounded(b.first_s, 4), Rounded(b.last_s, 4)});
  return sheet;
}

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ToJson(const MotionAnswer& answer) {
  const PlanReport& r = *answer.report;
  Json out;
  out["what"] = answer.title;
  out["revision"] = answer.facts.revision;
  out["duration"] = r.duration_s;
  if (r.lower_bound_s > 0) out["lower_bound"] = r.lower_bound_s;
  if (!r.rung.empty()) out["rung"] = r.rung;
  if (!answer.branch_start.empty()) out["branch_start"] = answer.branch_start;
  if (!answer.branch_end.empty()) out["branch_end"] = answer.branch_end;
  out["energy"] = r.energy;
  out["regenerated"] = r.regenerated;
  out["path_residual"] = r.path_residual;
  out["end_error"] = r.end_error;
  out["worst_torque_ratio"] = r.worst_torque_ratio;
  out["joints"] = Json::array();
  for (const JointReport& j : r.joints)
    out["joints"].push_back({{"name", j.name},
                             {"peak_torque", j.peak_torque},
                             {"peak_torque_time", j.peak_torque_time_s},
                             {"rms_torque", j.rms_torque},
                             {"torque_limit", Number(j.torque_limit)},
                             {"torque_margin", j.torque_margin},
                             {"saturated_share", j.saturated_share},
                             {"peak_power", j.peak_power},
                             {"mean_power", j.mean_power},
                             {"energy", j.energy},
                             {"regenerated", j.regenerated},
                             {"peak_velocity", j.peak_velocity},
                             {"velocity_limit", Number(j.velocity_limit)},
                             {"peak_acceleration", j.peak_acceleration},
                             {"acceleration_limit", Number(j.acceleration_limit)},
                             {"peak_jerk", j.peak_jerk},
                             {"lowest", j.lowest},
                             {"highest", j.highest}});
  if (answer.timed != nullptr) {
    out["binding"] = Json::array();
    for (const BindingShare& b : BindingShares(*answer.timed, r.binding))
      out["binding"].push_back(
          {{"limit", b.what}, {"seconds", b.seconds}, {"share", b.share}, {"first_at", b.first_s}, {"last_at", b.last_s}});
  }
  out["violations"] = r.violations;
  out["warnings"] = r.warnings;
  out["trajectory"] = Json::parse(WriteTrajectory(*answer.trajectory, TrajectoryFormat::kJson));
  return out;
}

}  // namespace

std::vector<BindingShare> BindingShares(const TimedPath& timed, const std::vector<BindingSpan>& spans) {
  std::vector<BindingShare> out;
  if (!timed.grid || timed.time_s.size() != timed.grid->s.size()) return out;
  const std::vector<double>& s = timed.grid->s;
  const auto time_at = [&](double at) {
    const size_t k = static_cast<size_t>(
        std::clamp<std::ptrdiff_t>(std::upper_bound(s.begin(), s.end(), at) - s.begin(), 1, static_cast<std::ptrdiff_t>(s.size()) - 1));
    const double span = s[k] - s[k - 1], part = span > 0 ? std::clamp((at - s[k - 1]) / span, 0.0, 1.0) : 0.0;
    return timed.time_s[k - 1] + part * (timed.time_s[k] - timed.time_s[k - 1]);
  };
  const double total = timed.duration_s();
  for (const BindingSpan& span : spans) {
    const double from = time_at(span.s_from), to = time_at(span.s_to);
    auto at = std::find_if(out.begin(), out.end(), [&](const BindingShare& b) { return b.what == span.what; });
    if (at == out.end()) at = out.insert(out.end(), {span.what, 0, 0, from, to});
    at->seconds += to - from;
    at->share += total > 0 ? (to - from) / total : 0;
    at->last_s = to;
  }
  std::stable_sort(out.begin(), out.end(), [](const BindingShare& a, const BindingShare& b) { return a.seconds > b.seconds; });
  return out;
}

void MotionOutput::Declare(OptionSet& options, bool file) {
  options.Group("Output");
  if (!file) return;
  options.Text("--out,--output", out_, "FILE", "write the trajectory: .csv, or .json with the names of JointTrajectory");
  options.Text("--explain", explain_, "T", "say what limits the motion at this time [s], per joint");
  options.Repeated("--plot", plots_, "KIND=FILE.svg", std::string("draw: ") + kPlotKinds + "; all=FILE.html for every kind on one page");
}

absl::Status MotionOutput::Check() const {
  absl::Status status = CheckTrajectoryName("--out", out_);
  if (!explain_.empty()) status.Update(ParseDuration("--explain", explain_ == "0" ? "1" : explain_).status());
  for (const std::string& plot : plots_) status.Update(ParsePlot("--plot", plot).status());
  return status;
}

absl::Status MotionOutput::WriteFiles(Session& session, const MotionAnswer& answer, DynamicsSource& source) const {
  if (!out_.empty()) {
    if (absl::Status s = WriteTrajectoryFile(out_, *answer.trajectory, answer.facts.is_linear); !s.ok()) return s;
    session.err() << answer.title << ": " << answer.trajectory->sample_count() << " samples written to " << out_ << "\n";
  }
  for (const std::string& text : plots_) {
    const auto plot = ParsePlot("--plot", text);
    if (!plot.ok()) return plot.status();
    if (absl::Status s = WritePlot(*plot, answer, source); !s.ok()) return s;
    session.err() << answer.title << ": " << plot->kind << " drawn in " << plot->file << "\n";
  }
  return absl::OkStatus();
}

absl::StatusOr<Exit> MotionOutput::Show(Session& session, const MotionAnswer& answer, DynamicsSource& source) const {
  if (absl::Status s = WriteFiles(session, answer, source); !s.ok()) return s;
  const PlanReport& r = *answer.report;
  std::string explained;
  if (!explain_.empty()) {
    if (answer.timed == nullptr)
      return absl::InvalidArgumentError("--explain: only for moves that are timed along a path (--kind time-optimal)");
    const auto at = explain_ == "0" ? absl::StatusOr<double>(0.0) : [&]() -> absl::StatusOr<double> {
      const auto t = ParseDuration("--explain", explain_);
      if (!t.ok()) return t.status();
      return std::chrono::duration<double>(*t).count();
    }();
    if (!at.ok()) return at.status();
    const auto said = ExplainAt(*answer.timed, *at);
    if (!said.ok()) return absl::Status(said.status().code(), absl::StrCat("--explain: ", said.status().message()));
    explained = said->text;
  }
  std::ostream& notes = session.for_people() ? session.out() : session.err();
  if (session.shared().json) {
    Json out = ToJson(answer);
    if (!explained.empty()) out["explanation"] = explained;
    session.out() << out.dump(1) << "\n";
  } else if (session.shared().csv) {
    session.out() << WriteTrajectory(*answer.trajectory, TrajectoryFormat::kCsv, answer.facts.is_linear);
  } else {
    session.out() << Summary(answer) << "\n" << ToTable(JointSheet(answer));
    if (answer.timed != nullptr && !r.binding.empty())
      session.out() << "\n" << ToTable(BindingSheet(BindingShares(*answer.timed, r.binding)));
  }
  if (!explained.empty() && !session.shared().json) notes << (session.for_people() ? "\n" : "") << explained;
  if (session.for_people() && (!r.warnings.empty() || !r.violations.empty())) notes << "\n";
  if (!session.shared().json)
    for (const std::string& warning : r.warnings) notes << "note: " << warning << "\n";
  for (const std::string& violation : r.violations) (session.shared().json ? session.err() : notes) << "limit passed: " << violation << "\n";
  return r.violations.empty() ? Exit::kOk : Exit::kCheckFailed;
}

absl::StatusOr<Exit> ShowFailure(Session& session, const std::string& verb, const absl::Status& status) {
  if (!IsInfeasible(status)) return status;
  session.err() << "torquectl " << verb << ": " << status.message() << "\n";
  if (session.shared().json) {
    Json out = {{"infeasible", std::string(status.message())}};
    if (const auto why = InfeasibilityOf(status))
      out.update({{"share_of_path", why->share}, {"q", why->q}, {"joint", why->joint}, {"limit_kind", why->limit_kind},
                  {"limit", Number(why->limit)}, {"needed", Number(why->needed)}, {"smallest_factor", Number(why->smallest_factor)}});
    session.out() << out.dump(1) << "\n";
  }
  return Exit::kInfeasible;
}

}  // namespace torqued::cli
