#include "definition/toml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "definition/toml_guard.h"

// With exceptions, which end here: without them toml++ 3.3 continues after an error. Its assertions too are exceptions:
// a header such as "[[[a]" or "[!]" breaks one, which a fuzzer finds in seconds, and with NDEBUG it would be assumed
// true.
#undef NDEBUG
namespace tally {
struct TomlAssertion {};
}  // namespace tally
#define TOML_ASSERT(condition)                        \
  do {                                                \
    if (!(condition)) throw ::tally::TomlAssertion(); \
  } while (false)
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace tally {
namespace {

/// A suite is written by hand; what is larger is the wrong file.
constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Builder {
 public:
  Builder(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {
    if (bytes_.starts_with(kByteOrderMark)) bytes_.remove_prefix(3);
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (bytes_[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] SourcePosition place(const toml::source_position& at) const {
    return {file_, static_cast<int>(at.line), static_cast<int>(at.column)};
  }

  /// A line as it stands in the file, without its margin, cut to one short line.
  [[nodiscard]] std::string line(int number) const {
    if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
    const std::string_view rest = bytes_.substr(line_starts_[static_cast<std::size_t>(number - 1)]);
    std::string text = shortened(trim(rest.substr(0, rest.find('\n'))));
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 32; }, '?');
    return text;
  }

  /// Where a line's text begins.
  [[nodiscard]] SourcePosition line_place(int number) const {
    if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {file_, number, 1};
    const std::size_t start = line_starts_[static_cast<std::size_t>(number - 1)];
    const std::size_t text = bytes_.find_first_not_of(" \t", start);
    return {file_, number, text == std::string_view::npos ? 1 : static_cast<int>(text - start) + 1};
  }

  TomlNode build(const toml::node& node) const {
    TomlNode result;
    result.at = place(node.source().begin);
    result.written = written(node.source());
    if (const auto* table = node.as_table()) {
      result.kind = TomlNode::Kind::table;
      for (const auto& [key, value] : *table) {
        result.entries.push_back({unshield(key.str()), place(key.source().begin), build(value)});
      }
      // toml++ sorts by name; a suite means the order in which it is written.
      std::ranges::sort(result.entries, {}, [](const TomlEntry& e) { return std::pair{e.at.line, e.at.column}; });
    } else if (const auto* array = node.as_array()) {
      result.kind = TomlNode::Kind::array;
      for (const auto& item : *array) result.items.push_back(build(item));
    } else if (const auto* text = node.as_string()) {
      result.kind = TomlNode::Kind::string;
      result.text = unshield(text->get());
      result.text_at = text_place(result.at);
    } else if (const auto* integer = node.as_integer()) {
      result.kind = TomlNode::Kind::integer;
      result.integer = integer->get();
    } else if (const auto* floating = node.as_floating_point()) {
      result.kind = TomlNode::Kind::floating;
      result.floating = floating->get();
    } else if (const auto* boolean = node.as_boolean()) {
      result.kind = TomlNode::Kind::boolean;
      result.boolean = boolean->get();
    }
    return result;
  }

 private:
  /// Byte offset of a place whose column counts characters.
  [[nodiscard]] std::size_t offset(int line, int column) const {
    if (line < 1 || static_cast<std::size_t>(line) > line_starts_.size()) return bytes_.size();
    std::size_t at = line_starts_[static_cast<std::size_t>(line - 1)];
    for (int seen = 1; at < bytes_.size() && bytes_[at] != '\n'; ++at) {
      if (continues_letter(bytes_[at])) continue;
      if (seen++ == column) break;
    }
    return at;
  }

  /// Behind the opening quotes; TOML drops a newline right after three of them.
  [[nodiscard]] SourcePosition text_place(SourcePosition at) const {
    const std::string_view rest = bytes_.substr(std::min(offset(at.line, at.column), bytes_.size()));
    if (!rest.starts_with("'''") && !rest.starts_with("\"\"\"")) {
      ++at.column;
      return at;
    }
    if (rest.substr(3).starts_with("\n") || rest.substr(3).starts_with("\r\n")) return {at.file, at.line + 1, 1};
    at.column += 3;
    return at;
  }

  [[nodiscard]] std::string written(const toml::source_region& region) const {
    const std::size_t from = offset(static_cast<int>(region.begin.line), static_cast<int>(region.begin.column));
    const std::size_t to = offset(static_cast<int>(region.end.line), static_cast<int>(region.end.column));
    if (from >= to || to > bytes_.size()) return {};
    return shortened(bytes_.substr(from, to - from));
  }

  static std::string shortened(std::string_view text) {
    constexpr std::size_t kWidth = 60;
    const std::string_view shown = cut_to_bytes(text.substr(0, text.find_first_of("\r\n")), kWidth);
    return std::string(shown) + (shown.size() < text.size() ? "…" : "");
  }

  std::string_view bytes_;
  const std::string& file_;
  std::vector<std::size_t> line_starts_;
};

bool breaks_an_assertion(std::string_view bytes) {
  try {
    (void)toml::parse(bytes);
  } catch (const TomlAssertion&) {
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
  return false;
}

/// An assertion has no place. The parser reads from the top, so the first lines break it from the guilty one on.
int asserting_line(std::string_view bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') ends.push_back(i + 1);
  }
  ends.push_back(bytes.size());
  const auto guilty =
      std::ranges::partition_point(ends, [&](std::size_t end) { return !breaks_an_assertion(bytes.substr(0, end)); });
  return static_cast<int>(guilty - ends.begin()) + 1;
}

}  // namespace

std::string_view describe(TomlNode::Kind kind) {
  switch (kind) {
    case TomlNode::Kind::string:
      return "a string";
    case TomlNode::Kind::integer:
      return "a whole number";
    case TomlNode::Kind::floating:
      return "a number";
    case TomlNode::Kind::boolean:
      return "true or false";
    case TomlNode::Kind::array:
      return "an array";
    case TomlNode::Kind::table:
      return "a table";
    case TomlNode::Kind::other:
      return "a date or time";
  }
  return "a value";
}

Result<TomlNode> parse_toml(std::string_view bytes, const std::string& file) {
  const auto refuse = [](std::string_view what, const std::string& line, const SourcePosition& at,
                         std::string_view hint) {
    return fail(ErrorKind::input,
                fmt::format("this is not TOML: {}{}", what, line.empty() ? "" : fmt::format(" ({})", line)),
                describe(at), std::string(hint));
  };
  if (bytes.size() > kMaxBytes) {
    return fail(ErrorKind::input, fmt::format("a suite of {} bytes is not read", bytes.size()), file,
                "a suite has at most 4 MiB; split it and use include");
  }
  const Builder builder(bytes, file);
  const std::optional<std::string> shielded = shield(bytes);
  if (!shielded) {
    return fail(ErrorKind::input, "the suite holds letters that Unicode does not define (U+400A0 to U+4FEFF)", file,
                "take them out");
  }
  try {
    return builder.build(toml::parse(*shielded));
  } catch (const toml::parse_error& error) {
    SourcePosition place = builder.place(error.source().begin);
    // toml++ has read on behind the line when it finds that a header was there before.
    if (error.description().contains("table header") && error.description().contains("redefine")) {
      do place = builder.line_place(std::max(1, place.line - 1));
      while (place.line > 1 && !builder.line(place.line).starts_with('['));
    }
    return refuse(replace_all(unshield(error.description()), "Error while parsing", "while reading"),
                  builder.line(place.line), place, toml_hint(error.description()));
  } catch (const TomlAssertion&) {
    const int line = asserting_line(*shielded);
    return refuse("a key cannot begin like this", builder.line(line), builder.line_place(line),
                  "a key has letters, digits, '_' and '-', or stands in quotes");
  }
}

}  // namespace tally
