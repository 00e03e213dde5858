/// A case's source lines as the page's script reads them, and the sources that its cases share. Internal to src/report.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "comparison/line_delta.h"
#include "json/value.h"

namespace tally {

/// Sources of a page: each once, and only lines that are shown of some case, with a few around them.
class PageSources {
 public:
  /// The number under which the page finds a text; `lines` of it are shown.
  std::size_t add(const std::string& digest, const std::string& text, const std::set<std::uint64_t>& lines);

  /// By number, each packed (packed.h): { "lines": 120, "runs": [[first, "text\ntext"], ..] }. At most a million and a
  /// half characters together: those that come after are left out, as null.
  [[nodiscard]] json::Array json() const;

 private:
  struct Source {
    std::string text;
    std::set<std::uint64_t> shown;
  };
  std::map<std::string, std::size_t> numbers_;  ///< By digest.
  std::vector<Source> sources_;
};

/// { "total": 12.5, "total_before": 11, "files": [{ "name": "..", "source": 0, "newer": true }, ..],
///   "file": [..], "line": [..], "own": [..], "before": [..],
///   "was": { "3": "text" }, "gone": { "4": "text" }, "elsewhere": [["libc.so", own, before], ..] }
///
/// Columns of equal length, by file and line; figures are per iteration, "before" and "total_before" only with a base.
/// "was" and "gone" are by row: what a line was that is written otherwise, and the text of one that only the base has,
/// which stands below line `line` of the file.
json::Value lines_json(const KeptLines* before, const KeptLines& after, PageSources& sources);

}  // namespace tally
