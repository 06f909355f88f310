#include "server/robots/number.h"

#include <charconv>
#include <cmath>

#include "server/robots/report.h"

namespace torqued::robots {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

absl::Status Bad(std::string_view text, const char* why) {
  return absl::InvalidArgumentError(Quoted(std::string(text)) + " " + why);
}

}  // namespace

absl::StatusOr<double> ParseNumber(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  if (trimmed.empty()) return Bad(text, "is empty, want a number");
  std::string_view digits = trimmed;
  if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return Bad(trimmed, "is outside the range of a double");
  if (error != std::errc()) return Bad(trimmed, "is not a number");
  if (end != digits.data() + digits.size()) {
    if (*end == ',') return Bad(trimmed, "has a comma: the decimal mark is a point");
    return Bad(trimmed, "has text after the number");
  }
  if (!std::isfinite(value)) return Bad(trimmed, "is not finite");
  return value;
}

std::string FormatNumber(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

}  // namespace torqued::robots
