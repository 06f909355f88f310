// How did the motion go? One page for people, one JSON object for programs.
#pragma once

#include <string>

#include "client/card/config.h"
#include "client/card/recorder.h"

namespace torqued {

// Statistics of a recording's cycles.
RunStatistics Summarize(const Recording& recording);

// Text: outcome and cause, set-points planned and executed, per joint peak and RMS following error, torque peak and RMS against
// the limit (where `config` is given), lateness of card and bridge with the share of cycles in time.
std::string ReportText(const Recording& recording, const CardConfig* config);
std::string ReportJson(const Recording& recording, const CardConfig* config);

}  // namespace torqued
