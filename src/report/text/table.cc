#include "report/text/table.h"

#include <algorithm>

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

/// Natural widths, then cut, then dropped (0) until the table fits.
std::vector<int> column_widths(const Table& table, const std::vector<std::vector<std::string>>& texts, int limit) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    int width = display_width(table.columns[c].title);
    for (const auto& row : texts) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
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

std::string render_table(const Table& table, const RenderOptions& options) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.rows) {
    auto& line = texts.emplace_back();
    for (const Cell& cell : row) line.push_back(printable(cell.text));
  }
  const std::vector<int> widths = column_widths(table, texts, options.width);
  std::string out;
  const auto line = [&](auto&& text_of, auto&& tint_of) {
    std::string pending;  // Spaces wait until something follows, so that no line ends in one.
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] <= 0) continue;
      const bool in_middle = table.columns[c].in_middle;
      const std::string text = in_middle ? fit_in_middle(text_of(c), widths[c]) : fit(text_of(c), widths[c]);
      const std::string pad(static_cast<std::size_t>(widths[c] - display_width(text)), ' ');
      if (table.columns[c].right) pending += pad;
      if (!text.empty()) {
        out += pending + tinted(text, tint_of(c), options.color);
        pending.clear();
      }
      if (!table.columns[c].right) pending += pad;
      pending.append(kGap, ' ');
    }
    out += '\n';
  };
  line([&](std::size_t c) { return table.columns[c].title; }, [](std::size_t) { return Tint::bold; });
  for (std::size_t r = 0; r < texts.size(); ++r) {
    line([&](std::size_t c) { return texts[r][c]; }, [&](std::size_t c) { return table.rows[r][c].tint; });
  }
  return out;
}

}  // namespace tally
