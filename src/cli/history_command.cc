#include "cli/history_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/history_accept.h"
#include "cli/history_import.h"
#include "cli/history_keeping.h"
#include "cli/history_profiles.h"
#include "cli/history_site.h"
#include "cli/history_view.h"
#include "exchange/import.h"
#include "history/judged.h"
#include "records/record_files.h"
#include "report/history/exports.h"
#include "report/history/text.h"
#include "report/history/times.h"

namespace tally::cli {
namespace {

Option::Choose chooses(HistoryOptions& options, HistoryTask task) {
  return [&options, task] { options.task = task; };
}

void add_store_option(OptionSet& command, HistoryOptions& options) {
  command.add("--store", &options.store, "The history: a folder, or git:BRANCH of the repository")
      .value_name("PLACE")
      .shows_default();
  command
      .add("--repository", &options.repository, "Repository whose commits it has (default: that of the working folder)")
      .value_name("DIR");
}

/// Which history: of what, along which line, and what was acknowledged.
void add_line_options(OptionSet& command, HistoryOptions& options) {
  HistoryShow& shown = options.shown;
  add_store_option(command, options);
  command.add("--tip", &shown.tip, "Last commit to show; the line follows first parents")
      .value_name("REV")
      .shows_default();
  command.add("--suite", &shown.suite, "Suite to show, if the history has several");
  command.add("--environment", &shown.environment, "Environment to show, by the first digits of its name");
  command
      .add("--accept", &shown.accept,
           "File of acknowledged changes (default: tally-accept.toml at the top of the repository)")
      .value_name("FILE");
  command.add("--denoise", &shown.denoise, kDenoiseHelp);
}

void add_drift_option(OptionSet& command, HistoryOptions& options) {
  command
      .add("--drift", &options.shown.drift,
           "Budget for the sum of changes below the threshold, in percent (default: the accept file's, or 2)")
      .positive();
}

void add_show_options(OptionSet& command, HistoryOptions& options) {
  HistoryShow& shown = options.shown;
  add_line_options(command, options);
  command.add("--functions", &shown.functions, "Show which functions changed, if profiles were kept");
  command.add("--all", &shown.all, "Also show commits without changes");
  command.add("--json", [&shown] { shown.form = HistoryShow::Form::json; }, "Print it as JSON");
  command.add("--csv", [&shown] { shown.form = HistoryShow::Form::csv; }, "Print it as CSV").excludes("--json");
}

/// As that of tally check: what was seen comes before what was not.
int gate_code(const HistoryView& view, const NewestRun& newest, bool allow_uncompared) {
  if (view.findings() > 0) return kRegression;
  if (!newest.failed.empty() || !newest.gone.empty()) return kFailed;
  const bool incomplete = (!newest.uncompared.empty() || newest.commits_after > 0) && !allow_uncompared;
  return incomplete || newest.judged == 0 ? kUsage : kFine;
}

int show_log(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  const auto history = load_history(context, options, {}, err);
  if (!history) return history_refused(history.error(), err);
  const HistoryView& view = history->view;
  const HistoryShow& shown = options.shown;
  const StepFunctions functions = shown.functions ? step_functions(history->store, view) : StepFunctions();
  if (shown.form == HistoryShow::Form::json) {
    out << log_to_json(view, functions);
  } else if (shown.form == HistoryShow::Form::csv) {
    out << log_to_csv(view);
  } else {
    out << render_log(
        view, {.options = {.width = context.width, .color = use_color(context, "auto", context.out_is_terminal)},
               .all = shown.all,
               .most = static_cast<std::size_t>(shown.top),
               .functions = functions});
  }
  if (shown.fail_on.empty()) return kFine;
  const NewestRun newest = judged_at_newest(view.history, {.denoise = shown.denoise});
  (shown.form == HistoryShow::Form::text ? out : err) << render_judged(view, newest, shown.allow_uncompared);
  return gate_code(view, newest, shown.allow_uncompared);
}

int show_case(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  const auto history = load_history(context, options, options.case_id, err);
  if (!history) return history_refused(history.error(), err);
  const HistoryView& view = history->view;
  // Of the case itself, and of what its device does.
  std::vector<CaseCourse> courses;
  for (std::size_t of = 0; of < view.history.cases.size(); ++of) {
    CaseCourse course{
        .of = of, .points = course_of_case(view.history, view.history.cases[of], {.denoise = options.shown.denoise})};
    if (!course.points.empty()) courses.push_back(std::move(course));
  }
  const HistoryShow& shown = options.shown;
  const HistoryRender render = {
      .options = {.width = context.width, .color = use_color(context, "auto", context.out_is_terminal)},
      .all = shown.all};
  if (courses.empty()) {
    const bool is_timed =
        !view.history.cases.empty() && std::ranges::any_of(view.history.cases.front().points, &SeriesPoint::has_time);
    if (!is_timed || shown.form != HistoryShow::Form::text) {
      return history_refused({ErrorKind::input, "has no counts in this history", options.case_id,
                              is_timed ? "it has times: leave out --json and --csv" : "measure with counts"},
                             err);
    }
    out << render_times(view, 0, render) << time_summary(view);
    return kFine;
  }
  const StepFunctions functions = shown.functions ? step_functions(history->store, view) : StepFunctions();
  if (shown.form == HistoryShow::Form::json) {
    out << course_to_json(view, courses, functions);
  } else if (shown.form == HistoryShow::Form::csv) {
    out << course_to_csv(view, courses);
  } else {
    HistoryRender with_functions = render;
    with_functions.functions = functions;
    const bool is_of_case = view.history.cases[courses.front().of].of == SeriesOf::case_itself;
    if (!is_of_case && std::ranges::any_of(view.history.cases.front().points, &SeriesPoint::has_time))
      out << render_times(view, 0, render) << '\n';
    for (const CaseCourse& course : courses)
      out << (&course == courses.data() ? "" : "\n") << render_course(view, course, with_functions);
    out << time_summary(view);
  }
  return kFine;
}

int show_site(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  if (const Status sound = check_site_options(options.site); !sound) return history_refused(sound.error(), err);
  auto history = load_history(context, options, {}, err);
  if (!history) return history_refused(history.error(), err);
  const auto profiles = step_profiles(history->store, history->view);
  if (!profiles) return history_refused(profiles.error(), err);
  const auto page = write_history_site(history->view, *profiles, options.site, context.working_folder);
  if (!page) return history_refused(page.error(), err);
  fmt::print(out, "{}\n", *page);
  return kFine;
}

void add_accept_options(OptionSet& command, HistoryOptions& options) {
  HistoryAccept& accepted = options.accepted;
  command.on_chosen = chooses(options, HistoryTask::accept);
  command.add("CASE", &options.case_id, "Case: an id, text that only its id contains, or a glob on ids").required();
  command.add("--up-to", &accepted.up_to, "Largest change to accept, such as +3%").value_name("PERCENT").required();
  command.add("--reason", &accepted.reason, "Why the change is acceptable").value_name("TEXT").required();
  command.add("--expires", &accepted.expires, "Last day of the entry, such as 2027-03-01 (default: in 90 days)")
      .value_name("DATE");
  command
      .add("--commit", &accepted.commit,
           "Commit that made the change (default: that of the only open change of the case)")
      .value_name("REV");
  command.add("--owner", &accepted.owner, "Who is responsible (default: git's user.name)").value_name("NAME");
  command.add("--metric", &accepted.metric, "Which of the case's changes: instructions, kernels, value or memory")
      .value_name("METRIC");
  command.add("--issue", &accepted.issue, "Where it is discussed").value_name("REF");
  add_line_options(command, options);
}

}  // namespace

void add_history_options(OptionSet& command, HistoryOptions& options) {
  OptionSet& add = command.add_command("add", "Keep the records of commits");
  add.on_chosen = chooses(options, HistoryTask::add);
  add.add("RECORD", &options.records, "Records of tally run, each of a commit").required();
  add_store_option(add, options);

  OptionSet& import = command.add_command("import", "Add all records of a folder, or results of another tool");
  import.on_chosen = chooses(options, HistoryTask::import);
  import
      .add("PATH", &options.imported.paths,
           "Folder to search, including subfolders; with --format, files and folders of results")
      .required();
  std::vector<std::string> formats;
  for (const exchange::ImportFormat& format : exchange::import_formats()) formats.emplace_back(format.name);
  import.add("--format", &options.imported.format, "Which tool wrote the results (default: they are records of tally)")
      .one_of(formats);
  import.add("--suite", &options.imported.suite, "For --format: what the history calls them (default: the format)")
      .value_name("NAME");
  import
      .add("--commit", &options.imported.commit,
           "For --format: commit that they measured (default: as the results say)")
      .value_name("REV");
  import
      .add("--expect-status", &options.imported.expected,
           "For --format hyperfine: exit codes that count as success, such as 0,1, or any")
      .value_name("CODES")
      .shows_default();
  import.add("--stale", &options.imported.with_stale,
             "For --format criterion: take also what the latest cargo bench did not measure");
  add_store_option(import, options);

  OptionSet& rebuild = command.add_command("rebuild", "Make the index anew from the files");
  rebuild.on_chosen = chooses(options, HistoryTask::rebuild);
  add_store_option(rebuild, options);

  OptionSet& prune = command.add_command("prune", "Remove profiles that explain no change (add does so as well)");
  prune.on_chosen = chooses(options, HistoryTask::prune);
  add_store_option(prune, options);
  prune.add("--tip", &options.shown.tip, "Last commit of the line that counts; it follows first parents")
      .value_name("REV")
      .shows_default();

  OptionSet& push =
      command.add_command("push", "Push a history on a git branch to a remote, merging the remote's first");
  push.on_chosen = chooses(options, HistoryTask::push);
  push.add("REMOTE", &options.remote, "Name or address of the remote (default: origin)");
  add_store_option(push, options);

  OptionSet& pull = command.add_command("pull", "Bring in what the remote's branch has");
  pull.on_chosen = chooses(options, HistoryTask::pull);
  pull.add("REMOTE", &options.remote, "Name or address of the remote (default: origin)");
  add_store_option(pull, options);

  OptionSet& log = command.add_command("log", "Show which counts changed, commit by commit");
  log.on_chosen = chooses(options, HistoryTask::log);
  add_show_options(log, options);
  log.add("--top", &options.shown.top, "Changes to show for each commit").shows_default().positive();
  add_drift_option(log, options);
  log.add("--fail-on", &options.shown.fail_on, "Exit with 3 if there are unacknowledged regressions")
      .one_of({"unacknowledged"});
  log.add("--allow-uncompared", &options.shown.allow_uncompared,
          "For --fail-on: do not fail because of cases of the newest run that cannot be compared");

  OptionSet& show = command.add_command("show", "Show the course of one case");
  show.on_chosen = chooses(options, HistoryTask::show);
  show.add("CASE", &options.case_id, "Case: an id, or text that only its id contains or matches").required();
  add_show_options(show, options);

  add_accept_options(command.add_command("accept", "Acknowledge a change: add an entry to tally-accept.toml"), options);

  OptionSet& backfill = command.add_command("backfill", "Measure commits that the history lacks");
  backfill.on_chosen = chooses(options, HistoryTask::backfill);
  add_backfill_options(backfill, options.filled);

  OptionSet& bridge = command.add_command("bridge", "Measure one commit here, to connect two environments");
  bridge.on_chosen = chooses(options, HistoryTask::bridge);
  add_bridge_options(bridge, options.filled);

  OptionSet& site = command.add_command("site", "Write the history as a web site that needs no server");
  site.on_chosen = chooses(options, HistoryTask::site);
  add_site_options(site, options.site);
  add_line_options(site, options);
  add_drift_option(site, options);

  command.footer =
      "A history has one file for each run. Runs are ordered by the first parents of commits, never by date.\n"
      "See docs/guides/history.md.";
}

int run_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  if (!options.task) {
    return history_refused(
        {ErrorKind::input,
         "what to do is missing",
         {},
         "tally history add, import, push, pull, prune, rebuild, log, show, site, accept, backfill or bridge; see "
         "`tally history --help`"},
        err);
  }
  switch (*options.task) {
    case HistoryTask::add:
      return add_to_history(context, options, out, err);
    case HistoryTask::import:
      return options.imported.format.empty() ? import_to_history(context, options, out, err)
                                             : import_results_to_history(context, options, out, err);
    case HistoryTask::prune:
      return prune_history(context, options, out, err);
    case HistoryTask::rebuild:
      return rebuild_history_index(context, options, err);
    case HistoryTask::push:
    case HistoryTask::pull:
      return exchange_history(context, options, err);
    case HistoryTask::log:
      return show_log(context, options, out, err);
    case HistoryTask::show:
      return show_case(context, options, out, err);
    case HistoryTask::site:
      return show_site(context, options, out, err);
    case HistoryTask::accept:
      return accept_change(context, options, out, err);
    case HistoryTask::backfill:
      return run_backfill(context, options.filled, out, err);
    case HistoryTask::bridge:
      return run_bridge(context, options.filled, out, err);
  }
  std::unreachable();
}

}  // namespace tally::cli
