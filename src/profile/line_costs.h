/// What each source line of a case's code cost, and how it is kept in a stored profile. Pure.
///
/// "lines": { "total": 100, "strings": [..], "lines": [[file, line, cost], ..], "elsewhere": [[object, cost], ..],
///            "sources": [[file, digest], ..], "newer": [file, ..] }
///
/// Files, objects and digests index the strings. Costs are instructions of all iterations together; those of the lines
/// and those elsewhere add up to the total. A source is kept under its digest beside the profiles, unless it was
/// changed after the code was compiled from it: its lines would show what was not measured. "newer" may be missing.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/value.h"
#include "profile/function_counts.h"

namespace tally {

/// A line of a source file; of what the compiler has written itself, line 0.
struct SourceLine {
  std::string file;
  std::uint64_t line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

struct LineCosts {
  std::map<SourceLine, std::uint64_t> lines;
  std::map<std::string, std::uint64_t> elsewhere;  ///< By object: code that no debug information has a line for.
  std::map<std::string, std::string> sources;      ///< File → the digest of its text, where that was kept.
  std::set<std::string> newer;                     ///< Files that are newer than what was compiled from them.
  friend bool operator==(const LineCosts&, const LineCosts&) = default;

  [[nodiscard]] std::uint64_t total() const;
};

/// By file, ("", file, ""). Code that no debug information has a line for goes by "??? (OBJECT)".
FunctionCounts file_counts(const LineCosts& costs);

/// What is kept of a case's lines.
struct KeptLines {
  LineCosts costs;
  std::uint64_t iterations = 1;              ///< Executions of the statement that the costs are of.
  std::map<std::string, std::string> texts;  ///< File → its text, of those that were kept.
};

/// The name of the folder of sources in a folder of profiles.
inline constexpr const char* kSourcesFolder = "sources";

json::Value to_json(const LineCosts& costs);
/// An error (input) without a place: which part is damaged.
Result<LineCosts> line_costs_from_json(const json::Value& json);

}  // namespace tally
