// A table of an answer: for people aligned with units in its headers, for spreadsheets as CSV.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace torqued::cli {

using Cell = std::variant<std::string, double, int64_t>;

struct Sheet {
  std::string title;                 // for people only; may be empty
  std::vector<std::string> columns;  // "torque [Nm]"
  std::vector<std::vector<Cell>> rows;
};

// Numbers to the right, text to the left.
std::string ToTable(const Sheet& sheet);
// Header row, then rows; numbers shortest, text quoted where it must be.
std::string ToCsv(const Sheet& sheet);

}  // namespace torqued::cli
