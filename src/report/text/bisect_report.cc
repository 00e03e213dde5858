#include "report/text/bisect_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/readable_id.h"
#include "base/text.h"
#include "json/text.h"
#include "report/text/format.h"
#include "report/text/function_table.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

constexpr std::size_t kAbbreviation = 10;

std::string abbreviated(const CommitName& commit) { return commit.id.substr(0, kAbbreviation); }

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The cell of a commit or of a range.
std::string commit_cell(const BisectChange& change) {
  if (change.candidates.size() == 1) return abbreviated(change.candidates.back());
  return fmt::format("{} of {}", change.is_drift ? "several" : "one", change.candidates.size());
}

std::string author_cell(const BisectChange& change) {
  return change.candidates.size() == 1 ? printable(change.candidates.back().author) : "";
}

std::string functions_cell(const BisectChange& change, std::size_t most) {
  const auto shown = telling(change.functions, most);
  std::vector<std::string> texts;
  texts.reserve(shown.size() + 1);
  for (const FunctionDelta& one : shown) texts.push_back(fmt::format("{} {}", one.name, signed_count(one.delta())));
  if (change.functions.size() > shown.size())
    texts.push_back(fmt::format("{} more", change.functions.size() - shown.size()));
  return printable(join(texts, ", "));
}

std::string table_of(const BisectReport& report, std::size_t most, const RenderOptions& options) {
  Table table{.columns = {{.title = "commit"},
                          {.title = "author", .least = 6},
                          {.title = "case", .least = 20},
                          {.title = "change", .right = true},
                          {.title = "instructions", .right = true},
                          {.title = "functions", .least = 20}},
              .rows = {}};
  for (const BisectChange& change : report.changes) {
    const bool slower = change.counts.after > change.counts.before;
    table.rows.push_back(
        {{commit_cell(change), Tint::bold},
         {author_cell(change)},
         {printable(readable_id(change.id))},
         {format_change(change.counts.change), slower ? Tint::bad : Tint::good},
         {fmt::format("{} → {}", format_figure(change.counts.before), format_figure(change.counts.after))},
         {functions_cell(change, most)}});
  }
  return render_table(table, options);
}

std::string named(const CommitName& commit) {
  return fmt::format("{}  {}: {}\n", abbreviated(commit), printable(commit.author), printable(commit.title));
}

/// The commits that the table names, each once, oldest first.
std::string titles_of(const BisectReport& report) {
  std::string text;
  std::vector<std::string> noted;
  const auto note_change = [&](const CommitName& commit, const std::string& note) {
    if (std::ranges::find(noted, commit.id + note) != noted.end()) return;
    noted.push_back(commit.id + note);
    text += named(commit) + (note.empty() ? "" : "            " + note + "\n");
  };
  for (const BisectChange& change : report.changes) {
    if (change.candidates.size() != 1) continue;
    std::string note;
    if (change.merge)
      note = fmt::format("came with the merge {}: {}", abbreviated(*change.merge), printable(change.merge->title));
    if (change.is_of_merge) note = "changed by the merge itself, besides what it brought";
    note_change(change.candidates.back(), note);
  }
  return text;
}

std::string candidates_text(const BisectChange& change) {
  const std::size_t commits = change.candidates.size();
  std::string text = fmt::format("{}: {} of {} commits, {} to {}", printable(readable_id(change.id)),
                                 change.is_drift ? "the sum" : "one", commits, abbreviated(change.candidates.front()),
                                 abbreviated(change.candidates.back()));
  if (change.is_drift) {
    text += ", no step above the threshold\n";
    for (const auto& contributor : change.contributors) {
      text += "    " + (contributor.size() == 1 ? named(contributor.back())
                                                : fmt::format("one of {} to {}\n", abbreviated(contributor.front()),
                                                              abbreviated(contributor.back())));
    }
    return text;
  }
  const std::size_t untried = commits - 1 - std::min(commits - 1, change.unmeasurable);
  if (change.unmeasurable > 0) text += fmt::format(": {} could not be measured", change.unmeasurable);
  if (untried > 0) text += fmt::format("{} {} not tried", change.unmeasurable > 0 ? "," : ":", untried);
  if (change.merge) text += fmt::format("; came with the merge {}", abbreviated(*change.merge));
  return text + "\n";
}

