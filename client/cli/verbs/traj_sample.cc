// torquectl traj sample, traj convert: a trajectory at another cycle, in another file format.
#include <absl/strings/str_cat.h>

#include "client/cli/numbers.h"
#include "client/cli/trajectory_io.h"
#include "client/cli/verbs/planning_verbs.h"
#include "client/planning/plan.h"
#include "client/planning/trajectory_file.h"

namespace torqued::cli {
namespace {

// Writes to --out, or prints as --json or CSV.
absl::StatusOr<Exit> PutTrajectory(Session& session, const Trajectory& trajectory, const std::vector<bool>& is_linear,
                                   const std::string& out, const std::string& title) {
  if (out.empty()) {
    session.out() << WriteTrajectory(trajectory, session.shared().json ? TrajectoryFormat::kJson : TrajectoryFormat::kCsv, is_linear);
    return Exit::kOk;
  }
  if (absl::Status s = WriteTrajectoryFile(out, trajectory, is_linear); !s.ok()) return s;
  session.err() << title << ": " << trajectory.sample_count() << " samples, " << Fixed(trajectory.duration_s(), 4) << " s, written to " << out << "\n";
  return Exit::kOk;
}

// Joints named in --linear move in metres.
absl::StatusOr<std::vector<bool>> LinearJoints(const Trajectory& trajectory, const std::string& names) {
  std::vector<bool> linear(trajectory.joint_names.size(), false);
  for (const std::string& name : SplitTrimmed(names, ',')) {
    bool found = false;
    for (size_t j = 0; j < linear.size(); ++j)
      if (trajectory.joint_names[j] == name) linear[j] = found = true;
    if (!found) return absl::InvalidArgumentError(absl::StrCat("--linear: the trajectory has no joint '", name, "'"));
  }
  return linear;
}

class TrajSampleVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj sample",
            kPlanning,
            "a trajectory at another cycle",
            {"traj sample move.json --cycle 4ms --out move-4ms.csv"},
            "Between samples the motion is a quintic that honours positions, speeds and accelerations. The duration is rounded up to whole "
            "cycles by scaling time; the last sample is the file's own."};
  }
  void Declare(OptionSet& options) override {
    options.Argument("FILE", file_, "trajectory: CSV, JSON or YAML; - reads standard input");
    options.Group("Sampling");
    options.Required("--cycle", cycle_, "1ms", "time between samples");
    options.Text("--linear", linear_, "J1,J2", "joints that move in metres: for the units in the header of CSV");
    options.Text("--out,--output", out_, "FILE", ".csv or .json; default: CSV on standard output");
  }
  absl::StatusOr<Exit> Run(Session& session) override {
    const auto cycle = ParseDuration("--cycle", cycle_);
    if (!cycle.ok()) return cycle.status();
    if (absl::Status s = CheckTrajectoryName("--out", out_); !s.ok()) return s;
    const auto trajectory = ReadTrajectoryFile(file_);
    if (!trajectory.ok()) return trajectory.status();
    const double seconds = std::chrono::duration<double>(*cycle).count();
    if (trajectory->duration_s() / seconds > 1e7)
      return absl::InvalidArgumentError(absl::StrCat("--cycle: ", cycle_, " makes more than 10 million samples of ", trajectory->duration_s(), " s"));
    const auto linear = LinearJoints(*trajectory, linear_);
    if (!linear.ok()) return linear.status();
    const auto sampled = SampleTrajectory(*trajectory, seconds);
    if (!sampled.ok()) return sampled.status();
    return PutTrajectory(session, *sampled, *linear, out_, "traj sample");
  }

 private:
  std::string file_, cycle_, out_, linear_;
};

class TrajConvertVerb : public Verb {
 public:
  VerbText Text() const override {
    return {"traj convert",
            kPlanning,
            "a trajectory in another file format",
            {"traj convert move.csv --out move.json", "traj convert echoed.yaml > move.csv"},
            "CSV and JSON go both ways; YAML with the names of trajectory_msgs/JointTrajectory is read. What the file leaves out of speeds "
            "and accelerations comes from a spline through its positions."};
  }
  void Declare(OptionSet& options) override {
    options.Argument("FILE", file_, "trajectory: CSV, JSON or YAML; - reads standard input");
    options.Group("Output");
    options.Text("--linear", linear_, "J1,J2", "joints that move in metres: for the units in the header of CSV");
    options.Text("--out,--output", out_, "FILE", ".csv or .json; default: CSV (or --json) on standard output");
  }
  absl::StatusOr<Exit> Run(Session& session) override {
    if (absl::Status s = CheckTrajectoryName("--out", out_); !s.ok()) return s;
    const auto trajectory = ReadTrajectoryFile(file_);
    if (!trajectory.ok()) return trajectory.status();
    const auto linear = LinearJoints(*trajectory, linear_);
    if (!linear.ok()) return linear.status();
    return PutTrajectory(session, *trajectory, *linear, out_, "traj convert");
  }

 private:
  std::string file_, out_, linear_;
};

}  // namespace

std::unique_ptr<Verb> MakeTrajSample() { return std::make_unique<TrajSampleVerb>(); }
std::unique_ptr<Verb> MakeTrajConvert() { return std::make_unique<TrajConvertVerb>(); }

}  // namespace torqued::cli
