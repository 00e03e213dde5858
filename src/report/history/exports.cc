#include "report/history/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "json/text.h"
#include "report/history/times.h"
#include "report/text/escape.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

Object counts_json(const CountChange& counts) {
  Object json = {
      {"before", counts.before}, {"after", counts.after}, {"change", counts.change}, {"threshold", counts.threshold}};
  if (counts.metric == Metric::instructions) return json;
  json["metric"] = to_string(counts.metric);
  json["unit"] = counts.unit;
  return json;
}

Array ids_json(std::span<const CommitName> commits) {
  Array ids;
  ids.reserve(commits.size());
  for (const CommitName& commit : commits) ids.emplace_back(commit.id);
  return ids;
}

Object commit_json(const CommitName& commit) {
  return {{"commit", commit.id}, {"author", commit.author}, {"title", commit.title}};
}

void add_expired(Object& json, const Acceptance* expired) {
  if (expired != nullptr) json["expired"] = Object{{"on", expired->expires}, {"reason", expired->reason}};
}

Array functions_json(const std::vector<FunctionDelta>& deltas) {
  constexpr std::size_t kMost = 20;
  Array functions;
  for (const FunctionDelta& delta : std::span(deltas).first(std::min(kMost, deltas.size()))) {
    functions.emplace_back(Object{{"object", delta.object},
                                  {"name", delta.name},
                                  {"before", delta.before},
                                  {"after", delta.after},
                                  {"calls_before", delta.calls_before},
                                  {"calls_after", delta.calls_after}});
  }
  return functions;
}

Object step_json(const HistoryView& view, std::size_t run, const CountStep& step, const StepFunctions& functions) {
  Object json = {{"id", view.id(step.of)}};
  json.update(counts_json(step.counts));
  json["candidates"] = ids_json(view.candidates(run, step));
  const Acceptance* const accepted = view.acceptance(run, step);
  json["acknowledged"] = !step.is_slower() || accepted != nullptr;
  if (accepted != nullptr) json["reason"] = accepted->reason;
  if (functions && step.counts.metric != Metric::kernels) json["functions"] = functions_json(functions(run, step));
  if (view.is_finding(run, step)) add_expired(json, view.expired(run, step));
  return json;
}

Object epoch_json(const HistoryView& view, const EpochStart& epoch) {
  Array chained;
  chained.reserve(epoch.chained.size());
  for (const CountStep& one : epoch.chained) {
    Object json = {{"id", view.id(one.of)}};
    json.update(counts_json(one.counts));
    chained.emplace_back(std::move(json));
  }
  return {{"before", epoch.before},
          {"after", epoch.after},
          {"bridged", epoch.is_bridged},
          {"joined", epoch.joined},
          {"chained", std::move(chained)}};
}

Object entry_json(const HistoryView& view, std::size_t run, const StepFunctions& functions) {
  const CourseEntry& entry = view.course.entries[run];
  Object json = commit_json(view.commit(run));
  json["environment"] = view.history.runs[run].environment;
  if (entry.epoch) json["epoch"] = epoch_json(view, *entry.epoch);
  json["compared"] = entry.compared;
  json["geometric_mean"] = entry.geometric_mean;
  Array changes;
  changes.reserve(entry.steps.size());
  for (const CountStep& step : entry.steps) changes.emplace_back(step_json(view, run, step, functions));
  json["changes"] = std::move(changes);
  Array times;
  for (const TimeStep& change : view.times_at(run)) times.emplace_back(time_json(view, change));
  json["time_steps"] = std::move(times);
  Array seams;
  seams.reserve(entry.seams.size());
  for (const Seam& seam : entry.seams) seams.emplace_back(Object{{"id", view.id(seam.of)}, {"why", seam.why}});
  json["seams"] = std::move(seams);
  Array failed;
  failed.reserve(entry.failed.size());
  for (const std::size_t of : entry.failed) failed.emplace_back(view.id(of));
  json["failed"] = std::move(failed);
  return json;
}

Object drift_json(const HistoryView& view, const Drift& drift) {
  Object json = {
      {"id", view.id(drift.of)}, {"since", view.commit(drift.since).id}, {"until", view.commit(drift.until).id}};
  json.update(counts_json(drift.counts));
  Array contributors;
  contributors.reserve(drift.contributors.size());
  for (const std::size_t run : drift.contributors) contributors.emplace_back(view.commit(run).id);
  json["contributors"] = std::move(contributors);
  return json;
}

Object open_drift_json(const HistoryView& view, const Drift& drift) {
  Object json = drift_json(view, drift);
  json["budget"] = budget_of(view.id(drift.of), view.budgets);
  json["acknowledged"] = !view.is_finding(drift);
  if (view.is_finding(drift)) add_expired(json, view.expired(drift));
  return json;
}

Object settled_json(const HistoryView& view, const SettledDrift& settled) {
  Object json = drift_json(view, settled.drift);
  json["acknowledged"] = true;
  json["reason"] = settled.by.reason;
  return json;
}

Object head_json(const HistoryView& view) {
  return {{"suite", view.history.suite}, {"environment", view.history.runs.back().environment}};
}

std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

