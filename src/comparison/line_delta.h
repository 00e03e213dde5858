/// What each source line of a case costs on two sides. Pure.
///
/// Lines are followed by the texts that were kept (line_match.h), so that a line more above moves nothing; where one
/// side has no text of a file, by their numbers. A file in another folder is the same file if its last name is unique
/// on both sides; suites are one file, whatever they are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/line_costs.h"

namespace tally {

struct LineDelta {
  SourceLine
      at;  ///< Of the later side; of the earlier one where it is `gone`. Line 0: code of an object, without lines.
  bool gone = false;
  bool newer = false;       ///< On a side, its file is newer than what was compiled from it: that text is left out.
  double before = 0;        ///< Own instructions per iteration.
  double after = 0;         //
  std::string text;         ///< Empty where none was kept.
  std::string text_before;  ///< Where it was written otherwise.
  std::uint64_t below = 0;  ///< Of a line that is gone: the line of the later side that it would stand below.

  [[nodiscard]] double delta() const { return after - before; }
};

/// Every line and object of either side, by file and place, objects last. `before` may be null.
std::vector<LineDelta> line_deltas(const KeptLines* before, const KeptLines& after);

/// Those whose cost changed, largest change first.
std::vector<LineDelta> moved_lines(std::vector<LineDelta> deltas);

}  // namespace tally
