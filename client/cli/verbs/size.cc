// torquectl size: which motors does this cycle need, and are those that are there enough?
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <nlohmann/json.hpp>

#include "client/cli/drives.h"
#include "client/cli/file.h"
#include "client/cli/numbers.h"
#include "client/cli/trajectory_io.h"
#include "client/cli/verbs/planning_shared.h"
#include "client/cli/verbs/planning_verbs.h"

namespace torqued::cli {
namespace {

constexpr double kRpm = 60 / (2 * 3.14159265358979323846);

class SizeVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"size",
            kPlanning,
            "torque and speed at the motors of a cycle, and their margins against the motors' curves",
            {"size scara cycle.csv --rest 200ms", "size scara cycle.csv --drives motors.yaml --payload tool0:mass=1"},
            "Without --drives the robot's own are taken (drives and actuator_matrix in its YAML). A drives file gives, per joint: gear_ratio, "
            "or lead_m (ball screw), or pulley_radius_m (belt); efficiency; motor: {kind: servo|stepper, inertia_kg_m2, "
            "continuous_torque_Nm, reserve, curve: [[rad/s, Nm], ...] or curve_file: FILE.csv}; and screw_spline: {lift, turn, lead_m} for the "
            "wrist of a SCARA. Exit code 2: a motor is not sufficient."};
  }

  void Declare(OptionSet& options) override {
    mover_.Declare(options);
    options.Argument("FILE", file_, "the cycle: a trajectory; - reads standard input");
    options.Group("Drives");
    options.Text("--drives", drives_, "FILE.yaml", "drives and motors, default the robot's own");
    options.Text("--rest", rest_, "200ms", "standing still after the cycle; counts for the RMS torque");
    options.Text("--inertia-ratio", ratio_, "10", "load over motor inertia above which a note is made");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    SizeOptions options;
    if (!rest_.empty() && rest_ != "0") {
      const auto rest = ParseDuration("--rest", rest_);
      if (!rest.ok()) return rest.status();
      options.rest_s = std::chrono::duration<double>(*rest).count();
    }
    if (!ratio_.empty()) {
      const auto ratio = ParseNumber("--inertia-ratio", ratio_);
      if (!ratio.ok()) return ratio.status();
      if (!(*ratio > 0)) return absl::InvalidArgumentError(absl::StrCat("--inertia-ratio: ", ratio_, ", want more than 0"));
      options.max_inertia_ratio = *ratio;
    }
    const auto mover = mover_.Read(session);
    if (!mover.ok()) return mover.status();
    const auto facts = mover->dynamics().Facts();
    if (!facts.ok()) return facts.status();
    auto set = Drives(session, *mover, *facts);
    if (!set.ok()) return set.status();
    options.actuator_matrix = set->actuator_matrix;
    auto cycle = ReadTrajectoryFile(file_, *facts);
    if (!cycle.ok()) return cycle.status();
    const auto report = PlanAgainIfChanged([&] { return CheckTrajectory(mover->dynamics(), *cycle); });
    if (!report.ok()) return report.status();
    const auto sized = SizeDrives(*cycle, set->drives, options);
    if (!sized.ok()) return sized.status();
    Show(session, *facts, *cycle, *sized);
    bool sufficient = true;
    for (const DriveSizing& d : *sized) sufficient = sufficient && d.sufficient;
    return sufficient ? Exit::kOk : Exit::kCheckFailed;
  }

 private:
  absl::StatusOr<DriveSet> Drives(Session& session, const Mover& mover, const RobotFacts& facts) const {
    std::string text, name = drives_, folder;
    if (!drives_.empty()) {
      const auto read = ReadWholeFile("", drives_);
      if (!read.ok()) return read.status();
      text = *read;
      if (const auto slash = drives_.rfind('/'); slash != std::string::npos) folder = drives_.substr(0, slash);
    } else {
      v1::GetModelRequest request;
      request.set_name(mover.context.model());
      request.set_view(v1::MODEL_VIEW_FULL);
      const auto model = session.Ask<v1::GetModelResponse>(request);
      if (!model.ok()) return model.status();
      text = model->model().source().text();
      name = RevisionForPeople(facts.revision);
      if (text.find("\ndrives:") == std::string::npos)
        return absl::FailedPreconditionError(absl::StrCat(name, ": describes no drives; want --drives FILE.yaml"));
    }
    auto set = ParseDrives(text, facts.joint_names, folder);
    if (!set.ok()) return absl::Status(set.status().code(), absl::StrCat(name, ": ", set.status().message()));
    return set;
  }

  static void Show(Session& session, const RobotFacts& facts, const Trajectory& cycle, const std::vector<DriveSizing>& sized) {
    const bool people = session.for_people();
    const auto cell = [people](double value, int decimals) { return people ? Cell(Fixed(value, decimals)) : Cell(value); };
    Sheet sheet{absl::StrCat("motors of ", RevisionForPeople(facts.revision), " over a cycle of ", Fixed(cycle.duration_s(), 3), " s"),
                {"drive", "peak torque [Nm]", "RMS torque [Nm]", "peak speed [rpm]", "peak power [W]", "regenerated [J]", "inertia ratio",
                 "curve margin [%]", "thermal margin [%]", "speed margin [%]", "sufficient"},
                {}};
    nlohmann::ordered_json drives = nlohmann::ordered_json::array();
    for (const DriveSizing& d : sized) {
      sheet.rows.push_back({d.name, cell(d.peak_torque, 4), cell(d.rms_torque, 4), cell(d.peak_speed * kRpm, 1), cell(d.peak_power, 2),
                            cell(d.regenerated, 3), cell(d.inertia_ratio, 2), cell(100 * d.curve_margin, 1), cell(100 * d.thermal_margin, 1),
                            cell(100 * d.speed_margin, 1), d.sufficient ? "yes" : "no"});
      drives.push_back({{"name", d.name}, {"peak_torque", d.peak_torque}, {"rms_torque", d.rms_torque}, {"peak_speed", d.peak_speed},
                        {"mean_speed", d.mean_speed}, {"peak_power", d.peak_power}, {"regenerated", d.regenerated},
                        {"inertia_ratio", d.inertia_ratio}, {"curve_margin", d.curve_margin}, {"thermal_margin", d.thermal_margin},
                        {"speed_margin", d.speed_margin}, {"worst_time", d.worst_time_s}, {"sufficient", d.sufficient}, {"findings", d.findings}});
    }
    if (session.shared().json)
      session.out() << nlohmann::ordered_json{{"revision", facts.revision}, {"duration", cycle.duration_s()}, {"drives", drives}}.dump(1) << "\n";
    else
      session.out() << (people ? ToTable(sheet) : ToCsv(sheet));
    if (session.shared().json) return;
    std::ostream& notes = people ? session.out() : session.err();
    bool first = people;
    for (const DriveSizing& d : sized)
      for (const std::string& finding : d.findings) {
        notes << (first ? "\n" : "") << d.name << ": " << finding << "\n";
        first = false;
      }
  }

  MoverOptions mover_;
  std::string file_, drives_, rest_, ratio_;
};

}  // namespace

std::unique_ptr<Verb> MakeSize() { return std::make_unique<SizeVerb>(); }

}  // namespace torqued::cli
