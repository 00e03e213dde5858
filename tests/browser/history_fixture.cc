// Writes a site for the browser test and for bench/history_site.sh: history_site_fixture FOLDER [CASES RUNS]. Without
// numbers it is the example of unit tests, with functions for one change; with numbers a generated history, and how
// long it took to render and to write is printed.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "base/files.h"
#include "profile/callgrind.h"
#include "report/history/example_history.h"
#include "report/history/site.h"

namespace tally {
namespace {

/// Counts that change a few times in all, times that never rest, a commit in twenty-five unmeasured, two environments.
HistoryView generated_history(std::size_t cases, std::size_t runs) {
  std::mt19937 random(20261124);
  std::uniform_real_distribution<double> share(0, 1);
  HistoryView view;
  History& history = view.history;
  history.suite = "generated.toml";
  history.bases = {{.definition = "d", .terms = {.iterations = 100, .isolation = "group"}}};
  for (std::size_t run = 0; run < runs; ++run) {
    do {
      const std::size_t i = history.line.commits.size();
      std::string id;
      while (id.size() < 40) id += fmt::format("{:08x}", random());
      history.line.commits.push_back({id, fmt::format("Author {}", i % 17), fmt::format("Commit {} of many", i)});
    } while (run > 0 && share(random) < 0.04);
    history.line.measured.push_back(history.line.commits.size() - 1);
    history.runs.push_back(
        {.environment = run < runs * 3 / 5 ? "bafd7e65f87d" : "41c09a77e2d1",
         .parts = {{.started = fmt::format("2026-{:02}-{:02}T10:00:00Z", 1 + run * 11 / runs, 1 + run % 28)}}});
  }
  for (std::size_t of = 0; of < cases; ++of) {
    CaseSeries& series = history.cases.emplace_back(
        CaseSeries{.id = fmt::format("group {}/case {} [cpp]", of % 12, of), .language = "cpp", .points = {}});
    double count = std::round(500 + 100'000 * share(random));
    for (std::size_t run = 0; run < runs; ++run) {
      if (share(random) < 3.0 / static_cast<double>(runs)) count = std::round(count * (0.85 + 0.4 * share(random)));
      SeriesPoint point = example_point(run, count, 0.2e-9 * (1 + 0.03 * share(random)));
      point.time_low_s *= static_cast<float>(1 - 0.005 * share(random));
      point.time_high_s *= static_cast<float>(1 + 0.01 * share(random));
      series.points.push_back(point);
    }
  }
  view.today = "2026-11-24";
  view.course = course_of(history, {});
  return view;
}

/// A dispatcher over a kernel, for words/sum; the kernel is what the third commit made slower.
std::optional<StoredProfile> profile_at(const HistoryView& view, std::size_t of, std::size_t run, ProfileOf what) {
  constexpr std::size_t sum = 2;
  if (of != sum || what == ProfileOf::python) return std::nullopt;
  const auto count = static_cast<int>(view.history.cases[of].points[run].figure);
  const auto n = [](int value) { return std::to_string(value * 100); };
  const std::string text = "events: Ir\nob=libwords.so\nfl=words.cc\nfn=sum(words)\n1 " + n(507) +
                           "\ncfn=remainder(word)\ncalls=800 0\n1 " + n(count - 507) + "\nfn=remainder(word)\n1 " +
                           n(count - 507) + "\ntotals: " + n(count) + "\n";
  return StoredProfile{*parse_callgrind(text), 100};
}

bool write_site(const std::string& folder, const std::vector<SiteFile>& files) {
  for (const SiteFile& file : files) {
    if (!write_file(folder + "/" + file.name, file.text)) return false;
  }
  return true;
}

int write_example(const std::string& folder) {
  const HistoryView view = example_history();
  const auto profiles = [&view](std::size_t of, std::size_t run, ProfileOf what) {
    return profile_at(view, of, run, what);
  };
  return write_site(folder, render_history_site({.view = &view,
                                                 .title = "words",
                                                 .url = "https://example.org/words/",
                                                 .commit_url = "https://example.org/commit/{commit}",
                                                 .profiles = profiles}))
             ? 0
             : 1;
}

int write_generated(const std::string& folder, std::size_t cases, std::size_t runs) {
  const HistoryView view = generated_history(cases, runs);
  const auto begin = std::chrono::steady_clock::now();
  const auto files = render_history_site({.view = &view});
  const auto rendered = std::chrono::steady_clock::now();
  const bool written = write_site(folder, files);
  const auto end = std::chrono::steady_clock::now();
  std::size_t bytes = 0;
  std::size_t steps = 0;
  for (const SiteFile& file : files) bytes += file.text.size();
  for (const CourseEntry& entry : view.course.entries) steps += entry.steps.size();
  const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  fmt::print(
      "{} cases x {} runs, {} changes: rendered in {:.2f} s, written in {:.2f} s; {} files, {:.1f} MB, page {:.2f} "
      "MB\n",
      cases, runs, steps, seconds(begin, rendered), seconds(rendered, end), files.size(),
      static_cast<double>(bytes) / 1e6, static_cast<double>(files.back().text.size()) / 1e6);
  return written ? 0 : 1;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc == 2) return tally::write_example(argv[1]);
  if (argc == 4) return tally::write_generated(argv[1], std::stoul(argv[2]), std::stoul(argv[3]));
  std::fputs("usage: history_site_fixture FOLDER [CASES RUNS]\n", stderr);
  return 2;
}
