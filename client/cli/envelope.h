// The picture of a sweep over payloads: per joint the band of its torques and its limit.
#pragma once

#include <string>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {

// A self-contained SVG, one panel per column; x: payload [kg] where each case has one, else the
// columns' histograms. `units`: of the columns.
std::string EnvelopeSvg(const v1::SweepResponse& answer, const std::vector<std::string>& units);

}  // namespace torqued::cli
