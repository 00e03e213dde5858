/// Two texts side by side: a header row "Python | C++", a rule "---- | ----", then rows.
///
/// Every row is split at the column of the rule's separator, so the code itself may hold '|'.
#pragma once

#include <vector>

#include "base/error.h"
#include "definition/snippet.h"

namespace tally {

/// One row: blanks at the ends of either text are gone but its lead is kept; a side may be empty.
struct TableRow {
  Snippet py;
  Snippet cpp;
};

/// A blank line gives a row of two empty texts.
Result<std::vector<TableRow>> parse_table(const Snippet& text);

struct TableColumns {
  Snippet py;
  Snippet cpp;
};

/// Each side's rows as one text, dedented, with its place.
Result<TableColumns> parse_table_columns(const Snippet& text);

}  // namespace tally
