#include "cli/run_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>

#include "base/digest.h"
#include "base/files.h"
#include "build/resolve.h"
#include "cli/expectation.h"
#include "cli/measuring.h"
#include "process/real_runner.h"
#include "record/json.h"
#include "records/known_records.h"
#include "records/record_files.h"
#include "report/text/exports.h"
#include "report/text/run_table.h"
#include "report/text/table.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// As it is from wherever a server stands; "" stays "".
std::string absolute_path(const Context& context, const std::string& path) {
  return path.empty() ? path : (fs::path(context.working_folder) / path).lexically_normal().string();
}

/// Beside the record, or under the state folder when no record was requested.
Result<std::string> journal_path(const Context& context, const RunCommandOptions& options) {
  if (is_beside_file(options.json)) return options.json + ".journal";
  const std::string_view state = value_of(context.environment, "XDG_STATE_HOME");
  const std::string_view home = value_of(context.environment, "HOME");
  if (!state.starts_with('/') && home.empty()) {
    return fail(ErrorKind::missing, "no place for the run's journal: neither XDG_STATE_HOME nor HOME is set", {},
                "use --json FILE");
  }
  const fs::path folder = state.starts_with('/') ? fs::path(state) : fs::path(home) / ".local/state";
  const std::string name = digest(absolute_path(context, measured_of(options.source))) + ".journal";
  const fs::path path = folder / "tallymark/journals" / name;
  if (Status fine = check_output(path); !fine) {
    Error error = fine.error();
    error.hint = "set XDG_STATE_HOME to a folder that can be written, or use --json FILE";
    return std::unexpected(std::move(error));
  }
  return path.string();
}

Status write_record(const std::string& path, const RunResult& result) {
  auto file = NewFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = write_json(result, [&](std::string_view piece) { return file->append(piece); }); !written)
    return written;
  // The journal, which goes next, is on the disk.
  if (auto safe = file->sync(); !safe) return safe;
  return file->publish();
}

/// Of --reuse; none where it was not given.
Result<std::vector<Record>> records_to_reuse(const Context& context, const RunCommandOptions& options,
                                             std::ostream& err) {
  const auto refuse = [](const char* why, const char* option, const char* hint) {
    return fail(ErrorKind::input, why, option, hint);
  };
  if (options.reuse.empty()) return std::vector<Record>();
  if (!options.run.settings.counts)
    return refuse("only counts can be reused", "--reuse", "leave it out with --wall-only");
  if (options.profiles.wanted) {
    return refuse("a reused count has no profile", "--profiles", "leave out --reuse or --profiles");
  }
  if (options.run.server != "auto" && options.run.server != "off") {
    return refuse("a server reuses no counts", "--server", "leave out --reuse, or use --server off");
  }
  const std::string measured = measured_of(options.source);
  NamedStore named{.store = options.reuse,
                   .repository = options.source.repository,
                   .environment = context.environment,
                   .working_folder = context.working_folder};
  if (named.repository.empty()) named.repository = fs::path(absolute_path(context, measured)).parent_path().string();
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  auto records = known_records(runner, named, measured);
  if (records && records->empty())
    fmt::print(err, "tally: {} has no run of {}: every case is counted\n", options.reuse, measured);
  return records;
}

/// Of the selected cases: one at least, or a part of those there are.
Result<Plan> plan_to_measure(const Suite& suite, const RunCommandOptions& options) {
  auto plan = plan_of(suite, options.run);
  if (plan && plan->cases.empty() && !plan->part) {
    // A record of nothing would be a pass wherever nobody counts.
    return fail(ErrorKind::input, "there is no case to measure", measured_of(options.source),
                "look at the suite, --filter and --exclude: `tally list` shows what they leave");
  }
  return plan;
}

/// Before hours of measuring: what is to be written can be, and what is to be shown is known.
Status check_places(const RunCommandOptions& options) {
  if (auto fine = check_outputs({options.json, options.run.csv, options.run.markdown}); !fine) return fine;
  if (const auto view = view_of(options.run); !view) return std::unexpected(view.error());
  return check(options.profiles, options.json);
}

void remove_journal(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void print_how_to_resume(const std::string& journal, std::ostream& err) {
  fmt::print(err, "tally: finished measurements are in {}: continue with --resume\n", journal);
}

/// How the run ended; its journal goes where it is complete.
void report_end(const RunResult& measured, const std::string& journal, std::ostream& err) {
  for (const std::string& id : measured.refuted) {
    report_error({ErrorKind::internal, "was counted again as proof for --reuse, and differs: all cases were counted",
                  id, "compare the two records; please report what had changed"},
                 err);
  }
  if (measured.stopped) {
    report_error(*measured.stopped, err);
    print_how_to_resume(journal, err);
  } else if (measured.interrupted) {
    fmt::print(err, "tally: interrupted; continue with --resume\n");
  } else {
    remove_journal(journal);
  }
}

}  // namespace

