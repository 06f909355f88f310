#include "client/cli/numbers.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <charconv>
#include <cmath>

namespace torqued::cli {
namespace {

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string Chars(double value, std::chars_format format, int precision) {
  std::array<char, 400> text;  // the longest fixed double has 309 digits before the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return std::string(text.data(), end);
}

}  // namespace

absl::StatusOr<double> ParseNumber(const std::string& what, std::string_view text) {
  text = Trim(text);
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", Quoted(text), " is outside what a double can hold"));
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", Quoted(text), " is not a number (decimal mark: point)"));
  if (!std::isfinite(value))
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", Quoted(text), " is not finite"));
  return value;
}

absl::StatusOr<std::vector<double>> ParseNumbers(const std::string& what, std::string_view text) {
  std::vector<double> values;
  int place = 0;
  for (const std::string& part : SplitTrimmed(text, ',')) {
    const auto value = ParseNumber(absl::StrCat(what, ": value ", ++place), part);
    if (!value.ok()) return value.status();
    values.push_back(*value);
  }
  return values;
}

absl::StatusOr<std::vector<double>> ParseNumbers(const std::string& what, std::string_view text,
                                                 int count, const std::string& wanted) {
  auto values = ParseNumbers(what, text);
  if (values.ok() && static_cast<int>(values->size()) != count)
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", values->size(), " values, want ", count, " (", wanted, ")"));
  return values;
}

absl::StatusOr<std::chrono::nanoseconds> ParseDuration(const std::string& what,
                                                       std::string_view text) {
  text = Trim(text);
  const auto unit_at = text.find_first_not_of("+-.0123456789");
  const std::string_view unit =
      unit_at == std::string_view::npos ? "s" : Trim(text.substr(unit_at));
  double scale = 0;
  for (const auto& [name, seconds] : {std::pair{"s", 1.0},
                                      {"ms", 1e-3},
                                      {"us", 1e-6},
                                      {"ns", 1e-9},
                                      {"min", 60.0},
                                      {"h", 3600.0}})
    if (unit == name) scale = seconds;
  if (scale == 0)
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", Quoted(text), " is not a duration such as 800ms, 5s, 2min or 1h"));
  const auto value = ParseNumber(what, text.substr(0, unit_at));
  if (!value.ok()) return value.status();
  const double nanoseconds = *value * scale * 1e9;
  if (!(nanoseconds >= 1) || nanoseconds > 1e18)
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", Quoted(text), ", want more than 0 and at most 30 years"));
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

std::string Shortest(double value) {
  std::array<char, 40> text;
  return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

std::string Fixed(double value, int decimals) {
  std::string text = Chars(value, std::chars_format::fixed, decimals);
  if (text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string Readable(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  // Below half of the last decimal it is a rounded zero only if it is noise beside one; else it
  // keeps its digits.
  if (size < 5e-13) return Fixed(0, 6);
  if (size >= 1e-3 && size < 1e7) return Fixed(value, 6);
  return Chars(value, std::chars_format::scientific, 5);
}

std::vector<std::string> SplitTrimmed(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (Trim(text).empty()) return parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.emplace_back(Trim(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace torqued::cli
