// Which coordinate moves which joint? Own coordinates, mimic chains, couplings; friction and limits folded (assemble.h).
#pragma once

#include "server/robots/assemble.h"
#include "server/robots/names.h"

namespace torqued::robots {

// Fills the model's coordinates, nq, nv, and the draft's joint couplings. `joints`: index by name.
void Couple(Draft& draft, const Names& joints, Model& model, Report& report);

}  // namespace torqued::robots
