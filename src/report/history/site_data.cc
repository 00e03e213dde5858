#include "report/history/site_data.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "report/history/columns.h"
#include "report/text/format.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

/// Its place in the ledger; null where nobody acknowledged it.
json::Value place_of(const HistoryView& view, const Acceptance* agreed) {
  if (agreed == nullptr) return {};
  return static_cast<std::uint64_t>(agreed - view.accepted.data());
}

void add_commits(Object& json, const History& history) {
  Array authors, id, author, title;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = history.line.measured.front(); i < history.line.commits.size(); ++i) {
    const CommitName& commit = history.line.commits[i];
    const auto [number, is_new] = numbers.try_emplace(commit.author, numbers.size());
    if (is_new) authors.emplace_back(commit.author);
    id.emplace_back(commit.id);
    author.emplace_back(number->second);
    title.emplace_back(commit.title);
  }
  json["authors"] = std::move(authors);
  json["commits"] = Object{{"id", std::move(id)}, {"author", std::move(author)}, {"title", std::move(title)}};
}

Object site_runs_json(const HistoryView& view) {
  const History& history = view.history;
  Differences commit;
  Array started, compared, mean;
  for (std::size_t run = 0; run < history.runs.size(); ++run) {
    commit.add(static_cast<std::int64_t>(history.line.measured[run] - history.line.measured.front()));
    started.emplace_back(history.runs[run].started());
    compared.emplace_back(view.course.entries[run].compared);
    mean.emplace_back(view.course.entries[run].geometric_mean);
  }
  return {{"commit", commit.take()},
          {"started", std::move(started)},
          {"compared", std::move(compared)},
          {"mean", std::move(mean)}};
}

Array epochs_json(const HistoryView& view) {
  const History& history = view.history;
  Array epochs;
  const auto add = [&](std::size_t run, const EpochStart& start) {
    Array of, before, after;
    for (const CountStep& one : start.chained) {
      of.emplace_back(one.of);
      before.emplace_back(one.counts.before);
      after.emplace_back(one.counts.after);
    }
    epochs.emplace_back(Object{
        {"run", run},
        {"environment", history.runs[run].environment},
        {"bridged", start.is_bridged},
        {"joined", start.joined},
        {"chained", Object{{"case", std::move(of)}, {"before", std::move(before)}, {"after", std::move(after)}}}});
  };
  add(0, {});
  for (std::size_t run = 1; run < history.runs.size(); ++run) {
    if (const auto& epoch = view.course.entries[run].epoch) add(run, *epoch);
  }
  return epochs;
}

/// "words/count" and "cpp length=1000" of "words/count [cpp length=1000]".
std::pair<std::string, std::string> id_parts(const std::string& id) {
  const std::size_t open = id.rfind(" [");
  if (open == id.npos || !id.ends_with(']')) return {id, {}};
  return {id.substr(0, open), id.substr(open + 2, id.size() - open - 3)};
}

/// [[run, unit], …]: what its figures are in from a run on; null: they are instructions, as all are where this is
/// empty.
Array units_json(const History& history, const CaseSeries& one) {
  Array units;
  const Basis counted;
  const Basis* last = &counted;
  for (const SeriesPoint& point : one.points) {
    if (!point.has_figure()) continue;
    const Basis& basis = history.basis_of(point);
    if (basis.metric != last->metric || basis.unit != last->unit) {
      const bool is_count = basis.metric == Metric::instructions;
      units.emplace_back(Array{point.run, is_count ? json::Value() : json::Value(basis.unit)});
    }
    last = &basis;
  }
  return units;
}

Object site_case_json(const HistoryView& view, const CaseSeries& one, const std::string& file) {
  auto [label, variant] = id_parts(one.id);
  if (one.of == SeriesOf::device) variant += variant.empty() ? "kernels" : " kernels";
  Object json = {{"id", name_of(one)}, {"label", std::move(label)}, {"variant", std::move(variant)}};
  if (one.of == SeriesOf::device) json["kernels"] = true;
  const bool is_gone = one.points.empty() || one.points.back().run + 1 != view.history.runs.size();
  json["status"] = is_gone ? std::string("gone") : std::string(to_string(one.points.back().status));
  for (std::size_t i = one.points.size(); i-- > 0;) {
    const SeriesPoint& last = one.points[i];
    if (!last.has_figure()) continue;
    json["count"] = last.figure;
    if (last.has_time()) json["time"] = Array{last.time_s, last.time_low_s, last.time_high_s};
    break;
  }
  if (Array units = units_json(view.history, one); !units.empty()) json["units"] = std::move(units);
  json["spark"] = spark_json(one);
  if (!file.empty()) json["file"] = file;
  return json;
}

