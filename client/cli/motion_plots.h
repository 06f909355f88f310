// Plots of a motion by name, one as SVG or all on one page.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "client/planning/dynamics_source.h"

namespace torqued::cli {

struct MotionAnswer;

inline constexpr char kPlotKinds[] = "torque, phase, speed, power, hand";

struct PlotWish {
  std::string kind;  // one of kPlotKinds, or "all"
  std::string file;  // .svg, or .html
};

// "torque=FILE.svg"; INVALID_ARGUMENT: no such kind, another ending.
absl::StatusOr<PlotWish> ParsePlot(const std::string& flag, const std::string& text);
absl::Status CheckPlot(const std::string& flag, const PlotWish& plot);

// `source` is asked for the hand's way only. FAILED_PRECONDITION: the motion lacks what the plot shows; with "all" that kind is left out.
absl::Status WritePlot(const PlotWish& plot, const MotionAnswer& answer, DynamicsSource& source);

}  // namespace torqued::cli
