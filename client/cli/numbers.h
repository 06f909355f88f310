// Numbers in and out, the point as decimal mark whatever the locale.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

// One finite number. INVALID_ARGUMENT: "--step: 'fast' is not a number".
absl::StatusOr<double> ParseNumber(const std::string& what, std::string_view text);
// "0.3,-1.2, 1.4". Errors name the value by its place, counted from 1.
absl::StatusOr<std::vector<double>> ParseNumbers(const std::string& what, std::string_view text);
// As ParseNumbers, exactly `count`: "--at: 2 values, want 3 (X,Y,Z)".
absl::StatusOr<std::vector<double>> ParseNumbers(const std::string& what, std::string_view text,
                                                 int count, const std::string& wanted);
// "5s", "800ms", "250us", "2min"; a bare number is seconds. Must be positive.
absl::StatusOr<std::chrono::nanoseconds> ParseDuration(const std::string& what,
                                                       std::string_view text);

// The shortest text that reads back as the same double.
std::string Shortest(double value);
// For people: six decimals where that shows the value, else scientific. No "-0.000000".
std::string Readable(double value);
std::string Fixed(double value, int decimals);

// Parts between the separators, blanks around them removed. "" has none.
std::vector<std::string> SplitTrimmed(std::string_view text, char separator);

}  // namespace torqued::cli
