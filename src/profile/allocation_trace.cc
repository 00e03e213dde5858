#include "profile/allocation_trace.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace tally {
namespace {

/// The number that `text` starts with, which then moves past it and one space. False: there is none.
bool take(std::string_view& text, std::uint64_t& number, int base = 10) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool read_line(std::string_view line, AllocationTrace& trace) {
  if (take_word(line, "lost ")) return take(line, trace.lost);
  if (take_word(line, "site ")) {
    AllocationTrace::Site site;
    if (take_word(line, "python ")) {
      site.source = AllocationSource::python;
    } else if (!take_word(line, "c ")) {
      return false;
    }
    if (!take(line, site.count) || !take(line, site.bytes)) return false;
    trace.sites.push_back(std::move(site));
    return true;
  }
  if (trace.sites.empty()) return false;
  AllocationTrace::Site& site = trace.sites.back();
  if (take_word(line, "python ")) {
    const auto parts = split(line, '\t');
    std::string_view number = parts.front();
    if (parts.size() != 3 || !take(number, site.python.line)) return false;
    site.python.function = std::string(parts[1]);
    site.python.file = std::string(parts[2]);
    return true;
  }
  AllocationTrace::Frame frame;
  if (!take_word(line, "frame ") || !take(line, frame.address, 16)) return false;
  frame.object = std::string(line);
  site.frames.push_back(std::move(frame));
  return true;
}

}  // namespace

Result<AllocationTrace> parse_allocation_trace(std::string_view text) {
  AllocationTrace trace;
  std::size_t number = 0;
  bool ended = false;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (number == 1 ? line == "allocations 1" : !ended && line != "end" && read_line(line, trace)) continue;
    ended = ended || (number > 1 && line == "end");
    if (ended && (line == "end" || line.empty())) continue;
    return fail(ErrorKind::input, "no trace of allocations", fmt::format("line {}", number));
  }
  if (!ended) return fail(ErrorKind::input, "the trace of allocations is cut off", fmt::format("line {}", number));
  return trace;
}

}  // namespace tally
