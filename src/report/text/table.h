/// Tables for a terminal: aligned, fitted to a width, coloured only when asked.
///
/// Every ambient fact (width, colour) is an argument. Text of others is made harmless (see printable()) before it is
/// laid out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tally {

struct RenderOptions {
  int width = 100;  ///< Columns of the terminal; 0: as wide as needed.
  bool color = false;
  bool whole_names = false;  ///< What says which row it is is not cut, however wide the table becomes.
};

enum class Tint { none, dim, bold, good, bad, notice };

/// `text` in a colour, or as it is.
std::string tinted(std::string_view text, Tint tint, bool color);

struct Cell {
  std::string text;
  Tint tint = Tint::none;
};

struct Column {
  std::string title;
  bool right = false;      ///< Figures stand to the right.
  int least = 0;           ///< May be cut to this many columns; 0: never cut.
  int drop = 0;            ///< Where even that does not fit, columns go by falling `drop`; 0: never.
  bool in_middle = false;  ///< Cut there: what distinguishes them is at the end as often as at the beginning.
  bool names_row = false;  ///< Says which row it is. See render_table().
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< Each as long as `columns`.
};

/// A heading line, then a line for each row; every line ends in a newline and none in a space. Where names of two rows
/// are the same once they are cut, each row has its whole name in a line above its figures, however long that is.
std::string render_table(const Table& table, const RenderOptions& options);

}  // namespace tally
