#include "report/history/badge.h"

#include <fmt/format.h>

#include <string_view>

namespace tally {
namespace {

/// Letters of a sans serif in 11 px, roughly; textLength makes whatever font there is fit.
constexpr std::string_view kNarrow = " filrt1";
constexpr std::size_t kNarrowLetter = 4;
constexpr std::size_t kLetter = 7;
constexpr std::size_t kMargin = 6;

struct BadgeHalf {
  std::string text;
  std::string colour;

  [[nodiscard]] std::size_t inner() const {
    std::size_t width = 0;
    for (const char letter : text) width += kNarrow.contains(letter) ? kNarrowLetter : kLetter;
    return width;
  }
  [[nodiscard]] std::size_t width() const { return inner() + 2 * kMargin; }
};

std::string badge_box(const BadgeHalf& part, std::size_t left) {
  return fmt::format(R"(<path fill="{}" d="M{} 0h{}v20H{}z"/>)", part.colour, left, part.width(), left);
}

std::string badge_words(const BadgeHalf& part, std::size_t left) {
  return fmt::format(R"(<text x="{}" y="14" textLength="{}">{}</text>)", left + kMargin, part.inner(), part.text);
}

}  // namespace

std::string render_badge(const HistoryView& view) {
  const std::size_t findings = view.findings();
  const BadgeHalf name{"tally", "#3f4650"};
  const BadgeHalf state =
      findings == 0
          ? BadgeHalf{"no regressions", "#2c7a4b"}
          : BadgeHalf{fmt::format("{} {}", findings, findings == 1 ? "regression" : "regressions"), "#b3372f"};
  const std::size_t width = name.width() + state.width();
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="{1}: {2}">)svg"
      R"svg(<title>{1}: {2}</title><clipPath id="r"><rect width="{0}" height="20" rx="4"/></clipPath>)svg"
      R"svg(<g clip-path="url(#r)">{3}{4}</g>)svg"
      R"svg(<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{5}{6}</g></svg>)svg"
      "\n",
      width, name.text, state.text, badge_box(name, 0), badge_box(state, name.width()), badge_words(name, 0),
      badge_words(state, name.width()));
}

}  // namespace tally
