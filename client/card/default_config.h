// A card for a robot that nobody has configured: what the simulation can assume from the model alone.
#pragma once

#include <vector>

#include "client/card/config.h"
#include "server/core/tree/model.h"
#include "server/core/tree/prepared.h"

namespace torqued {

// Limits from the model; what the model lacks is assumed and said (a note per assumption). Position loops of 8 Hz with damping 0.9 on
// the largest inertia met in a few poses, encoders of 2^20 counts per radian or 10^7 per metre, stops as hard as the position loop holds
// within half the following-error limit. For driver sim only: a real machine has its own file.
// REQUIRES: one-degree joints, masses known (CheckSimModel).
CardConfig DefaultSimConfig(const Model& model, const Prepared& prepared, std::vector<CardFinding>* findings);

}  // namespace torqued
