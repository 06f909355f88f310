#include "client/cli/motion_plots.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <array>
#include <utility>

#include "client/cli/motion_report.h"
#include "client/cli/mover.h"
#include "client/cli/numbers.h"
#include "client/planning/plot.h"

namespace torqued::cli {
namespace {

constexpr std::array kKinds = {std::pair{"torque", Plot::kTorque}, std::pair{"phase", Plot::kPhasePlane},
                               std::pair{"speed", Plot::kSpeed}, std::pair{"power", Plot::kPower}, std::pair{"hand", Plot::kHand}};

absl::StatusOr<std::string> Draw(Plot plot, const MotionAnswer& answer, DynamicsSource& source) {
  Eigen::Matrix3Xd points;
  if (plot == Plot::kHand) {
    const auto frames = source.Frames(answer.trajectory->q, false);
    if (!frames.ok()) return frames.status();
    points.resize(3, answer.trajectory->q.cols());
    for (Eigen::Index k = 0; k < points.cols(); ++k) points.col(k) = frames->X_WF[static_cast<size_t>(k)].translation();
  }
  PlotOptions options;
  options.title = absl::StrCat(answer.title, ", ", ModelId(answer.facts.revision), ", ", Fixed(answer.report->duration_s, 3), " s");
  return PlotTrajectory(plot, *answer.trajectory, answer.limits, answer.timed, points, options);
}

}  // namespace

absl::Status CheckPlot(const std::string& flag, const PlotWish& plot) {
  bool known = plot.kind == "all";
  for (const auto& kind : kKinds) known = known || plot.kind == kind.first;
  if (!known) return absl::InvalidArgumentError(absl::StrCat(flag, ": '", plot.kind, "' is no plot, want one of ", kPlotKinds, ", all"));
  const bool html = absl::EndsWith(plot.file, ".html");
  if (plot.kind == "all" && !html)
    return absl::InvalidArgumentError(absl::StrCat(flag, ": all: ", plot.file, ", want a name that ends in .html"));
  if (!html && !absl::EndsWith(plot.file, ".svg"))
    return absl::InvalidArgumentError(absl::StrCat(flag, ": ", plot.file, ", want a name that ends in .svg or .html"));
  return absl::OkStatus();
}

absl::StatusOr<PlotWish> ParsePlot(const std::string& flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    return absl::InvalidArgumentError(absl::StrCat(flag, ": '", text, "', want KIND=FILE.svg with KIND one of ", kPlotKinds));
  PlotWish plot{text.substr(0, equals), text.substr(equals + 1)};
  if (absl::Status s = CheckPlot(flag, plot); !s.ok()) return s;
  return plot;
}

absl::Status WritePlot(const PlotWish& plot, const MotionAnswer& answer, DynamicsSource& source) {
  std::string text;
  for (const auto& kind : kKinds) {
    if (plot.kind != "all" && plot.kind != kind.first) continue;
    const auto svg = Draw(kind.second, answer, source);
    if (!svg.ok() && plot.kind == "all" && svg.status().code() == absl::StatusCode::kFailedPrecondition) continue;
    if (!svg.ok()) return svg.status();
    text += *svg;
  }
  if (absl::EndsWith(plot.file, ".html"))
    text = absl::StrCat("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>", answer.title, "</title></head>\n<body>\n", text,
                        "</body></html>\n");
  return WriteFile(plot.file, text);
}

}  // namespace torqued::cli
