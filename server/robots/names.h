// Which index has the link, joint, coordinate of this name? Names are checked and unique once indexed.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/robots/report.h"
#include "server/robots/text.h"

namespace torqued::robots {

using Names = std::unordered_map<std::string, int>;

inline std::string At(int line) { return line > 0 ? " (line " + std::to_string(line) + ")" : ""; }

inline std::vector<std::string> Keys(const Names& names) {
  std::vector<std::string> out;
  for (const auto& [name, index] : names) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

// Index by name; a fault or a duplicate is an error.
template <class Items, class GetName, class GetLine>
Names Index(const char* kind, const Items& items, GetName name, GetLine line, Report& report) {
  Names out;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string fault = NameFault(name(items[i]));
    if (!fault.empty()) report.Fail(line(items[i]), Element(kind, name(items[i])), fault);
    const auto [it, fresh] = out.emplace(name(items[i]), static_cast<int>(i));
    if (!fresh)
      report.Fail(line(items[i]), Element(kind, name(items[i])),
                  std::string("the name is taken by another ") + kind + At(line(items[it->second])));
  }
  return out;
}

}  // namespace torqued::robots
