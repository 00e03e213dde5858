#include "definition/table.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace tally {
namespace {

bool is_rule(std::string_view line) {
  return line.contains('-') && line.contains('|') && line.find_first_not_of("-|+ \t") == std::string_view::npos;
}

bool is_header(std::string_view line) {
  const std::size_t bar = line.find('|');
  return bar != std::string_view::npos && trim(line.substr(0, bar)) == "Python" && trim(line.substr(bar + 1)) == "C++";
}

/// The byte offset of a column that counts characters, or npos when the line ends before it.
std::size_t offset_of(std::string_view line, std::size_t column) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (continues_letter(line[i])) continue;
    if (column-- == 0) return i;
  }
  return std::string_view::npos;
}

std::string_view right_trim(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t") + 1); }

}  // namespace

Result<std::vector<TableRow>> parse_table(const Snippet& raw) {
  const Snippet text = dedent(raw);
  const std::vector<std::string_view> lines = split(text.text, '\n');
  const auto place = [&](std::size_t line) {
    SourcePosition at = text.at;
    if (at.line > 0 && line > 0) at = {at.file, at.line + static_cast<int>(line), text.indent + 1};
    return at;
  };
  if (!is_header(lines[0])) {
    return fail(ErrorKind::input, fmt::format("a table begins with its header row, not with '{}'", lines[0]),
                describe(place(0)), "write 'Python | C++', then a rule '------ | ---', then the rows");
  }
  if (lines.size() < 2 || !is_rule(lines[1])) {
    return fail(ErrorKind::input,
                fmt::format("a table's second row is a rule, not '{}'", lines.size() < 2 ? "" : lines[1]),
                describe(place(1)), "write '------ | ---' as wide as the columns, with '|' where every row has it");
  }
  const std::size_t column = lines[1].find('|');
  std::vector<TableRow> rows;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    TableRow row;
    row.py = {"", place(i), text.indent};
    row.cpp = row.py;
    if (!trim(line).empty()) {
      const std::size_t at = offset_of(line, column);
      if (at == std::string_view::npos || line[at] != '|') {
        return fail(ErrorKind::input, fmt::format("table row '{}' has no '|' at column {}", line, column + 1),
                    describe(place(i)), "put the separator right under the rule's; either side may be empty");
      }
      row.py.text = right_trim(line.substr(0, at));
      row.cpp.text = right_trim(line.substr(at + 1));
    }
    if (row.cpp.at.line > 0) {
      row.cpp.at.column += static_cast<int>(column) + 1;
      row.cpp.indent += static_cast<int>(column) + 1;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<TableColumns> parse_table_columns(const Snippet& text) {
  Result<std::vector<TableRow>> rows = parse_table(text);
  if (!rows) return std::unexpected(rows.error());
  TableColumns columns;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    TableRow& row = (*rows)[i];
    if (i == 0) {
      columns = {std::move(row.py), std::move(row.cpp)};
      continue;
    }
    columns.py.text += '\n' + row.py.text;
    columns.cpp.text += '\n' + row.cpp.text;
  }
  return TableColumns{dedent(std::move(columns.py)), dedent(std::move(columns.cpp))};
}

}  // namespace tally