std::string search_summary(const BisectReport& report) {
  std::string text =
      fmt::format("{} to {}: {}, {} of {} changed; {}, {} measured", abbreviated(report.good), abbreviated(report.bad),
                  counted(report.commits, "commit", "commits"), report.changed, counted(report.cases, "case", "cases"),
                  counted(report.builds, "build", "builds"), report.measured);
  if (report.stored > 0) text += fmt::format(", {} known from the store", report.stored);
  text += "\n";
  if (report.same_built > 0)
    text += fmt::format("{} carried forward unmeasured: what was built is another commit's, digest for digest\n",
                        counted(report.same_built, "commit was", "commits were"));
  if (report.same_files > 0)
    text += fmt::format("{} carried forward unbuilt: the files are another commit's\n",
                        counted(report.same_files, "commit was", "commits were"));
  return text;
}

std::string unbuilt_of(const BisectReport& report) {
  std::string text;
  for (const UnbuiltCommit& one : report.unbuilt) {
    text += fmt::format("{}  {}", abbreviated(one.commit), printable(one.why));
    text += one.log.empty() ? "\n" : fmt::format(": {}\n", printable(one.log));
  }
  return text;
}

Object named_json(const CommitName& commit) {
  return {{"commit", commit.id}, {"author", commit.author}, {"title", commit.title}};
}

Array all_named_json(const std::vector<CommitName>& commits) {
  Array array;
  array.reserve(commits.size());
  for (const CommitName& commit : commits) array.emplace_back(named_json(commit));
  return array;
}

Object found_json(const BisectChange& change) {
  Object json = {{"id", change.id},
                 {"before", change.counts.before},
                 {"after", change.counts.after},
                 {"change", change.counts.change},
                 {"threshold", change.counts.threshold},
                 {"candidates", all_named_json(change.candidates)},
                 {"unmeasurable", change.unmeasurable},
                 {"drift", change.is_drift}};
  if (change.is_drift) {
    Array contributors;
    contributors.reserve(change.contributors.size());
    for (const auto& contributor : change.contributors) contributors.emplace_back(all_named_json(contributor));
    json["contributors"] = std::move(contributors);
  }
  if (change.merge) json["merge"] = named_json(*change.merge);
  json["of_merge"] = change.is_of_merge;
  Array functions;
  functions.reserve(change.functions.size());
  for (const FunctionDelta& one : change.functions) {
    functions.emplace_back(
        Object{{"name", one.name}, {"object", one.object}, {"before", one.before}, {"after", one.after}});
  }
  json["functions"] = std::move(functions);
  return json;
}

}  // namespace

std::string render_bisect(const BisectReport& report, std::size_t most_functions, const RenderOptions& options) {
  std::string text = search_summary(report);
  if (!report.changes.empty()) text += "\n" + table_of(report, most_functions, options) + "\n" + titles_of(report);
  for (const BisectChange& change : report.changes) {
    if (change.candidates.size() > 1) text += candidates_text(change);
  }
  text += unbuilt_of(report);
  for (const UncomparedCase& one : report.not_compared) {
    text += fmt::format("{}: not searched, without a count at {}: {}\n", printable(readable_id(one.id)),
                        abbreviated(one.commit), printable(first_line(trim(one.why))));
  }
  if (!report.is_whole) text += "stopped by --limit; the same command continues\n";
  if (report.changed < report.cases) text += "What changed and changed back between measured commits is not seen.\n";
  return text;
}

std::string bisect_to_json(const BisectReport& report) {
  Array changes;
  changes.reserve(report.changes.size());
  for (const BisectChange& change : report.changes) changes.emplace_back(found_json(change));
  Array unbuilt;
  unbuilt.reserve(report.unbuilt.size());
  for (const UnbuiltCommit& one : report.unbuilt) {
    Object json = named_json(one.commit);
    json["why"] = one.why;
    json["log"] = one.log;
    unbuilt.emplace_back(std::move(json));
  }
  Array not_compared;
  not_compared.reserve(report.not_compared.size());
  for (const UncomparedCase& one : report.not_compared)
    not_compared.emplace_back(Object{{"id", one.id}, {"commit", one.commit.id}, {"why", one.why}});
  return json::to_text(Object{{"good", named_json(report.good)},
                              {"bad", named_json(report.bad)},
                              {"commits", report.commits},
                              {"cases", report.cases},
                              {"changed", report.changed},
                              {"builds", report.builds},
                              {"measured", report.measured},
                              {"same_built", report.same_built},
                              {"same_files", report.same_files},
                              {"stored", report.stored},
                              {"whole", report.is_whole},
                              {"changes", std::move(changes)},
                              {"unbuilt", std::move(unbuilt)},
                              {"not_compared", std::move(not_compared)}},
                       1) +
         "\n";
}

}  // namespace tally
