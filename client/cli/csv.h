// Numbers from a CSV file: a header row, then rows of as many numbers.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

namespace torqued::cli {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<double> values;  // row-major
  int row_count = 0;

  double At(int row, int column) const {
    return values[static_cast<size_t>(row) * header.size() + static_cast<size_t>(column)];
  }
};

// Separated by comma, semicolon or tab (whichever the header has); a byte order mark, blank lines
// and # comments are skipped.
// "-" reads standard input. INVALID_ARGUMENT names file, line and column.
absl::StatusOr<CsvTable> ReadCsv(const std::string& path);
absl::StatusOr<CsvTable> ParseCsv(const std::string& name, std::istream& in);

}  // namespace torqued::cli
