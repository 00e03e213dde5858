#include "report/text/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/byte_count.h"
#include "base/text.h"
#include "base/utf8.h"
#include "comparison/count_change.h"
#include "measurement/statistics.h"

namespace tally {
namespace {

std::string with_separators(std::string digits) {
  const auto first = static_cast<std::ptrdiff_t>(digits.starts_with('-') ? 1 : 0);
  for (auto at = static_cast<std::ptrdiff_t>(digits.find_first_of(".e") == digits.npos ? digits.size()
                                                                                       : digits.find_first_of(".e")) -
                 3;
       at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

/// `value` with `figures` significant figures and no exponent: 0.0123, 1.20, 350.
std::string with_figures(double value, int figures) {
  if (value == 0) return "0";
  const auto exponent_of = [](double number) { return static_cast<int>(std::floor(std::log10(std::abs(number)))); };
  const double step = std::pow(10.0, exponent_of(value) - figures + 1);
  // Rounding may reach the next power of ten: 0.9996 to three figures is 1.00.
  const double rounded = std::round(value / step) * step;
  return fmt::format("{:.{}f}", rounded, std::max(0, figures - 1 - exponent_of(rounded * (1 + 1e-12))));
}

int width_of(char32_t code) {
  const auto in = [code](char32_t from, char32_t to) { return code >= from && code <= to; };
  if (in(0x300, 0x36f) || in(0x200b, 0x200f) || in(0x20d0, 0x20ff) || in(0xfe00, 0xfe0f)) return 0;
  const bool wide = in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) ||
                    in(0xfe30, 0xfe6f) || in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) ||
                    in(0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace

std::string format_count(double value) {
  const double size = std::abs(value);
  // Halves away from zero, as a browser rounds them: the page and the terminal show one number.
  std::string digits = size < 1000 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", std::round(value));
  if (digits.ends_with(".00")) digits.resize(digits.size() - 3);
  return with_separators(digits == "-0" ? "0" : digits);
}

std::string format_figure(double value) { return is_below_zero(value) ? "below 0" : format_count(value); }

std::string format_value(double value, std::string_view unit) {
  constexpr double kLeastWhole = 1024;
  if (unit == "bytes" && value >= kLeastWhole) return bytes_text(static_cast<std::uint64_t>(value));
  const bool is_large = std::abs(value) >= 1000 && std::abs(value) < 1e15;
  const std::string text = is_large ? format_count(value) : fmt::format("{:.4g}", value);
  if (unit == "kernels" && text == "1") unit = "kernel";
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string format_calls(double before, double after) {
  constexpr double same = 1e-6;
  constexpr double least = 0.005;
  const auto text = [](double calls) { return calls > 0 && calls < least ? "<0.01" : format_count(calls); };
  if (before == 0 && after == 0) return {};
  return std::abs(after - before) < same ? text(after) : text(before) + " → " + text(after);
}

std::string format_seconds(double seconds, double half_width_s) {
  struct Unit {
    double scale;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  if (seconds == 0) return "0 s";
  const int figures = half_width_s > 0 ? supported_figures(seconds, half_width_s, 5) : 3;
  const Unit* unit = &units.back();
  for (const Unit& candidate : units) {
    // 0.9996 ms to three figures is 1.00 ms, not 1000 µs.
    if (std::abs(seconds) >= candidate.scale * (1 - 0.5 * std::pow(10.0, -figures))) {
      unit = &candidate;
      break;
    }
  }
  return with_figures(seconds / unit->scale, figures) + " " + unit->name;
}

std::string format_nanoseconds(std::int64_t ns) { return format_seconds(static_cast<double>(ns) * 1e-9); }

std::string format_part(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string format_share(double share) {
  if (share == 0) return "0";
  const double percent = share * 100;
  if (std::abs(percent) < 0.001) return "<0.001 %";
  return with_figures(percent, 2) + " %";
}

std::string format_change(double relative) {
  const double percent = relative * 100;
  if (percent == 0) return "0 %";
  if (std::isinf(percent)) return percent > 0 ? "+inf %" : "-inf %";
  const std::string digits = with_figures(std::abs(percent), std::abs(percent) >= 100 ? 3 : 2);
  return std::string(percent < 0 ? "-" : "+") + with_separators(digits) + " %";
}

std::string label_text(const CaseDescription& one) { return join(one.label, " / "); }

std::string variant_text(const CaseDescription& one) {
  std::string text = one.language == "python" ? "py" : one.language;
  if (one.runtime == "torchscript") {
    text += " ts";
  } else if (one.runtime != "eager" && one.runtime != "explicit") {
    text += " " + one.runtime;
  }
  if (one.autograd == "forward_backward") text += " bwd";
  if (one.device.value_or("cpu") != "cpu") text += " " + *one.device;
  if (one.threads != 1) text += fmt::format(" {}T", one.threads);
  for (const auto& [name, value] : one.params) text += fmt::format(" {}={}", name, value);
  return text;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Letter next = first_letter(text.substr(at));
    width += width_of(next.code);
    at += next.bytes;
  }
  return width;
}

std::string fit(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  int used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Letter next = first_letter(text.substr(at));
    if (used + width_of(next.code) > width - 1) break;
    used += width_of(next.code);
    at += next.bytes;
  }
  return width > 0 ? std::string(text.substr(0, at)) + "…" : std::string();
}

std::string fit_in_middle(std::string_view text, int width) {
  const int excess = display_width(text) - width;
  if (excess <= 0) return std::string(text);
  if (width < 3) return fit(text, width);
  const std::string head = fit(text, (width + 2) / 3);  // with the sign of what is left out
  int left_out = display_width(text) - (width - display_width(head));
  std::size_t at = 0;
  while (at < text.size() && left_out > 0) {
    const Letter next = first_letter(text.substr(at));
    left_out -= width_of(next.code);
    at += next.bytes;
  }
  return head + std::string(text.substr(at));
}

std::string printable(std::string_view text, bool lines) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Letter next = first_letter(text.substr(at));
    const bool control = next.code < 0x20 || (next.code >= 0x7f && next.code < 0xa0) ||
                         (next.code >= 0x202a && next.code <= 0x202e) || (next.code >= 0x2066 && next.code <= 0x2069);
    if (lines && next.code == '\n') {
      result += '\n';
    } else if (next.code == '\t') {
      result += "  ";
    } else if (!next.valid || control) {
      result += "\xef\xbf\xbd";
    } else {
      result += text.substr(at, next.bytes);
    }
    at += next.bytes;
  }
  return result;
}

std::string message_text(std::string_view message, std::size_t indent) {
  constexpr std::size_t most_lines = 40;
  constexpr std::size_t most_bytes = 400;
  const std::vector<std::string_view> lines = split(trim(message), '\n');
  const std::size_t kept = std::min(lines.size(), most_lines);
  const std::string newline = "\n" + std::string(indent, ' ');
  std::string text;
  for (std::size_t i = 0; i < kept; ++i) {
    const std::string_view line = cut_to_bytes(lines[i], most_bytes);
    text += (i == 0 ? "" : newline) + printable(line) + (line.size() < lines[i].size() ? " …" : "");
  }
  if (kept < lines.size()) text += newline + fmt::format("… {} more lines are in the record", lines.size() - kept);
  return text;
}

}  // namespace tally
