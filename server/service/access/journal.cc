#include "server/service/access/journal.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

namespace torqued {
namespace {

constexpr size_t kLongestValue = 200;

}  // namespace

std::string LogField(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  const absl::string_view shown(value.data(), std::min(value.size(), kLongestValue));
  const absl::string_view label(name.data(), name.size());
  const bool plain = std::all_of(shown.begin(), shown.end(),
                                 [](char c) { return absl::ascii_isgraph(c) && c != '"' && c != '=' && c != '\\'; });
  if (plain) return absl::StrCat(" ", label, "=", shown);
  return absl::StrCat(" ", label, "=\"", absl::CHexEscape(shown), "\"");
}

void AuditBook::Note(const Decision& d) {
  const std::string kind =
      absl::StrCat("audit", LogField("who", d.who), LogField("role", d.role), LogField("peer", d.peer),
                   LogField("method", d.method), LogField("on", d.on), LogField("outcome", d.outcome));
  if (!d.change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (repeated_.size() < kMostKinds) {
      const auto [found, first] = repeated_.emplace(kind, 0);
      if (!first) {
        ++found->second;
        return;
      }
    }
  }
  write_(absl::StrCat(kind, LogField("id", d.request_id)));
}

void AuditBook::TellRepeated() {
  std::map<std::string, std::int64_t> told;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    told.swap(repeated_);
  }
  for (const auto& [kind, count] : told)
    if (count > 0) write_(absl::StrCat(kind, " repeated=", count));
}

}  // namespace torqued
