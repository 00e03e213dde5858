#include "report/history/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "report/history/text.h"
#include "report/text/escape.h"
#include "report/text/format.h"

namespace tally {
namespace {

constexpr std::size_t kMostEntries = 50;
constexpr std::size_t kMostSteps = 10;

std::string feed_element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>\n", name, html_escape(text));
}

std::string feed_step(const HistoryView& view, std::size_t run, const CountStep& step) {
  std::string text =
      fmt::format("{} {}: {} → {}", format_change(step.counts.change), view.id(step.of),
                  figure_text(step.counts.before, step.counts), figure_text(step.counts.after, step.counts));
  if (view.is_finding(run, step)) text += ", unacknowledged";
  return text;
}

/// "+25 % words/count [cpp] and 2 more: Take blanks alone again"
std::string entry_title(const HistoryView& view, std::size_t run) {
  const auto& steps = view.course.entries[run].steps;
  std::string text = format_change(steps.front().counts.change) + " " + view.id(steps.front().of);
  if (steps.size() > 1) text += fmt::format(" and {} more", steps.size() - 1);
  return text + ": " + view.commit(run).title;
}

std::string entry_text(const HistoryView& view, std::size_t run) {
  const auto& steps = view.course.entries[run].steps;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostSteps, steps.size()); ++i) text += feed_step(view, run, steps[i]) + "\n";
  if (steps.size() > kMostSteps) text += fmt::format("and {} more\n", steps.size() - kMostSteps);
  const std::size_t candidates = view.candidates(run, steps.front()).size();
  if (candidates > 1) text += fmt::format("one of {} commits: those between were not measured\n", candidates);
  return text;
}

std::string feed_link(const std::string& address) { return fmt::format("<link href=\"{}\"/>\n", html_escape(address)); }

std::string feed_entry(const HistorySite& site, const std::string& urn, std::size_t run) {
  const HistoryView& view = *site.view;
  const CommitName& commit = view.commit(run);
  std::string text = "<entry>\n" + feed_element("id", urn + ":" + commit.id) +
                     feed_element("title", entry_title(view, run)) +
                     feed_element("updated", view.history.runs[run].started()) + "<author>" +
                     feed_element("name", commit.author) + "</author>\n";
  if (!site.url.empty()) text += feed_link(site.url + "#/commit/" + commit.id.substr(0, 12));
  return text + feed_element("summary", entry_text(view, run)) + "</entry>\n";
}

}  // namespace

std::string render_feed(const HistorySite& site) {
  const HistoryView& view = *site.view;
  const std::string urn = "urn:tallymark:" + digest(view.history.suite).substr(0, 16);
  std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n" +
                     feed_element("id", urn) +
                     feed_element("title", site.title.empty() ? view.history.suite : site.title) +
                     feed_element("updated", view.history.runs.back().started());
  if (!site.url.empty())
    text += feed_link(site.url) + fmt::format("<link rel=\"self\" href=\"{}feed.xml\"/>\n", html_escape(site.url));
  std::size_t entries = 0;
  for (std::size_t run = view.history.runs.size(); run-- > 0 && entries < kMostEntries;) {
    if (view.course.entries[run].steps.empty()) continue;
    text += feed_entry(site, urn, run);
    ++entries;
  }
  return text + "</feed>\n";
}

}  // namespace tally
