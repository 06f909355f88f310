#include "client/cli/csv.h"

#include <absl/strings/str_cat.h>

#include <fstream>
#include <iostream>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

std::string Unquoted(std::string cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    return cell.substr(1, cell.size() - 2);
  return cell;
}

}  // namespace

absl::StatusOr<CsvTable> ParseCsv(const std::string& name, std::istream& in) {
  CsvTable table;
  std::string line;
  char separator = ',';
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == 1 && line.compare(0, 3, "\xEF\xBB\xBF") == 0) line.erase(0, 3);
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    if (table.header.empty()) {
      for (const char candidate : {',', ';', '\t'})
        if (line.find(candidate) != std::string::npos) {
          separator = candidate;
          break;
        }
      for (std::string& cell : SplitTrimmed(line, separator))
        table.header.push_back(Unquoted(std::move(cell)));
      continue;
    }
    const std::vector<std::string> cells = SplitTrimmed(line, separator);
    if (cells.size() != table.header.size())
      return absl::InvalidArgumentError(absl::StrCat(name, ":", number, ": ", cells.size(),
                                                     " values, want ", table.header.size(),
                                                     " as the header"));
    for (size_t c = 0; c < cells.size(); ++c) {
      const auto value =
          ParseNumber(absl::StrCat(name, ":", number, ": ", table.header[c]), Unquoted(cells[c]));
      if (!value.ok()) return value.status();
      table.values.push_back(*value);
    }
    ++table.row_count;
  }
  if (table.header.empty())
    return absl::InvalidArgumentError(absl::StrCat(name, ": empty, want a header row"));
  if (table.row_count == 0)
    return absl::InvalidArgumentError(absl::StrCat(name, ": no rows after the header"));
  return table;
}

absl::StatusOr<CsvTable> ReadCsv(const std::string& path) {
  if (path == "-") return ParseCsv("standard input", std::cin);
  std::ifstream in(path);
  if (!in) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  return ParseCsv(path, in);
}

}  // namespace torqued::cli
