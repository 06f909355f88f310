// Where do other readers of the same URDF get other numbers? Only what was seen in the named versions.
#pragma once

#include "server/core/tree/model.h"
#include "server/robots/report.h"

namespace torqued::robots {

void NoteOtherReaders(const Model& model, Report& report);

}  // namespace torqued::robots