Object steps_json(const HistoryView& view, const SiteFileNames& files) {
  Differences runs;
  Array since, of, before, after, agreed, file;
  for (std::size_t run = 0; run < view.course.entries.size(); ++run) {
    for (const CountStep& step : view.course.entries[run].steps) {
      runs.add(static_cast<std::int64_t>(run));
      since.emplace_back(run - step.since);
      of.emplace_back(step.of);
      before.emplace_back(step.counts.before);
      after.emplace_back(step.counts.after);
      agreed.emplace_back(step.is_slower() ? place_of(view, view.acceptance(run, step)) : json::Value());
      const auto functions = files.steps.find({run, step.of});
      file.emplace_back(functions == files.steps.end() ? json::Value() : json::Value(functions->second));
    }
  }
  return {{"run", runs.take()},          {"since", std::move(since)}, {"case", std::move(of)},
          {"before", std::move(before)}, {"after", std::move(after)}, {"agreed", std::move(agreed)},
          {"file", std::move(file)}};
}

Object site_times_json(const HistoryView& view) {
  Differences runs;
  Array since, of, before, after, p, provisional;
  for (const TimeStep& change : view.times) {
    runs.add(static_cast<std::int64_t>(change.run));
    since.emplace_back(change.run - change.since);
    of.emplace_back(change.of);
    before.emplace_back(change.point.before);
    after.emplace_back(change.point.after);
    p.emplace_back(change.point.p_value);
    provisional.emplace_back(change.point.provisional);
  }
  return {{"run", runs.take()},
          {"since", std::move(since)},
          {"case", std::move(of)},
          {"before", std::move(before)},
          {"after", std::move(after)},
          {"p", std::move(p)},
          {"provisional", std::move(provisional)}};
}

/// Often all cases of a run begin anew for one reason: it is stated once.
Array seams_json(const Course& course) {
  Array seams;
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    std::map<std::string_view, Array> by_reason;
    for (const Seam& seam : course.entries[run].seams) by_reason[seam.why].emplace_back(seam.of);
    for (auto& [why, cases] : by_reason)
      seams.emplace_back(Object{{"run", run}, {"why", why}, {"cases", std::move(cases)}});
  }
  return seams;
}

Object failed_json(const Course& course) {
  Differences runs;
  Array cases;
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    for (const std::size_t of : course.entries[run].failed) {
      runs.add(static_cast<std::int64_t>(run));
      cases.emplace_back(of);
    }
  }
  return {{"run", runs.take()}, {"case", std::move(cases)}};
}

Array site_drifts_json(const HistoryView& view) {
  Array drifts;
  for (const Drift& drift : view.course.drifts) {
    const Acceptance* const agreed = acceptance_of(view.id(drift.of), drift, view.accepted, view.today);
    drifts.emplace_back(Object{{"case", drift.of},
                               {"since", drift.since},
                               {"before", drift.counts.before},
                               {"after", drift.counts.after},
                               {"contributors", drift.contributors},
                               {"agreed", place_of(view, agreed)},
                               {"finding", view.is_finding(drift)}});
  }
  return drifts;
}

Array ledger_json(const HistoryView& view) {
  Array ledger;
  for (const Acceptance& line : view.accepted) {
    ledger.emplace_back(Object{{"case", line.cases},
                               {"metric", to_string(line.metric)},
                               {"up_to", format_change(line.up_to)},
                               {"reason", line.reason},
                               {"expires", line.expires},
                               {"expired", line.expires < view.today},
                               {"commit", line.commit},
                               {"owner", line.owner},
                               {"issue", line.issue}});
  }
  return ledger;
}

}  // namespace

json::Value site_data(const HistorySite& site, const SiteFileNames& files) {
  const HistoryView& view = *site.view;
  Object json = {{"name", site.title.empty() ? view.history.suite : site.title}, {"suite", view.history.suite}};
  if (!site.commit_url.empty()) json["commit_url"] = site.commit_url;
  add_commits(json, view.history);
  json["runs"] = site_runs_json(view);
  json["epochs"] = epochs_json(view);
  Array cases;
  for (std::size_t of = 0; of < view.history.cases.size(); ++of)
    cases.emplace_back(site_case_json(view, view.history.cases[of], files.cases[of]));
  json["cases"] = std::move(cases);
  json["steps"] = steps_json(view, files);
  json["times"] = site_times_json(view);
  json["seams"] = seams_json(view.course);
  json["failed"] = failed_json(view.course);
  json["drifts"] = site_drifts_json(view);
  json["ledger"] = ledger_json(view);
  return json;
}

}  // namespace tally
