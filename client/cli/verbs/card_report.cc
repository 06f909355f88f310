// torquectl card report: how did a recorded motion go, in numbers and as a picture?
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "client/card/plot.h"
#include "client/card/report.h"
#include "client/cli/verbs/card_machine.h"
#include "client/cli/verbs/verbs.h"
#include "client/planning/trajectory_file.h"

namespace torqued::cli {
namespace {

class CardReport : public Verb {
 public:
  VerbText Text() const override {
    return {"card report",
            kCard,
            "report and plot of a recorded motion",
            {"card report run.json --plot run.svg", "card report with.json --compare without.json --plot both.svg", "card report run.bin --convert run.csv"},
            "--compare sets another recording beside it: peak following errors and their ratio."};
  }

  void Declare(OptionSet& options) override {
    options.Argument("RECORDING", recording_, "from card run --record: .json or .bin");
    options.Text("--plot", plot_, "FILE.svg", "following error, torque command and actual, lateness");
    options.Text("--compare", compare_, "RECORDING", "another run of the same motion");
    options.Text("--config", config_, "FILE", "card.yaml, for the limits");
    options.Text("--convert", convert_, "FILE", "the recording as .json, .csv or .bin");
    options.Text("--trajectory", trajectory_, "FILE", "what was commanded, as a trajectory that card run takes (.csv, else JSON)");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    if (session.shared().csv) return absl::InvalidArgumentError("--csv: want --convert FILE.csv for the cycles, --json for the report");
    const auto run = ReadRecording(recording_);
    if (!run.ok()) return run.status();
    std::optional<CardConfig> config;
    if (!config_.empty()) {
      auto read = ReadCardConfigFile(config_, nullptr);
      if (!read.ok()) return read.status();
      if (read->JointNames() != run->joints) return absl::InvalidArgumentError(absl::StrCat(config_, ": has other axes than ", recording_));
      config = *std::move(read);
    }
    const CardConfig* limits = config ? &*config : nullptr;
    std::optional<Recording> other;
    if (!compare_.empty()) {
      auto read = ReadRecording(compare_);
      if (!read.ok()) return read.status();
      if (read->joints != run->joints) return absl::InvalidArgumentError(absl::StrCat(compare_, ": has other joints than ", recording_));
      other = *std::move(read);
    }
    if (!plot_.empty()) {
      PlotOptions options;
      options.label = recording_;
      options.compare_label = compare_;
      options.compare = other ? &*other : nullptr;
      if (absl::Status written = WriteFile(plot_, PlotSvg(*run, limits, options)); !written.ok()) return written;
    }
    if (!convert_.empty())
      if (absl::Status written = WriteRecording(*run, convert_); !written.ok()) return written;
    if (!trajectory_.empty()) {
      const auto commanded = ToTrajectory(*run);
      if (!commanded.ok()) return commanded.status();
      const auto format = absl::EndsWith(trajectory_, ".csv") ? TrajectoryFormat::kCsv : TrajectoryFormat::kJson;
      if (absl::Status written = WriteFile(trajectory_, WriteTrajectory(*commanded, format, run->linear)); !written.ok()) return written;
    }
    if (session.shared().json) {
      session.out() << ReportJson(*run, limits) << "\n";
      return Exit::kOk;
    }
    session.out() << ReportText(*run, limits);
    if (other) session.out() << "\n" << Compared(*run, *other);
    return Exit::kOk;
  }

 private:
  std::string Compared(const Recording& run, const Recording& other) const {
    const RunStatistics mine = Summarize(run), theirs = Summarize(other);
    Sheet sheet{"peak following error", {"joint", "unit", recording_, compare_, "ratio"}, {}};
    for (size_t i = 0; i < run.joints.size(); ++i) {
      const double a = mine.axis[i].peak_following, b = theirs.axis[i].peak_following;
      sheet.rows.push_back({run.joints[i], run.linear[i] ? "m" : "rad", absl::StrFormat("%.6f", a), absl::StrFormat("%.6f", b),
                            a > 0 ? absl::StrFormat("%.1f", b / a) : "-"});
    }
    return ToTable(sheet);
  }

  std::string recording_, plot_, compare_, config_, convert_, trajectory_;
};

}  // namespace

std::unique_ptr<Verb> MakeCardReport() { return std::make_unique<CardReport>(); }

}  // namespace torqued::cli
