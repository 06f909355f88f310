#include "server/robots/text.h"

#include <algorithm>

#include "server/robots/report.h"

namespace torqued::robots {
namespace {

// Length of the UTF-8 sequence at text[i], 0 if malformed (overlong, surrogate, beyond U+10FFFF, cut off).
size_t SequenceLength(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto tail = [&](size_t k, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(k) >= low && byte(k) <= high;
  };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(i + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return tail(i + 1, low, high) && tail(i + 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return tail(i + 1, low, high) && tail(i + 2) && tail(i + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

absl::Status CheckText(std::string_view text) {
  if (text.size() > kMaxSourceBytes)
    return absl::ResourceExhaustedError("source: " + std::to_string(text.size()) + " bytes, at most " +
                                        std::to_string(kMaxSourceBytes) + " are read");
  int line = 1;
  bool blank = true;
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t n = SequenceLength(text, i);
    if (n == 0)
      return absl::InvalidArgumentError("line " + std::to_string(line) + ": the text is not valid UTF-8");
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
      return absl::InvalidArgumentError("line " + std::to_string(line) + ": control character " +
                                        std::to_string(c) + " in the text");
    if (c == '\n') ++line;
    if (c > 0x20) blank = false;
    i += n;
  }
  if (blank) return absl::InvalidArgumentError("source: empty, want a URDF or a robot in YAML");
  return absl::OkStatus();
}

std::string NameFault(const std::string& name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > kMaxNameBytes)
    return "the name has " + std::to_string(name.size()) + " bytes, at most " + std::to_string(kMaxNameBytes);
  if (name.front() == ' ' || name.back() == ' ') return "the name begins or ends with a blank";
  for (size_t i = 0; i < name.size();) {
    const unsigned char c = static_cast<unsigned char>(name[i]);
    const size_t n = SequenceLength(name, i);
    if (n == 0) return "the name is not valid UTF-8";
    if (c < 0x20 || c == 0x7F) return "the name holds a control character";
    if (c == 0xC2 && static_cast<unsigned char>(name[i + 1]) < 0xA0) return "the name holds a control character";
    i += n;
  }
  return "";
}

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string Suggest(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return "";
  const std::string* best = nullptr;
  // Something of the word must be left: 'zz' is not near 'a'.
  size_t best_distance = std::min(std::max<size_t>(2, word.size() / 3) + 1, std::max<size_t>(word.size(), 1));
  for (const std::string& candidate : candidates) {
    // A forgotten unit is the commonest slip: mass for mass_kg.
    const bool stem = candidate.size() > word.size() && candidate.compare(0, word.size(), word) == 0 &&
                      candidate[word.size()] == '_' && word.size() > 1;
    const size_t d = stem ? 1 : EditDistance(word, candidate);
    if (d < best_distance) best_distance = d, best = &candidate;
  }
  return best ? " (did you mean " + Quoted(*best) + "?)" : "";
}

}  // namespace torqued::robots
