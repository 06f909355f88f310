// The server's log: one function per level. What writes it (spdlog) is seen by log.cc alone.
#pragma once

#include <absl/strings/str_cat.h>

#include <string>

namespace torqued::log {

enum class Level { kDebug, kInfo, kWarning, kError };

// Lines go to standard error, or to `file` (appended to). "debug", "info", "warning", "error".
// INVALID levels leave the level as it is and answer false; so does a file that cannot be opened.
bool Configure(const std::string& level, const std::string& file);
// Audit lines go to a file of their own; empty: to the log. False: it cannot be opened.
// REQUIRES: called before other threads write.
bool ConfigureAudit(const std::string& file);
// Opens both files anew, after they were moved away. False: one cannot be opened, and the old one is kept.
bool Reopen();

// Whether a line of this level is written.
bool Tells(Level level);
// Written at every level.
void Audit(const std::string& line);

void Write(Level level, const std::string& line);

template <class... Parts>
void Debug(const Parts&... parts) {
  Write(Level::kDebug, absl::StrCat(parts...));
}
template <class... Parts>
void Info(const Parts&... parts) {
  Write(Level::kInfo, absl::StrCat(parts...));
}
template <class... Parts>
void Warning(const Parts&... parts) {
  Write(Level::kWarning, absl::StrCat(parts...));
}
template <class... Parts>
void Error(const Parts&... parts) {
  Write(Level::kError, absl::StrCat(parts...));
}

}  // namespace torqued::log
