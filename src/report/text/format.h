/// Figures and text as a reader wants to see them. Pure; knows no terminal and no locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/record.h"

namespace tally {

/// "1,822,364"; two decimals below 1000 unless they are zero; U+2212 is not used, so that columns stay copyable.
std::string format_count(double value);

/// A case's count or another of its metrics: as format_count(), but "below 0" where it is no figure (is_below_zero()).
std::string format_figure(double value);

/// What a benchmark reports: "12.5 unit"; bytes as "9.8 KiB", from 1024 on. Small figures have four digits.
std::string format_value(double value, std::string_view unit);

/// Calls per iteration on one side or both: "3", "3 → 4", "<0.01"; empty where there are none.
std::string format_calls(double before, double after);

/// "12.3 µs", with the figures that ± `half_width_s` supports (three when it is 0).
std::string format_seconds(double seconds, double half_width_s = 0);

/// The same of whole nanoseconds, as traces have them.
std::string format_nanoseconds(std::int64_t ns);

/// "12.3 %", what a part is of a whole; "-" of nothing.
std::string format_part(std::int64_t part, std::int64_t whole);

/// A share as "0", "0.03 %", "12 %".
std::string format_share(double share);

/// A signed relative change as "+1.25 %", "-0.003 %", "0 %".
std::string format_change(double relative);

/// "nn Modules / Conv2d".
std::string label_text(const CaseDescription& one);

/// What distinguishes a case from its siblings: "cpp", "py ts bwd 2T n=64"; eager, forward and one thread go without
/// saying.
std::string variant_text(const CaseDescription& one);

/// Columns that UTF-8 text takes on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji.
int display_width(std::string_view text);

/// `text` cut to `width` columns, ending in "…" when something was cut; never cuts a character in two.
std::string fit(std::string_view text, int width);
/// The same with the "…" within: a third is of the beginning, the rest of the end.
std::string fit_in_middle(std::string_view text, int width);

/// Text of others made harmless for a terminal: control characters become U+FFFD, so do bytes that are not UTF-8.
/// Newlines stay when `lines` is true.
std::string printable(std::string_view text, bool lines = false);

/// What somebody's code or compiler wrote, harmless for a terminal and with its lines, each after the first indented. A
/// case that prints may have left 64 KB: a screen's worth of it is shown, the record holds the rest.
std::string message_text(std::string_view message, std::size_t indent);

}  // namespace tally