std::string log_to_json(const HistoryView& view, const StepFunctions& functions) {
  Object json = head_json(view);
  Array commits;
  commits.reserve(view.history.runs.size());
  for (std::size_t run = view.history.runs.size(); run-- > 0;) commits.emplace_back(entry_json(view, run, functions));
  json["commits"] = std::move(commits);
  Array drifts;
  drifts.reserve(view.course.drifts.size() + view.course.settled.size());
  for (const Drift& drift : view.course.drifts) drifts.emplace_back(open_drift_json(view, drift));
  for (const SettledDrift& settled : view.course.settled) drifts.emplace_back(settled_json(view, settled));
  json["drifts"] = std::move(drifts);
  json["unacknowledged"] = view.findings();
  return json::to_text(std::move(json), 1) + "\n";
}

std::string log_to_csv(const HistoryView& view) {
  std::string text =
      "commit,author,title,candidates,case,before,after,change,acknowledged,metric,p_value,provisional\n";
  for (std::size_t run = view.history.runs.size(); run-- > 0;) {
    const CommitName& commit = view.commit(run);
    for (const CountStep& step : view.course.entries[run].steps) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},,\n", commit.id, csv_field(commit.author),
                          csv_field(commit.title), view.candidates(run, step).size(), csv_field(view.id(step.of)),
                          number(step.counts.before), number(step.counts.after), number(step.counts.change),
                          view.is_finding(run, step) ? "false" : "true", to_string(step.counts.metric));
    }
    for (const TimeStep& change : view.times_at(run)) {
      text += fmt::format("{},{},{},{},{},{},{},{},,{}_s,{},{}\n", commit.id, csv_field(commit.author),
                          csv_field(commit.title), view.candidates(change).size(), csv_field(view.id(change.of)),
                          number(change.point.before), number(change.point.after), number(change.point.change()),
                          to_string(view.history.cases[change.of].time_metric()), number(change.point.p_value),
                          change.point.provisional);
    }
  }
  return text;
}

namespace {

Array points_json(const HistoryView& view, const CaseCourse& course, const StepFunctions& functions) {
  const std::string time(to_string(view.history.cases[course.of].time_metric()));
  Array series;
  series.reserve(course.points.size());
  for (const CoursePoint& point : course.points) {
    const std::size_t run = point.of->run;
    Object one = commit_json(view.commit(run));
    one["environment"] = view.history.runs[run].environment;
    const Basis& basis = view.history.basis_of(*point.of);
    one[std::string(to_string(basis.metric))] = point.of->figure;
    if (basis.metric != Metric::instructions) one["unit"] = basis.unit;
    if (point.of->has_time()) {
      one[time + "_s"] = point.of->time_s;
      one["interval_s"] = Array{point.of->time_low_s, point.of->time_high_s};
    }
    if (point.kind == CoursePoint::Kind::step)
      one["change"] = step_json(view, run, {.of = course.of, .since = point.since, .counts = point.counts}, functions);
    if (point.kind == CoursePoint::Kind::seam) one["seam"] = point.why;
    if (point.kind == CoursePoint::Kind::chained) one["chained"] = counts_json(point.counts);
    if (const TimeStep* const change = view.time_step(course.of, run)) one["time_step"] = time_json(view, *change);
    series.emplace_back(std::move(one));
  }
  return series;
}

void add_rows(const HistoryView& view, const CaseCourse& course, std::string& text) {
  constexpr std::size_t kUsualLine = 128;
  text.reserve(text.size() + course.points.size() * kUsualLine);
  for (const CoursePoint& point : course.points) {
    const CommitName& commit = view.commit(point.of->run);
    const TimeStep* const change = view.time_step(course.of, point.of->run);
    const Basis& basis = view.history.basis_of(*point.of);
    const bool is_count = basis.metric == Metric::instructions;
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n", commit.id, csv_field(commit.author),
                   csv_field(commit.title), view.history.runs[point.of->run].environment,
                   is_count ? number(point.of->figure) : std::string(),
                   point.of->has_time() ? number(point.of->time_s) : std::string(),
                   point.kind == CoursePoint::Kind::step ? "true" : "false",
                   change != nullptr ? number(change->point.change()) : std::string(), to_string(basis.metric),
                   is_count ? std::string() : number(point.of->figure), csv_field(basis.unit));
  }
}

}  // namespace

std::string course_to_json(const HistoryView& view, std::span<const CaseCourse> courses,
                           const StepFunctions& functions) {
  Object json = head_json(view);
  json["id"] = view.id(courses.front().of);
  json["points"] = Array();
  for (const CaseCourse& course : courses) {
    const bool is_device = view.history.cases[course.of].of == SeriesOf::device;
    json[is_device ? "kernels" : "points"] = points_json(view, course, functions);
  }
  return json::to_text(std::move(json), 1) + "\n";
}

/// In rows of kernels, the time is theirs.
std::string course_to_csv(const HistoryView& view, std::span<const CaseCourse> courses) {
  std::string text = "commit,author,title,environment,instructions,time_s,step,time_step,metric,value,unit\n";
  for (const CaseCourse& course : courses) add_rows(view, course, text);
  return text;
}

}  // namespace tally
