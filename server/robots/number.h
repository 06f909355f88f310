// How does text become a double and back, whatever the locale? Point as decimal mark, nothing but the number, finite.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace torqued::robots {

// The whole of `text` (blanks around it allowed) as a finite double. The error says what is wrong with it:
// not a number, text after the number, a decimal comma, NaN or infinity, outside the range of a double.
absl::StatusOr<double> ParseNumber(std::string_view text);

// Shortest text that reads back to the same double, bit for bit.
std::string FormatNumber(double value);

}  // namespace torqued::robots
