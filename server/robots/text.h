// Is this text fit to be read at all, is this name fit to be one, and which word was meant?
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace torqued::robots {

inline constexpr size_t kMaxSourceBytes = 4 << 20;  // of a robot description
inline constexpr size_t kMaxYamlBytes = 1 << 20;    // of one in YAML, whose parser needs a microsecond per byte
inline constexpr size_t kMaxNameBytes = 200;
inline constexpr int kMaxLinks = 1000;              // links of one robot

// RESOURCE_EXHAUSTED: larger than kMaxSourceBytes. INVALID_ARGUMENT: empty, not UTF-8, or a control character, with
// the line.
absl::Status CheckText(std::string_view text);

// What a link, joint, frame may not be called; empty: the name is fine.
std::string NameFault(const std::string& name);

// Letters to insert, drop or replace until a is b.
size_t EditDistance(const std::string& a, const std::string& b);

// " (did you mean 'mass_kg'?)" for the closest candidate, or nothing where none is close.
std::string Suggest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace torqued::robots
