/// A small history that has one of each kind of thing in it, for tests and for nothing else.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/history/view.h"

namespace tally {

inline constexpr const char* kEvilText =
    "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>";

/// The point of a case at a run: a count and a time of it, or a failure where the count is negative.
inline SeriesPoint example_point(std::size_t run, double count, double seconds_each = 0.2e-9) {
  SeriesPoint point{.run = static_cast<std::uint32_t>(run), .basis = 0, .status = CaseStatus::ok};
  if (count < 0) {
    point.status = CaseStatus::crashed;
    return point;
  }
  point.figure = count;
  point.time_s = count * seconds_each;
  point.time_low_s = static_cast<float>(0.99 * point.time_s);
  point.time_high_s = static_cast<float>(1.02 * point.time_s);
  return point;
}

inline CaseSeries example_series(std::string id, const std::vector<double>& counts) {
  CaseSeries series{.id = std::move(id), .language = "cpp", .points = {}};
  for (std::size_t run = 0; run < counts.size(); ++run) series.points.push_back(example_point(run, counts[run]));
  return series;
}

/// Ten commits, of which the seventh was not measured and the ninth in two environments: ten runs, of which two are of
/// one commit.
inline HistoryView example_history() {
  HistoryView view;
  History& history = view.history;
  history.suite = "words.toml";
  history.bases = {{.definition = "d1", .terms = {.iterations = 100, .isolation = "group"}},
                   {.definition = "d2", .terms = {.iterations = 100, .isolation = "group"}}};
  const std::vector<std::pair<std::string, std::string>> commits = {{"Ada", "Count words"},
                                                                    {"Ada", "Count words without copies"},
                                                                    {"Grace", "Sum remainders"},
                                                                    {kEvilText, kEvilText},
                                                                    {"Grace", "Take blanks alone again"},
                                                                    {"Ada", "Docs"},
                                                                    {"Ada", "Hoist the lookup out of the loop"},
                                                                    {"Edsger", "Check every index"},
                                                                    {"Grace", "Docs"},
                                                                    {"Ada", "Reserve room"}};
  for (std::size_t i = 0; i < commits.size(); ++i)
    history.line.commits.push_back(
        {fmt::format("{:x}{:039x}", 10 - i, 7919 * (i + 1)), commits[i].first, commits[i].second});
  history.line.measured = {0, 1, 2, 3, 4, 5, 7, 8, 8, 9};
  for (std::size_t run = 0; run < history.line.measured.size(); ++run)
    history.runs.push_back({.environment = run < 8 ? "bafd7e65f87d" : "41c09a77e2d1",
                            .parts = {{.started = fmt::format("2026-11-{:02}T10:00:00Z", run + 1)}}});
  history.cases = {
      example_series("words/count [cpp length=100]", {809, 809, 809, 809, 1010, 1010, 1010, 1010, 1010, 1010}),
      example_series("words/count [cpp length=1000]", {8009, 7009, 7009, 7009, 7009, 7009, 9010, 9010, 9010, 9010}),
      example_series("words/sum [cpp]", {2007, 2007, 6508, 6508, 6508, 6508, 6508, 6508, 6600, 6600}),
      example_series("words/drifts [cpp]", {10000, 10009, 10009, 10100, 10109, 10200, 10209, 10300, 10300, 10305}),
      example_series("words/crashes [cpp]", {50, 50, -1, -1, 50, 50, 50, 50, 50, 50}),
      example_series("words/redefined [cpp]", {300, 300, 300, 500, 500, 500, 500, 500, 500, 500}),
      example_series(std::string(kEvilText) + "/\"quoted\" & ?#% [cpp]",
                     {70, 70, 70, 140, 140, 140, 140, 140, 140, 140}),
      example_series("words/never [cpp]", {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}),
  };
  for (SeriesPoint& point : history.cases[3].points) point.floor = 150;
  for (SeriesPoint& point : history.cases[5].points) point.basis = point.run < 3 ? 0 : 1;
  view.accepted = {{.cases = "words/sum *",
                    .up_to = 3,
                    .reason = "remainders are wanted",
                    .expires = "2027-06-30",
                    .commit = history.line.commits[2].id.substr(0, 10),
                    .owner = "Ada",
                    .issue = "#12",
                    .where = "tally-accept.toml:1"},
                   {.cases = "words/gone *",
                    .up_to = 0.1,
                    .reason = kEvilText,
                    .expires = "2026-01-01",
                    .commit = {},
                    .owner = {},
                    .issue = {},
                    .where = "tally-accept.toml:9"}};
  view.today = "2026-11-24";
  view.course = course_of(history, {});
  view.times = {{.of = 4,
                 .run = 5,
                 .since = 4,
                 .point = {.index = 3, .before = 10e-9, .after = 12e-9, .p_value = 0.0007, .provisional = true}}};
  return view;
}

}  // namespace tally
