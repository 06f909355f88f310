// A motion as a picture: following error, torque, lateness; one self-contained SVG.
#pragma once

#include <string>

#include "client/card/config.h"
#include "client/card/recorder.h"

namespace torqued {

// Per joint: following error, and torque commanded and measured with the limit (where `config` is given); below: lateness of card
// and bridge. `compare` (may be null) is drawn over it in a second colour, under `labels`: PD alone against feed-forward, say.
// Every extreme survives: each pixel column shows its minimum and maximum.
struct PlotOptions {
  const Recording* compare = nullptr;
  std::string label = "this run", compare_label = "compared";
};
std::string PlotSvg(const Recording& recording, const CardConfig* config, const PlotOptions& options = {});

}  // namespace torqued
