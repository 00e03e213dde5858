/// A TOML document as a plain tree in the order of the file, with the place of everything.
///
/// The only door to toml++: nothing else includes it. Never knows what the keys mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "definition/snippet.h"

namespace tally {

struct TomlEntry;

struct TomlNode {
  enum class Kind { string, integer, floating, boolean, array, table, other };

  Kind kind = Kind::other;
  SourcePosition at;
  std::string written;     ///< The value as it stands in the file, cut to one short line.
  std::string text;        ///< Of a string.
  SourcePosition text_at;  ///< Of a string's first character.
  std::int64_t integer = 0;
  double floating = 0;
  bool boolean = false;
  std::vector<TomlNode> items;     ///< Of an array.
  std::vector<TomlEntry> entries;  ///< Of a table, in the order of the file.
};

struct TomlEntry {
  std::string key;
  SourcePosition at;
  TomlNode value;
};

/// "a string", "an array", …
std::string_view describe(TomlNode::Kind kind);

/// The root table. `file` names the bytes in places and errors.
Result<TomlNode> parse_toml(std::string_view bytes, const std::string& file);

}  // namespace tally
