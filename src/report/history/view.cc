#include "report/history/view.h"

namespace tally {

std::size_t HistoryView::findings() const {
  std::size_t count = 0;
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    count += static_cast<std::size_t>(
        std::ranges::count_if(course.entries[run].steps, [&](const CountStep& step) { return is_finding(run, step); }));
  }
  return count + static_cast<std::size_t>(
                     std::ranges::count_if(course.drifts, [&](const Drift& drift) { return is_finding(drift); }));
}

}  // namespace tally
