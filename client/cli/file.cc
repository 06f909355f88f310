#include "client/cli/file.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace torqued::cli {
namespace {

constexpr size_t kMostBytes = 64 << 20;

absl::Status Fault(const std::string& what, const std::string& path, const char* fault) {
  return absl::InvalidArgumentError(absl::StrCat(what, what.empty() ? "" : ": ", path, ": ", fault));
}

}  // namespace

absl::StatusOr<std::string> ReadWholeFile(const std::string& what, const std::string& path) {
  std::error_code ignored;
  if (path != "-" && !std::filesystem::exists(path, ignored)) return Fault(what, path, "cannot be read: no such file");
  if (std::filesystem::is_directory(path, ignored)) return Fault(what, path, "is a folder, want a file");
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    text.append(block, static_cast<size_t>(in.gcount()));
    if (text.size() > kMostBytes) return Fault(what, path, "more than 64 MiB");
  }
  if (!in.eof()) return Fault(what, path, "cannot be read");
  return text;
}

}  // namespace torqued::cli
