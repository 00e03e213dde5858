#include "session/traceback.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "protocol/frame.h"

namespace tally {

namespace {

constexpr std::string_view kFrame = "File \"<tally>\", line ";

/// The number after kFrame in `line`, or 0.
int frame_line(std::string_view line) {
  const std::size_t at = line.find(kFrame);
  if (at == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(line.data() + at + kFrame.size(), line.data() + line.size(), number);
  return number;
}

/// The text of a host's line, trimmed.
std::string_view text_of(int line, const std::vector<Snippet>& parts) {
  const auto part = static_cast<std::size_t>(line / protocol::kPartStride);
  const auto row = static_cast<std::size_t>(line % protocol::kPartStride);
  if (part >= parts.size() || row == 0) return {};
  const std::vector<std::string_view> lines = split(parts[part].text, '\n');
  return row <= lines.size() ? trim(lines[row - 1]) : std::string_view{};
}

}  // namespace

std::vector<Snippet> python_parts(const Case& one) {
  std::vector<Snippet> parts = one.setup.parts;
  parts.insert(parts.end(), one.stmt.parts.begin(), one.stmt.parts.end());
  return parts;
}

SourcePosition place_of(int line, const std::vector<Snippet>& parts) {
  const auto part = static_cast<std::size_t>(line / protocol::kPartStride);
  const int row = line % protocol::kPartStride;
  if (part >= parts.size() || parts[part].at.line == 0) return {};
  return {parts[part].at.file, parts[part].at.line + row - 1, 0};
}

void name_place(PythonPlace& place, const std::vector<Snippet>& parts) {
  constexpr std::string_view kCase = "<case>";
  constexpr std::string_view kNested = "<case>.<locals>.";
  if (place.file != "<tally>") return;
  const SourcePosition at = place_of(static_cast<int>(place.line), parts);
  place.file = at.line > 0 ? at.file : "generated code";
  place.line = at.line > 0 ? static_cast<std::uint64_t>(at.line) : 0;
  if (place.function == kCase) place.function = "statement";
  if (place.function.starts_with(kNested)) place.function.erase(0, kNested.size());
}

std::string map_traceback(std::string_view detail, const std::vector<Snippet>& parts) {
  std::string mapped;
  for (const std::string_view line : split(detail, '\n')) {
    const int number = frame_line(line);
    if (number == 0) {
      mapped += line;
      mapped += '\n';
      continue;
    }
    const SourcePosition place = place_of(number, parts);
    const std::string_view text = text_of(number, parts);
    if (place.line > 0) {
      mapped += fmt::format("  File \"{}\", line {}\n", place.file, place.line);
    } else {
      mapped += "  in generated code\n";
    }
    if (!text.empty()) mapped += fmt::format("    {}\n", text);
  }
  while (mapped.ends_with("\n\n")) mapped.pop_back();
  return mapped;
}

std::string innermost_place(std::string_view detail, const std::vector<Snippet>& parts) {
  std::string place;
  for (const std::string_view line : split(detail, '\n')) {
    const int number = frame_line(line);
    if (number == 0) continue;
    const SourcePosition position = place_of(number, parts);
    if (position.line > 0) place = fmt::format("{}:{}", position.file, position.line);
  }
  return place;
}

}  // namespace tally
