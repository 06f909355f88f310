#include "server/service/near.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <utility>

namespace torqued {
namespace {

// Letters inserted, dropped, replaced, or two neighbours exchanged (optimal string alignment).
int Distance(const std::string& a, const std::string& b) {
  const size_t width = b.size() + 1;
  std::vector<int> d((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> int& { return d[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      int& best = at(i, j);
      best = std::min({at(i - 1, j - 1) + (a[i - 1] != b[j - 1]), at(i - 1, j) + 1, at(i, j - 1) + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = std::min(best, at(i - 2, j - 2) + 1);
    }
  return at(a.size(), b.size());
}

}  // namespace

std::vector<std::string> NearNames(const std::string& asked, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 100;  // beyond this nobody means a near name
  constexpr size_t kMost = 3;
  std::vector<std::pair<int, std::string>> near;
  if (asked.empty() || asked.size() > kLongest) return {};
  const std::string wanted = absl::AsciiStrToLower(asked);
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::string lower = absl::AsciiStrToLower(name);
    const int distance = Distance(wanted, lower);
    // Something of the word must be left: 'q' is not near 'j'.
    const int tolerated = std::min(std::max<int>(1, static_cast<int>(std::max(wanted.size(), lower.size())) / 3),
                                   static_cast<int>(wanted.size()) - 1);
    if (distance <= tolerated) {
      near.emplace_back(distance, name);
    } else if (wanted.size() >= 3 && lower.find(wanted) != std::string::npos) {
      near.emplace_back(100 + distance, name);
    }
  }
  std::sort(near.begin(), near.end());
  if (near.size() > kMost) near.resize(kMost);
  std::vector<std::string> out;
  for (auto& [distance, name] : near) out.push_back(std::move(name));
  return out;
}

}  // namespace torqued
