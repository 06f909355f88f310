#include "server/service/access/access_file.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

namespace torqued {
namespace {

constexpr char kTimeFormat[] = "%Y-%m-%dT%H:%M:%SZ";
constexpr size_t kHashDigits = 64;

absl::Status Unwritable(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("access file ", path, ": cannot be written: ", std::strerror(errno)));
}

// nullopt: an empty line or a comment.
absl::StatusOr<std::optional<AccessEntry>> ParseLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
  if (line.empty()) return std::optional<AccessEntry>();
  const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  AccessEntry entry;
  if (words[0] == "certificate") entry.certificate = true;
  else if (words[0] != "token") return absl::InvalidArgumentError("want 'token ...' or 'certificate ...'");
  if (words.size() != (entry.certificate ? 4u : 5u))
    return absl::InvalidArgumentError(absl::StrCat(words.size(), " words, want ", words[0], " NAME ROLE EXPIRES",
                                                   entry.certificate ? "" : " HASH"));
  entry.name = words[1];
  if (absl::Status s = CheckIdentityName(entry.name); !s.ok()) return s;
  const auto role = ParseRole(words[2]);
  if (!role.ok()) return role.status();
  entry.role = *role;
  std::string why;
  if (words[3] != "never" && !absl::ParseTime(absl::RFC3339_full, words[3], &entry.expires, &why))
    return absl::InvalidArgumentError(absl::StrCat("expires '", absl::CHexEscape(words[3].substr(0, 40)),
                                                   "', want a time as 2027-01-31T00:00:00Z, or never"));
  if (!entry.certificate) {
    entry.hash = words[4];
    const bool digits = std::all_of(entry.hash.begin(), entry.hash.end(),
                                    [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
    if (entry.hash.size() != kHashDigits || !digits)
      return absl::InvalidArgumentError("the last word is no hash: want the 64 hex digits of a token's SHA-256");
  }
  return std::optional<AccessEntry>(std::move(entry));
}

std::string FormatEntry(const AccessEntry& e) {
  const std::string expires =
      e.expires == absl::InfiniteFuture() ? "never" : absl::FormatTime(kTimeFormat, e.expires, absl::UTCTimeZone());
  std::string line = absl::StrFormat("%-11s %-15s %-6s %-20s", e.certificate ? "certificate" : "token", e.name,
                                     RoleName(e.role), expires);
  if (!e.certificate) absl::StrAppend(&line, " ", e.hash);
  absl::StripTrailingAsciiWhitespace(&line);
  return line + "\n";
}

// The file under an exclusive lock. Another process may have put a new file in its place before the lock was ours.
class LockedFile {
 public:
  static absl::StatusOr<LockedFile> Open(const std::string& path) {
    for (;;) {
      const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
      if (fd < 0) return Unwritable(path);
      struct stat here, there;
      if (flock(fd, LOCK_EX) == 0 && fstat(fd, &here) == 0 && stat(path.c_str(), &there) == 0 &&
          here.st_ino == there.st_ino)
        return LockedFile(path, fd, here);
      close(fd);
    }
  }
  LockedFile(LockedFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), stat_(other.stat_) {}
  ~LockedFile() {
    if (fd_ >= 0) close(fd_);
  }

  std::string Read() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = pread(fd_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) text.append(buffer, n);
    return text;
  }

  absl::Status Replace(const std::string& text) const {
    const std::string fresh = path_ + ".new";
    const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return Unwritable(path_);
    const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         (fchown(fd, stat_.st_uid, stat_.st_gid) == 0 || errno == EPERM) &&
                         fchmod(fd, stat_.st_mode & 07777) == 0 && fsync(fd) == 0;
    close(fd);
    if (written && rename(fresh.c_str(), path_.c_str()) == 0) return absl::OkStatus();
    const absl::Status status = Unwritable(path_);
    unlink(fresh.c_str());
    return status;
  }

 private:
  LockedFile(std::string path, int fd, const struct stat& s) : path_(std::move(path)), fd_(fd), stat_(s) {}
  std::string path_;
  int fd_;
  struct stat stat_;
};

}  // namespace

const char* RoleName(Role role) {
  switch (role) {
    case Role::kNone: return "none";
    case Role::kViewer: return "viewer";
    case Role::kEditor: return "editor";
    case Role::kAdmin: return "admin";
  }
  return "";
}

absl::StatusOr<Role> ParseRole(const std::string& text) {
  for (const Role role : {Role::kViewer, Role::kEditor, Role::kAdmin})
    if (text == RoleName(role)) return role;
  return absl::InvalidArgumentError(
      absl::StrCat("role '", absl::CHexEscape(text.substr(0, 40)), "', want viewer, editor or admin"));
}

absl::Status CheckIdentityName(const std::string& name) {
  const auto fits = [](char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '@' || c == '-'; };
  if (!name.empty() && name.size() <= 63 && std::all_of(name.begin(), name.end(), fits)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("name '", absl::CHexEscape(name.substr(0, 80)),
                                                 "', want 1 to 63 letters, digits and . _ @ -"));
}

absl::StatusOr<std::vector<AccessEntry>> ParseAccessFile(const std::string& path, const std::string& text) {
  std::vector<AccessEntry> entries;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    auto entry = ParseLine(line);
    if (!entry.ok())
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", std::string(entry.status().message())));
    if (*entry) entries.push_back(**std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<AccessEntry>> ReadAccessFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.is_open() || in.bad())
    return absl::UnavailableError(absl::StrCat("access file ", path, ": cannot be read: ", std::strerror(errno),
                                               "; 'torquectl auth token create' makes one"));
  return ParseAccessFile(path, text.str());
}

absl::Status AddAccessEntry(const std::string& path, const AccessEntry& entry) {
  if (absl::Status s = CheckIdentityName(entry.name); !s.ok()) return s;
  const auto file = LockedFile::Open(path);
  if (!file.ok()) return file.status();
  std::string text = file->Read();
  if (const auto parsed = ParseAccessFile(path, text); !parsed.ok()) return parsed.status();
  if (text.empty()) text = "# kind      name            role   expires              SHA-256 of the token\n";
  if (text.back() != '\n') text += '\n';
  return file->Replace(text + FormatEntry(entry));
}

absl::StatusOr<int> RemoveAccessEntries(const std::string& path, bool certificate, const std::string& name,
                                        const std::string& id) {
  if (access(path.c_str(), F_OK) != 0) return ReadAccessFile(path).status();
  const auto file = LockedFile::Open(path);
  if (!file.ok()) return file.status();
  const std::string text = file->Read();
  if (const auto parsed = ParseAccessFile(path, text); !parsed.ok()) return parsed.status();
  std::string kept;
  int removed = 0;
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) {
    const auto entry = ParseLine(line);
    const bool meant = entry.ok() && *entry && (*entry)->certificate == certificate && (*entry)->name == name &&
                       (id.empty() || (*entry)->id() == id);
    if (meant) ++removed;
    else absl::StrAppend(&kept, line, "\n");
  }
  if (removed > 0)
    if (absl::Status s = file->Replace(kept); !s.ok()) return s;
  return removed;
}

}  // namespace torqued
