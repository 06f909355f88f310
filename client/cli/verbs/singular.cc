// torquectl singular: which directions has the hand lost, and which joint motions do nothing?
#include <absl/strings/str_cat.h>

#include "client/cli/numbers.h"
#include "client/cli/subject.h"
#include "client/cli/verbs/verbs.h"
#include "torqued/v1/kinematics.pb.h"

namespace torqued::cli {
namespace {

std::string KindName(v1::SingularityKind kind) {
  switch (kind) {
    case v1::SINGULARITY_KIND_NONE:
      return "regular";
    case v1::SINGULARITY_KIND_BOUNDARY:
      return "singular: boundary of the workspace";
    case v1::SINGULARITY_KIND_INTERIOR:
      return "singular: inside the workspace (axes in line)";
    case v1::SINGULARITY_KIND_UNDETERMINED:
      return "singular: boundary or inside, no search could tell";
    default:
      return "unknown";
  }
}

Sheet Directions(const std::string& title, const google::protobuf::RepeatedField<double>& values,
                 const std::vector<std::string>& columns) {
  Sheet sheet{title, columns, {}};
  const int width = static_cast<int>(columns.size());
  for (int r = 0; width > 0 && r < values.size() / width; ++r) {
    sheet.rows.emplace_back();
    for (int c = 0; c < width; ++c) sheet.rows.back().push_back(values[r * width + c]);
  }
  return sheet;
}

class Singular : public Verb {
 public:
  VerbText Text() const override {
    return {"singular",
            kKinematics,
            "singular values, rank, manipulability, lost directions",
            {"singular ur5e --q 0,0,0,0,0,0", "singular two-link --q 30,0 --deg",
             "singular puma560 --states path.csv --csv"},
            "A singular position is an answer, not an error (exit code 0)."};
  }

  void Declare(OptionSet& options) override {
    subject_.Declare(options, StateOptions::kQ, false, false);
    options.Group("Question");
    options.Text("--frame", frame_, "NAME", "frame or link; default: the tool frame");
    options.Choice("--expression", expression_, {"world-aligned", "body", "spatial"},
                   "axes and point (default: world-aligned)");
    options.Text("--rows", rows_, "LIST",
                 "which rows are the task, such as x,y; default: all that the robot can move");
    options.Text("--tolerance", tolerance_, "SHARE",
                 "singular values below this share of the largest count as zero; default 1e-9");
  }

  absl::StatusOr<Exit> Run(Session& session) override {
    const auto subject = subject_.Read(session);
    if (!subject.ok()) return subject.status();
    v1::AnalyzeSingularityRequest request;
    subject->Fill(request);
    request.set_frame(frame_);
    request.set_expression(ParseExpression(expression_));
    const auto rows = ParseRows("--rows", rows_);
    if (!rows.ok()) return rows.status();
    for (const int row : *rows) request.mutable_task()->add_rows(row);
    if (!tolerance_.empty()) {
      const auto tolerance = ParseNumber("--tolerance", tolerance_);
      if (!tolerance.ok()) return tolerance.status();
      request.set_relative_tolerance(*tolerance);
    }
    const auto answer = session.Ask<v1::AnalyzeSingularityResponse>(request);
    if (!answer.ok()) return answer.status();
    const bool many = answer->reports_size() > 1;
    session.Show(*answer, many || session.shared().csv ? Overview(*subject, *answer)
                                                       : Report(*subject, *answer));
    return Exit::kOk;
  }

 private:
  static std::vector<Sheet> Overview(const Subject& subject,
                                     const v1::AnalyzeSingularityResponse& answer) {
    Sheet sheet{KinematicHeadline("singularity", answer.info()),
                {"state", "rank", "condition", "manipulability", "smallest singular value", "kind"},
                {}};
    for (int s = 0; s < answer.reports_size(); ++s) {
      const auto& report = answer.reports(s);
      const int n = report.singular_values_size();
      sheet.rows.push_back({int64_t{s + 1}, int64_t{report.rank()},
                            report.condition() < 0 ? Cell("infinite") : Cell(report.condition()),
                            report.manipulability(),
                            n > 0 ? Cell(report.singular_values(n - 1)) : Cell(""),
                            KindName(report.kind())});
    }
    return {sheet};
  }

  static std::vector<Sheet> Report(const Subject& subject,
                                   const v1::AnalyzeSingularityResponse& answer) {
    const auto& report = answer.reports(0);
    static const std::vector<std::string> kRows = {"vx", "vy", "vz", "wx", "wy", "wz"};
    std::vector<std::string> task;
    for (const int row : answer.task_rows())
      task.push_back(row >= 0 && row < 6 ? kRows[static_cast<size_t>(row)] : "?");
    Sheet facts{KinematicHeadline("singularity", answer.info()), {"", ""}, {}};
    facts.rows = {
        {"kind", KindName(report.kind())},
        {"rank", int64_t{report.rank()}},
        {"condition", report.condition() < 0 ? Cell("infinite") : Cell(report.condition())},
        {"manipulability (Yoshikawa)", report.manipulability()},
        {"  of translation", report.manipulability_translation()},
        {"  of rotation", report.manipulability_rotation()}};
    if (report.has_asada())
      facts.rows.push_back({"Asada (smallest / largest inertia)", report.asada()});
    if (report.has_determinant()) facts.rows.push_back({"determinant", report.determinant()});
    std::vector<Sheet> sheets = {facts, {"singular values", {}, {{}}}};
    for (int i = 0; i < report.singular_values_size(); ++i) {
      sheets[1].columns.push_back(std::to_string(i + 1));
      sheets[1].rows[0].push_back(report.singular_values(i));
    }
    if (report.lost_directions_size() > 0)
      sheets.push_back(
          Directions("hand motions that no joint motion makes", report.lost_directions(), task));
    if (report.idle_motions_size() > 0)
      sheets.push_back(Directions("joint motions that move nothing", report.idle_motions(),
                                  Ids(Columns(subject.model, Quantity::kVelocity))));
    return sheets;
  }

  SubjectOptions subject_;
  std::string frame_, expression_, rows_, tolerance_;
};

}  // namespace

std::unique_ptr<Verb> MakeSingular() { return std::make_unique<Singular>(); }

}  // namespace torqued::cli
