#include "client/cli/sheet.h"

#include <algorithm>
#include <charconv>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

// Rounded numbers stand to the right like others.
bool IsNumber(const std::string& text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Columns on screen: bytes that do not continue a UTF-8 character.
size_t Width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string ForPeople(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  return Readable(std::get<double>(cell));
}

std::string ForPrograms(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return Shortest(*number);
  const std::string& text = std::get<std::string>(cell);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string ToTable(const Sheet& sheet) {
  const size_t columns = sheet.columns.size();
  std::vector<size_t> width(columns);
  std::vector<bool> right(columns, true);
  std::vector<std::vector<std::string>> text;
  for (size_t c = 0; c < columns; ++c) width[c] = Width(sheet.columns[c]);
  for (const auto& row : sheet.rows) {
    text.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      text.back().push_back(ForPeople(row[c]));
      width[c] = std::max(width[c], Width(text.back()[c]));
      if (std::holds_alternative<std::string>(row[c]) && !text.back()[c].empty() &&
          !IsNumber(text.back()[c]))
        right[c] = false;
    }
  }
  std::string out = sheet.title.empty() ? "" : sheet.title + "\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string row;
    for (size_t c = 0; c < columns; ++c) {
      const std::string gap(width[c] - Width(cells[c]), ' ');
      row += (c > 0 ? "  " : "") + (right[c] ? gap + cells[c] : cells[c] + gap);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  };
  line(sheet.columns);
  for (const auto& row : text) line(row);
  return out;
}

std::string ToCsv(const Sheet& sheet) {
  std::string out;
  const auto line = [&out](const auto& cells, const auto& write) {
    for (size_t c = 0; c < cells.size(); ++c) out += (c > 0 ? "," : "") + write(cells[c]);
    out += '\n';
  };
  line(sheet.columns, [](const std::string& name) { return ForPrograms(Cell(name)); });
  for (const auto& row : sheet.rows) line(row, ForPrograms);
  return out;
}

}  // namespace torqued::cli