void add_run_command_options(OptionSet& command, RunCommandOptions& options) {
  add_suite_source_with_arguments(command, options.source);
  command.add("--json", &options.json, "Write the record to this file (-: standard output)").value_name("FILE");
  add_repository_options(command, options.source);
  command.add("--resume", &options.resume, "Continue an interrupted run of the same suite");
  command
      .add("--reuse", &options.reuse,
           "Reuse counts of this record, or of a history's newest runs, for cases whose inputs are unchanged; one in "
           "twenty is counted again as proof")
      .value_name("RECORD|STORE");
  command
      .add("--expect", &options.expect,
           "Compare every count with this record's, to the instruction; of a folder, with the record of the same code. "
           "Exit code 3: one differs, 2: one was not compared")
      .value_name("RECORD|FOLDER");
  add_profiles_option(command, options.profiles);
  add_profile_contents_options(command, options.profiles);
  add_selection_options(command, options.run);
  add_run_options(command, options.run);
  add_column_options(command, options.run);
  add_table_files(command, options.run);
  add_server_option(command, options.run);
}

Status print_record(const Context& context, const RunOptions& options, const RunResult& result, const std::string& json,
                    std::ostream& out) {
  const auto view = view_of(options);
  if (!view) return std::unexpected(view.error());
  // The files first: a reader of the table may go before its end.
  Status written = json.empty() || json == "-" ? Status{} : write_record(json, result);
  if (written && !options.csv.empty()) written = write_file(options.csv, to_csv(result.record));
  if (written && !options.markdown.empty())
    written = write_file(options.markdown, run_table_markdown(result.record, *view));
  if (json == "-") {
    const Status printed = write_json(result, [&](std::string_view piece) {
      out << piece;
      return Status{};
    });
    return written ? printed : written;
  }
  out << render_run_table(result.record, rendering(context, options.style), *view);
  return written;
}

int exit_code_of(const RunResult& result) {
  if (result.interrupted) return kInterrupted;
  if (result.stopped || !result.refuted.empty()) return kFailed;
  for (const CaseRecord& one : result.record.cases) {
    // Skipped without an interruption: it requested that itself.
    if (one.status != CaseStatus::ok && one.status != CaseStatus::skipped) return kFailed;
  }
  return kFine;
}

int run_run(const Context& context, const RunCommandOptions& options, std::ostream& out, std::ostream& err) {
  const auto suite = definitions_of(context, options.source, options.run);
  if (!suite) return report_error(suite.error(), err);
  const auto plan = plan_to_measure(*suite, options);
  if (!plan) return report_error(plan.error(), err);
  const auto selection = selection_of(options.run);
  if (!selection) return report_error(selection.error(), err);
  if (auto fine = check_places(options); !fine) return report_error(fine.error(), err);
  const auto expected = Expectation::load(options.expect);
  if (!expected) return report_error(expected.error(), err);
  auto journal = journal_path(context, options);
  if (!journal) return report_error(journal.error(), err);
  if (!options.resume) remove_journal(*journal);  // the user means to begin anew
  auto settings = settings_of(options.run);
  if (!settings) return report_error(settings.error(), err);
  if (!options.expect.empty() && !settings->counts)
    return report_error({ErrorKind::input, "nothing is counted", "--expect", "leave out --wall-only"}, err);
  auto earlier = records_to_reuse(context, options, err);
  if (!earlier) return report_error(earlier.error(), err);
  const RunRequest request{.plan = &*plan,
                           .caller = caller_of(context, options.run),
                           .settings = *std::move(settings),
                           .tools = options.run.tools,
                           .suite = options.source.suite,
                           .source = {.measured = absolute_path(context, measured_of(options.source)),
                                      .folder = absolute_path(context, options.source.repository),
                                      .commit = options.source.commit},
                           .journal = JournalRequest{*journal, options.resume},
                           .profiles = request_of(options.profiles, options.json),
                           .notes_inputs = true,
                           .reuse = *earlier,
                           .keeps_samples = false};
  RunOptions run = options.run;
  if (!options.reuse.empty()) run.server = "off";
  auto measuring = Measuring::begin(context, run, err);
  if (!measuring) return report_error(measuring.error(), err);
  auto measured = (*measuring)->measure(request, {suite_to_serve(context, options.source), *selection});
  if (!measured) return report_error(measured.error(), err);

  // From here on Ctrl-C ends the process where the record goes into a pipe, which nobody may read yet.
  if (!options.json.empty() && !is_beside_file(options.json)) measuring->reset();
  const auto printed = print_record(context, options.run, *measured, options.json, out);
  if (!printed || (options.json == "-" && !out.flush())) {
    if (!printed) report_error(printed.error(), err);
    print_how_to_resume(*journal, err);
    return kFailed;
  }
  report_end(*measured, *journal, err);
  const int judged = measured->interrupted || measured->stopped
                         ? kFine
                         : expected->judge(measured->record, options.json == "-" ? err : out);
  const int code = exit_code_of(*measured);
  return code == kFine ? judged : code;
}

}  // namespace tally::cli
