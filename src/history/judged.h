/// The judgement of a gate upon a history: the newest run, case by case, against those before it. Pure.
///
/// What a device does of a case is no case of its own: it is not counted, and named only where it could not be
/// compared.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history/course.h"

namespace tally {

struct NewestRun {
  struct Unjudged {
    std::size_t of = 0;  ///< Its place in History::cases.
    std::string why;
  };
  std::size_t judged = 0;  ///< Cases whose count was compared with an earlier one.
  std::size_t cases = 0;   ///< All that it has, and those that the run before it had.
  std::vector<std::size_t> added;
  std::vector<std::size_t> failed;
  std::vector<std::size_t> gone;  ///< The run before it had them.
  std::vector<Unjudged> uncompared;
  std::size_t commits_after = 0;  ///< Of the line: they come after it, and no run is of them.
};

NewestRun judged_at_newest(const History& history, const CourseOptions& options);

}  // namespace tally
