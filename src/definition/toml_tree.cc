#include "definition/toml_tree.h"

#include <fmt/format.h>

#include <algorithm>

// With exceptions, which end here: without them toml++ 3.3 goes on after an error. Its assertions too are exceptions: a
// header such as "[[[a]" or "[!]" breaks one, which a fuzzer finds in seconds, and with NDEBUG it would be assumed
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

  [[nodiscard]] char byte(std::size_t at) const { return bytes_[at]; }

  /// The place of a byte, the byte order mark not counted.
  [[nodiscard]] SourcePosition place(std::size_t byte) const {
    const auto next = std::ranges::upper_bound(line_starts_, byte);
    const std::size_t start = *std::prev(next);
    const auto before = bytes_.substr(start, byte - start);
    const auto inner =
        std::ranges::count_if(before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
    return {file_, static_cast<int>(next - line_starts_.begin()),
            static_cast<int>(before.size() - static_cast<std::size_t>(inner)) + 1};
  }

  TomlNode build(const toml::node& node) const {
    TomlNode result;
    result.at = place(node.source().begin);
    result.written = written(node.source());
    if (const auto* table = node.as_table()) {
      result.kind = TomlNode::Kind::table;
      for (const auto& [key, value] : *table) {
        result.entries.push_back({std::string(key.str()), place(key.source().begin), build(value)});
      }
      // toml++ sorts by name; a suite means the order in which it is written.
      std::ranges::sort(result.entries, {}, [](const TomlEntry& e) { return std::pair{e.at.line, e.at.column}; });
    } else if (const auto* array = node.as_array()) {
      result.kind = TomlNode::Kind::array;
      for (const auto& item : *array) result.items.push_back(build(item));
    } else if (const auto* text = node.as_string()) {
      result.kind = TomlNode::Kind::string;
      result.text = text->get();
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
      if ((static_cast<unsigned char>(bytes_[at]) & 0xC0U) == 0x80U) continue;
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
    std::string_view text = bytes_.substr(from, to - from);
    constexpr std::size_t kWidth = 60;
    const std::size_t end = std::min(text.find_first_of("\r\n"), kWidth);
    return end < text.size() ? std::string(text.substr(0, end)) + "…" : std::string(text);
  }

  std::string_view bytes_;
  const std::string& file_;
  std::vector<std::size_t> line_starts_;
};

/// What bare keys and values are made of; a quote right behind it opens no string, and is a mistake.
bool is_bare(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '+';
}

/// The offset of the first byte beyond ASCII that stands outside strings and comments, where TOML allows none; npos
/// when there is none before the first mistake in a string. toml++ 3.3 must not see it: its test for blanks runs into
/// undefined behaviour at U+00A1 to U+0499.
std::size_t bare_foreign_character(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (static_cast<unsigned char>(c) >= 0x80U) return i;
    if (c == '#') {
      i = bytes.find('\n', i);
    } else if (c == '"' || c == '\'') {
      if (i > 0 && is_bare(bytes[i - 1])) return i;
      const std::string quotes(3, c);
      const bool several = bytes.substr(i).starts_with(quotes);
      const std::string_view close = several ? std::string_view(quotes) : bytes.substr(i, 1);
      for (i += close.size(); i < bytes.size() && !bytes.substr(i).starts_with(close); ++i) {
        if (bytes[i] == '\n' && !several) return std::string_view::npos;
        if (bytes[i] == '\\' && c == '"') ++i;
      }
      // Up to two quotes may stand right before the closing three.
      for (int extra = 0; several && extra < 2 && bytes.substr(std::min(i, bytes.size())).starts_with(quotes + c);
           ++extra)
        ++i;
      i += close.size() - 1;
    }
    if (i == std::string_view::npos || i >= bytes.size()) break;
  }
  return std::string_view::npos;
}

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

/// An assertion tells no place. The parser reads from the top, so the first lines break it from the guilty one on.
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
  if (bytes.size() > kMaxBytes) {
    return fail(ErrorKind::input, fmt::format("a suite of {} bytes is not read", bytes.size()), file,
                "a suite has at most 4 MiB; split it and use include");
  }
  const Builder builder(bytes, file);
  if (const std::size_t at = bare_foreign_character(bytes.substr(bytes.starts_with(kByteOrderMark) ? 3 : 0));
      at != std::string_view::npos) {
    return fail(ErrorKind::input,
                static_cast<unsigned char>(builder.byte(at)) >= 0x80U
                    ? "this is not TOML: a letter beyond ASCII stands outside a string"
                    : "this is not TOML: a quote follows a bare word",
                describe(builder.place(at)), "put quotes around the key or the value");
  }
  try {
    return builder.build(toml::parse(bytes));
  } catch (const toml::parse_error& error) {
    return fail(ErrorKind::input, fmt::format("this is not TOML: {}", error.description()),
                describe(builder.place(error.source().begin)), "mend the syntax");
  } catch (const TomlAssertion&) {
    return fail(ErrorKind::input, "this is not TOML: a key cannot begin like this",
                describe(SourcePosition{file, asserting_line(bytes), 0}),
                "a key has letters, digits, '_' and '-', or stands in quotes");
  }
}

}  // namespace tally
