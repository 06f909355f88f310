// Which names did the user perhaps mean?
#pragma once

#include <string>
#include <vector>

namespace torqued {

// At most three of `names`, the nearest first: few edits away (letters inserted, dropped, exchanged), case ignored, or
// containing what was asked.
std::vector<std::string> NearNames(const std::string& asked, const std::vector<std::string>& names);

}  // namespace torqued
