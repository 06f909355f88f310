// How does YAML text become a plain tree that is safe to walk? Maps, sequences, scalars, each with its line.
//
// Refused, with the line: anchors, aliases and tags (a small text could stand for a huge one), keys given twice,
// more than one document, more than 24 levels, more than 200000 nodes, more than kMaxYamlBytes (RESOURCE_EXHAUSTED).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/robots/report.h"

namespace torqued::robots {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  int line = 0;
  std::string text;               // scalar
  std::vector<YamlNode> items;    // sequence entries or map values
  std::vector<std::string> keys;  // map: keys[i] belongs to items[i]
};

// REQUIRES: CheckText(source) is OK.
YamlNode ParseYaml(std::string_view source, Report& report);

}  // namespace torqued::robots
