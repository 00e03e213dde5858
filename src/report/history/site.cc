#include "report/history/site.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "json/text.h"
#include "report/history/badge.h"
#include "report/history/columns.h"
#include "report/history/feed.h"
#include "report/history/site_data.h"
#include "report/html/packed.h"
#include "report/html/page.h"
#include "report/html/profile.h"
#include "report/text/escape.h"
#include "web/page_text.h"

namespace tally {
namespace {

/// Of those nearest to the tip: a diff is some 10 kB.
constexpr std::size_t kMostDiffs = 500;
constexpr std::size_t kMostNodes = 800;

/// A file that says tallyData(NAME, PACKED) when it is loaded; adds it, and returns NAME, which is its content's
/// digest.
std::string add_data(std::vector<SiteFile>& files, const json::Value& data) {
  const std::string text = packed(json::to_text(data));
  std::string name = digest(text).substr(0, 16);
  files.push_back({"data/" + name + ".js", fmt::format("tallyData(\"{}\",\"{}\")\n", name, text)});
  return name;
}

bool has_counts(const CaseSeries& series) {
  for (const SeriesPoint& point : series.points) {
    if (point.has_figure()) return true;
  }
  return false;
}

double count_at(const CaseSeries& series, std::size_t run) {
  for (const SeriesPoint& point : series.points) {
    if (point.run == run && point.has_figure()) return point.figure;
  }
  return 0;
}

/// Both sides of a step in one tree; null where a side's profile was not kept.
json::Value diff_of(const HistorySite& site, std::size_t run, const CountStep& step, ProfileOf what) {
  const auto before = site.profiles(step.of, step.since, what);
  if (!before || before->profile.events.empty()) return {};
  const auto after = site.profiles(step.of, run, what);
  if (!after || after->profile.events.empty()) return {};
  const CaseSeries& series = site.view->history.cases[step.of];
  // What observing Python takes is not in the counts, and the loop not in what is observed.
  const auto side = [&](const StoredProfile& stored, std::size_t at) {
    return ProfiledSide{&stored, what == ProfileOf::python ? cost_of(stored) : count_at(series, at)};
  };
  return profile_json(side(*before, step.since), side(*after, run), kMostNodes);
}

/// { "native": .., "python": .. }, as profile_json; without what was not kept, and null where nothing was.
json::Value functions_of(const HistorySite& site, std::size_t run, const CountStep& step) {
  json::Object functions;
  const auto add = [&](const char* name, ProfileOf what) {
    if (json::Value diff = diff_of(site, run, step, what); !diff.is_null()) functions[name] = std::move(diff);
  };
  add("native", ProfileOf::native);
  if (site.view->history.cases[step.of].language == "python") add("python", ProfileOf::python);
  return functions.size() > 0 ? json::Value(std::move(functions)) : json::Value();
}

void add_diffs(std::vector<SiteFile>& files, SiteFileNames& names, const HistorySite& site) {
  if (!site.profiles) return;
  const auto& entries = site.view->course.entries;
  for (std::size_t run = entries.size(); run-- > 0;) {
    for (const CountStep& step : entries[run].steps) {
      if (names.steps.size() >= kMostDiffs) return;
      if (const json::Value functions = functions_of(site, run, step); !functions.is_null())
        names.steps[{run, step.of}] = add_data(files, functions);
    }
  }
}

}  // namespace

std::vector<SiteFile> render_history_site(const HistorySite& site) {
  const History& history = site.view->history;
  std::vector<SiteFile> files;
  SiteFileNames names;
  for (const CaseSeries& one : history.cases)
    names.cases.push_back(has_counts(one) ? add_data(files, series_json(one, site.view->history)) : std::string());
  add_diffs(files, names, site);
  files.push_back({"badge.svg", render_badge(*site.view)});
  files.push_back({"feed.xml", render_feed(site)});
  const std::string title = site.title.empty() ? history.suite : site.title;
  files.push_back(
      {"index.html",
       render_page({.title = title,
                    .css = kHistoryPageCss,
                    .js = kHistoryPageJs,
                    .data = site_data(site, names),
                    .has_files = true,
                    .head = "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"feed.xml\" title=\"" +
                            html_escape(title) + "\">\n"})});
  return files;
}

}  // namespace tally
