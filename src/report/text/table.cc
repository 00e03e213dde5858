#include "report/text/table.h"

#include <algorithm>
#include <map>

#include "report/text/format.h"

namespace tally {
namespace {

constexpr int kGap = 2;

int total(const std::vector<int>& widths) {
  int shown = 0;
  int sum = 0;
  for (const int width : widths) {
    sum += std::max(width, 0);
    shown += width > 0;
  }
  return sum + kGap * std::max(shown - 1, 0);
}

std::vector<int> natural_widths(const Table& table, const std::vector<std::vector<std::string>>& texts) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    int width = display_width(table.columns[c].title);
    for (const auto& row : texts) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

/// Natural widths, then cut, then dropped (0) until the table fits.
std::vector<int> column_widths(const Table& table, const std::vector<std::vector<std::string>>& texts, int limit) {
  std::vector<int> widths = natural_widths(table, texts);
  if (limit <= 0) return widths;
  while (total(widths) > limit) {
    const auto excess = total(widths) - limit;
    // Cut the widest column that may be cut, a little at a time, so that several share the loss.
    int widest = -1;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const int least = table.columns[c].least;
      if (least > 0 && widths[c] > least && (widest < 0 || widths[c] > widths[static_cast<std::size_t>(widest)])) {
        widest = static_cast<int>(c);
      }
    }
    if (widest >= 0) {
      widths[static_cast<std::size_t>(widest)] -= std::min(1, excess);
      continue;
    }
    int first = -1;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] > 0 && table.columns[c].drop > 0 &&
          (first < 0 || table.columns[c].drop > table.columns[static_cast<std::size_t>(first)].drop)) {
        first = static_cast<int>(c);
      }
    }
    if (first < 0) break;
    widths[static_cast<std::size_t>(first)] = 0;
  }
  return widths;
}

std::string cut(const Column& column, std::string_view text, int width) {
  return column.in_middle ? fit_in_middle(text, width) : fit(text, width);
}

/// Whether two rows of different names look the same at these widths.
bool names_collide(const Table& table, const std::vector<std::vector<std::string>>& texts,
                   const std::vector<int>& widths) {
  std::map<std::string, std::string> whole;  // by what is shown
  for (const auto& row : texts) {
    std::string shown;
    std::string name;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (!table.columns[c].names_row) continue;
      shown += cut(table.columns[c], row[c], widths[c]) + '\n';
      name += row[c] + '\n';
    }
    if (whole.try_emplace(shown, name).first->second != name) return true;
  }
  return false;
}

}  // namespace

std::string tinted(std::string_view text, Tint tint, bool color) {
  if (!color || tint == Tint::none || text.empty()) return std::string(text);
  const char* code = "";
  switch (tint) {
    case Tint::none:
      break;
    case Tint::dim:
      code = "2";
      break;
    case Tint::bold:
      code = "1";
      break;
    case Tint::good:
      code = "32";
      break;
    case Tint::bad:
      code = "31";
      break;
    case Tint::notice:
      code = "33";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

namespace {

/// Appends a line whose ends are not spaces: they wait until something follows.
class Line {
 public:
  Line(std::string& out, const RenderOptions& options) : out_(out), options_(options) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { out_ += '\n'; }

  void add(const Column& column, std::string_view whole, int width, Tint tint) {
    const std::string text = cut(column, whole, width);
    const std::string pad(static_cast<std::size_t>(width - display_width(text)), ' ');
    if (column.right) pending_ += pad;
    if (!text.empty()) {
      out_ += pending_ + tinted(text, tint, options_.color);
      pending_.clear();
    }
    if (!column.right) pending_ += pad;
    pending_.append(kGap, ' ');
  }
  void indent() { pending_.append(kGap, ' '); }

 private:
  std::string& out_;
  const RenderOptions& options_;
  std::string pending_;
};

/// The columns that say which row it is, or the others.
Table columns_that(const Table& table, bool name_rows) {
  Table part;
  part.rows.resize(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].names_row != name_rows) continue;
    part.columns.push_back(table.columns[c]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) part.rows[r].push_back(table.rows[r][c]);
  }
  return part;
}

std::vector<std::vector<std::string>> texts_of(const Table& table) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.rows) {
    auto& line = texts.emplace_back();
    for (const Cell& cell : row) line.push_back(printable(cell.text));
  }
  return texts;
}

/// The heading, and behind it each row; `above` writes what comes before a row.
template <typename Above>
std::string lines_of(const Table& table, const RenderOptions& options, const std::vector<int>& widths,
                     const std::vector<std::vector<std::string>>& texts, bool indented, Above above) {
  std::string out;
  const auto add = [&](auto&& text_of, auto&& tint_of) {
    Line line(out, options);
    if (indented) line.indent();
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > 0) line.add(table.columns[c], text_of(c), widths[c], tint_of(c));
  };
  add([&](std::size_t c) { return table.columns[c].title; }, [](std::size_t) { return Tint::bold; });
  for (std::size_t r = 0; r < texts.size(); ++r) {
    above(out, r);
    add([&](std::size_t c) { return texts[r][c]; }, [&](std::size_t c) { return table.rows[r][c].tint; });
  }
  return out;
}

/// Each row's whole name above its figures.
std::string stacked(const Table& table, const RenderOptions& options) {
  const Table names = columns_that(table, true);
  const Table figures = columns_that(table, false);
  const auto texts = texts_of(figures);
  const auto name_texts = texts_of(names);
  const std::vector<int> widths = column_widths(figures, texts, std::max(options.width - kGap, 1));
  return lines_of(figures, options, widths, texts, true, [&](std::string& out, std::size_t r) {
    Line line(out, options);
    for (std::size_t c = 0; c < names.columns.size(); ++c)
      line.add(names.columns[c], name_texts[r][c], display_width(name_texts[r][c]), names.rows[r][c].tint);
  });
}

}  // namespace

std::string render_table(const Table& table, const RenderOptions& options) {
  const auto texts = texts_of(table);
  std::vector<int> widths = column_widths(table, texts, options.width);
  if (options.whole_names) {
    const std::vector<int> natural = natural_widths(table, texts);
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (table.columns[c].names_row) widths[c] = natural[c];
  }
  if (names_collide(table, texts, widths)) return stacked(table, options);
  return lines_of(table, options, widths, texts, false, [](std::string&, std::size_t) {});
}

}  // namespace tally
