#include "server/store/labels.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <vector>

namespace torqued {
namespace {

std::string Escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '=' || c == '\n') {
      absl::StrAppend(&out, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      out += c;
    }
  }
  return out;
}

std::string Unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += absl::HexStringToBytes(text.substr(i + 1, 2));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string LabelsToText(const std::map<std::string, std::string>& labels) {
  std::string text;
  for (const auto& [key, value] : labels) absl::StrAppend(&text, Escape(key), "=", Escape(value), "\n");
  return text;
}

std::map<std::string, std::string> LabelsFromText(const std::string& text) {
  std::map<std::string, std::string> labels;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n', absl::SkipEmpty()))) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(line, absl::MaxSplits('=', 1));
    labels[Unescape(pair.first)] = Unescape(pair.second);
  }
  return labels;
}

}  // namespace torqued
