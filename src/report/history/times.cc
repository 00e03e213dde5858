#include "report/history/times.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/readable_id.h"
#include "report/history/text.h"
#include "report/text/format.h"

namespace tally {

std::string time_step_text(const ChangePoint& point) {
  return fmt::format("{} (p {:.1g}{})", format_change(point.change()), point.p_value,
                     point.provisional ? ", provisional" : "");
}

std::string time_lines(const HistoryView& view, std::size_t run, const HistoryRender& render) {
  const auto changes = view.times_at(run);
  std::string text;
  for (const TimeStep& change : changes.first(std::min(render.most, changes.size()))) {
    text += fmt::format("    {}  {}  {}  {} → {}\n", to_string(view.history.cases[change.of].time_metric()),
                        tinted(time_step_text(change.point), Tint::notice, render.options.color),
                        printable(readable_id(view.id(change.of))), format_seconds(change.point.before),
                        format_seconds(change.point.after));
    if (const std::size_t candidates = view.candidates(change).size(); candidates > 1)
      text += fmt::format("      one of {} commits: those between were not timed\n", candidates);
  }
  if (changes.size() > render.most) text += fmt::format("    time  and {} more\n", changes.size() - render.most);
  return text;
}

std::string time_summary(const HistoryView& view) {
  if (view.times.empty()) return {};
  const auto provisional =
      std::ranges::count_if(view.times, [](const auto& change) { return change.point.provisional; });
  return fmt::format("{} of time nominated, {} provisional; tally ab of the two commits decides\n",
                     view.times.size() == 1 ? "1 change" : fmt::format("{} changes", view.times.size()), provisional);
}

json::Object time_json(const HistoryView& view, const TimeStep& change) {
  json::Array candidates;
  for (const CommitName& commit : view.candidates(change)) candidates.emplace_back(commit.id);
  return {{"id", view.id(change.of)},
          {"metric", to_string(view.history.cases[change.of].time_metric())},
          {"before_s", change.point.before},
          {"after_s", change.point.after},
          {"change", change.point.change()},
          {"p_value", change.point.p_value},
          {"provisional", change.point.provisional},
          {"candidates", std::move(candidates)}};
}

}  // namespace tally
