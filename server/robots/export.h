// How is a Model written as a robot in our YAML? So that reading it again gives the same Model, bit for bit.
//
// Frames form (links, joints, coordinates), numbers in the shortest text that reads back to the same double. Names,
// order, numbers, couplings survive; source lines, comments and `source:` remarks do not.
#pragma once

#include <map>
#include <string>

#include "server/core/tree/model.h"

namespace torqued {

// REQUIRES: a checked model (LoadModel makes only such); rotors and springs at one-degree coordinates.
std::string ToYaml(const Model& model, const std::string& description = "",
                   const std::map<std::string, std::string>& labels = {});

}  // namespace torqued
