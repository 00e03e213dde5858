#include <fmt/format.h>

#include "json/text.h"
#include "report/escape.h"
#include "report/history_view.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

Object counts_json(const CountChange& counts) {
  return {
      {"before", counts.before}, {"after", counts.after}, {"change", counts.change}, {"threshold", counts.threshold}};
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

Object step_json(const HistoryView& view, std::size_t run, const CountStep& step) {
  Object json = {{"id", step.id}};
  json.update(counts_json(step.counts));
  json["candidates"] = ids_json(view.line.candidates(step.since, run));
  const Acceptance* const accepted = view.acceptance(run, step);
  json["acknowledged"] = !step.is_slower() || accepted != nullptr;
  if (accepted != nullptr) json["reason"] = accepted->reason;
  return json;
}

Object entry_json(const HistoryView& view, std::size_t run) {
  const CourseEntry& entry = view.course.entries[run];
  Object json = commit_json(view.line.of_run(run));
  json["compared"] = entry.compared;
  json["geometric_mean"] = entry.geometric_mean;
  Array changes;
  changes.reserve(entry.steps.size());
  for (const CountStep& step : entry.steps) changes.emplace_back(step_json(view, run, step));
  json["changes"] = std::move(changes);
  Array seams;
  seams.reserve(entry.seams.size());
  for (const Seam& seam : entry.seams) seams.emplace_back(Object{{"id", seam.id}, {"why", seam.why}});
  json["seams"] = std::move(seams);
  json["failed"] = entry.failed;
  return json;
}

Object drift_json(const HistoryView& view, const Drift& drift) {
  Object json = {{"id", drift.id}, {"since", view.line.of_run(drift.since).id}};
  json.update(counts_json(drift.counts));
  Array contributors;
  contributors.reserve(drift.contributors.size());
  for (const std::size_t run : drift.contributors) contributors.emplace_back(view.line.of_run(run).id);
  json["contributors"] = std::move(contributors);
  json["acknowledged"] = !view.is_finding(drift);
  return json;
}

Object head_json(const HistoryView& view) { return {{"suite", view.suite}, {"environment", view.environment}}; }

std::string number(double value) { return fmt::format("{}", value); }

}  // namespace

std::string log_to_json(const HistoryView& view) {
  Object json = head_json(view);
  Array commits;
  commits.reserve(view.runs.size());
  for (std::size_t run = view.runs.size(); run-- > 0;) commits.emplace_back(entry_json(view, run));
  json["commits"] = std::move(commits);
  Array drifts;
  drifts.reserve(view.course.drifts.size());
  for (const Drift& drift : view.course.drifts) drifts.emplace_back(drift_json(view, drift));
  json["drifts"] = std::move(drifts);
  json["unacknowledged"] = view.findings();
  return json::to_text(std::move(json), 1) + "\n";
}

std::string log_to_csv(const HistoryView& view) {
  std::string text = "commit,author,title,candidates,case,before,after,change,acknowledged\n";
  for (std::size_t run = view.runs.size(); run-- > 0;) {
    const CommitName& commit = view.line.of_run(run);
    for (const CountStep& step : view.course.entries[run].steps) {
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", commit.id, csv_field(commit.author), csv_field(commit.title),
                          view.line.candidates(step.since, run).size(), csv_field(step.id), number(step.counts.before),
                          number(step.counts.after), number(step.counts.change),
                          view.is_finding(run, step) ? "false" : "true");
    }
  }
  return text;
}

std::string course_to_json(const HistoryView& view, const std::vector<CoursePoint>& points) {
  Object json = head_json(view);
  json["id"] = points.front().of->id;
  Array series;
  series.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CoursePoint& point = points[i];
    Object one = commit_json(view.line.of_run(point.run));
    one["instructions"] = point.of->counts->per_iteration;
    if (point.of->wall) {
      one["time_s"] = point.of->wall->median_s;
      one["interval_s"] = Array{point.of->wall->interval_s.low, point.of->wall->interval_s.high};
    }
    if (point.is_step)
      one["change"] =
          step_json(view, point.run, {.id = point.of->id, .since = points[i - 1].run, .counts = point.counts});
    if (point.is_seam) one["seam"] = true;
    series.emplace_back(std::move(one));
  }
  json["points"] = std::move(series);
  return json::to_text(std::move(json), 1) + "\n";
}

std::string course_to_csv(const HistoryView& view, const std::vector<CoursePoint>& points) {
  std::string text = "commit,author,title,instructions,time_s,step\n";
  for (const CoursePoint& point : points) {
    const CommitName& commit = view.line.of_run(point.run);
    text += fmt::format("{},{},{},{},{},{}\n", commit.id, csv_field(commit.author), csv_field(commit.title),
                        number(point.of->counts->per_iteration),
                        point.of->wall ? number(point.of->wall->median_s) : std::string(),
                        point.is_step ? "true" : "false");
  }
  return text;
}

}  // namespace tally
