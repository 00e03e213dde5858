#include "cli/ab_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>

#include "base/contains.h"
#include "base/files.h"
#include "cli/ab_sides.h"
#include "cli/measuring.h"
#include "cli/result_verdicts.h"
#include "cli/run_command.h"
#include "record/json.h"
#include "records/kept_lines.h"
#include "records/record_files.h"
#include "run/rounds.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array<char, 2> kNames = {'A', 'B'};

void add_side(OptionSet& sub, const std::string& prefix, AbSide& side) {
  const std::string who = prefix == "a" ? "A: " : "B: ";
  sub.add("--" + prefix, &side.env_command, who + "Bash command that sets up its environment; runs once")
      .value_name("TEXT");
  sub.add("--" + prefix + "-program", &side.program,
          who + "a benchmark program; with a suite, in place of its only one")
      .value_name("EXE");
  sub.add("--" + prefix + "-command", &side.command, who + "a whole command, without a suite; no shell reads it")
      .value_name("COMMAND")
      .excludes("suite")
      .excludes("--" + prefix + "-program");
  sub.add("--" + prefix + "-toolchain", &side.toolchain, who + "toolchain of the suite, for every case")
      .value_name("NAME");
  sub.add("--" + prefix + "-cxx", &side.cxx, who + "C++ compiler").value_name("PROGRAM");
  sub.add("--" + prefix + "-python", &side.python, who + "Python interpreter").value_name("PROGRAM");
  sub.add("--json-" + prefix, &side.json, who + "write its record to this file").value_name("FILE");
}

/// Two sides of one suite differ in what stands around it: only a program says which repository it is of.
std::string program_path(const Context& context, const AbSide& said) {
  return said.program.empty() ? "" : (fs::path(context.working_folder) / said.program).lexically_normal().string();
}

/// Where a side's record stands or would: profiles are found beside it.
std::string record_path(char name, const AbSide& said, const fs::path& folder) {
  return is_beside_file(said.json) ? said.json : (folder / (std::string(1, name) + ".json")).string();
}

/// One execution of everything on each side. An error: one of them could not continue.
Result<std::vector<ResultVerdict>> compare_results(Measuring& measuring, std::span<const RunRequest> sides,
                                                   bool& interrupted, const std::function<void(char)>& note) {
  std::vector<ExaminationResult> examined;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    note(kNames[i]);
    auto one = examine(measuring.workspace(), sides[i], measuring.progress());
    if (!one) return std::unexpected(one.error());
    interrupted = one->interrupted;
    if (interrupted) return std::vector<ResultVerdict>{};
    examined.push_back(*std::move(one));
  }
  return judge_results(examined[0], examined[1]);
}

int report(const Context& context, const AbOptions& options, const std::vector<Record>& records,
           const std::array<std::string, 2>& paths, std::span<const ResultVerdict> results, std::ostream& out,
           std::ostream& err) {
  CompareOptions how = compare_options(options.run.denoise);
  how.environment_softens = false;
  Comparison comparison = compare(records[0], records[1], how, evidence_beside(records[0], paths[0], paths[1]));
  note_results(results, comparison);
  const int code = report_comparison(comparison, options.report, rendering(context, options.run.style), out, err);
  if (!options.same_result) return code;
  // Where standard output is for a program, people read standard error.
  const CompareCommandOptions& report = options.report;
  print_results(results, report.json || report.csv == "-" || report.markdown == "-" ? err : out);
  return contains(results, Sameness::differs, &ResultVerdict::sameness) ? std::max<int>(code, kFailed) : code;
}

/// What the protocol of servers has no words for.
bool needs_workspace(const AbOptions& options, const std::array<Plan, 2>& plans) {
  return options.same_result || has_programs(plans) || !options.b.command.empty() || !options.a.toolchain.empty() ||
         !options.b.toolchain.empty();
}

int interruption(std::ostream& err) {
  fmt::print(err, "tally: interrupted\n");
  return kInterrupted;
}

/// What each side leaves is seen only where tally has compiled the statement.
Status check_results(const AbOptions& options, const std::array<Plan, 2>& plans) {
  if (!options.same_result || !has_programs(plans)) return {};
  return fail(ErrorKind::input, "what a program's benchmarks leave cannot be seen", "--same-result",
              "take it away, or leave the programs' cases out with --exclude");
}

RunRequest request_of(const Context& context, const AbOptions& options, const AbSide& side, const Plan& plan,
                      const Settings& settings) {
  return {.plan = &plan,
          .caller = caller_of(context, options.run),
          .settings = settings,
          .tools = tools_of(side, options.run.tools),
          .suite = options.suite,
          .source = {.measured = program_path(context, side)}};
}

/// On hosts that both sides share.
Result<std::unique_ptr<Measuring>> begin_measuring(const Context& context, const AbOptions& options,
                                                   const std::array<Plan, 2>& plans, std::ostream& err) {
  RunOptions run = options.run;
  if (needs_workspace(options, plans)) {
    if (run.server != "auto" && run.server != "off") {
      return fail(ErrorKind::input,
                  "a server does not compare programs, replace toolchains, nor hold results against each other",
                  "--server", "take --server away, or what it does not do");
    }
    run.server = "off";
  }
  auto measuring = Measuring::begin(context, run, err);
  if (measuring && !(*measuring)->is_served()) (*measuring)->workspace().keep_hosts_warm();
  return measuring;
}

}  // namespace

void add_ab_options(OptionSet& sub, AbOptions& options) {
  sub.add("suite", &options.suite,
          "The suite's TOML file; none is needed with --a-program or --a-command, and its like for B")
      .value_name("SUITE");
  add_side(sub, "a", options.a);
  add_side(sub, "b", options.b);
  sub.add("--rounds", &options.rounds, "Times to measure each side, in turn").shows_default().range(1, 100);
  sub.add("--same-result", &options.same_result,
          "Also check that both sides compute the same, by executing each statement once more");
  sub.add("--all", &options.report.all, "Also show unchanged cases");
  sub.add("--functions", &options.report.functions, "Show which functions changed");
  sub.add("--top", &options.report.top, "Functions to show for each case").shows_default().positive();
  sub.add("--json", &options.report.json, "Print the comparison as JSON");
  sub.add("--csv", &options.report.csv, "Also write the comparison as CSV to this file (-: standard output)");
  sub.add("--markdown", &options.report.markdown,
          "Also write it as Markdown for a pull request to this file (-: standard output)");
  add_selection_options(sub, options.run);
  add_run_options(sub, options.run);
  add_server_option(sub, options.run);
  sub.footer =
      "Without --same-result, nothing checks that both sides compute the same.\n"
      "Exit codes: 0 compared, 1 a case failed or results differ, 2 wrong usage. See docs/guides/compare.md.";
}

int run_ab(const Context& context, const AbOptions& options, std::ostream& out, std::ostream& err) {
  const auto plans = plans_of_sides(context, options);
  if (!plans) return report_error(plans.error(), err);
  if (auto fine = check_results(options, *plans); !fine) return report_error(fine.error(), err);
  const auto settings = settings_of(options.run);
  if (!settings) return report_error(settings.error(), err);
  const auto folder = TemporaryFolder::make();
  if (!folder) return report_error(folder.error(), err);

  const std::array<const AbSide*, 2> said = {&options.a, &options.b};
  const std::array<std::string, 2> paths = {record_path(kNames[0], options.a, folder->path()),
                                            record_path(kNames[1], options.b, folder->path())};
  std::vector<RunRequest> sides;
  for (std::size_t i = 0; i < said.size(); ++i) {
    sides.push_back(request_of(context, options, *said[i], (*plans)[i], *settings));
    if (options.report.functions) sides.back().profiles = profiles_beside(paths[i]);
  }
  const CompareCommandOptions& shows = options.report;
  if (auto fine = check_outputs({options.a.json, options.b.json, shows.csv, shows.markdown}); !fine)
    return report_error(fine.error(), err);
  auto measuring = begin_measuring(context, options, *plans, err);
  if (!measuring) return report_error(measuring.error(), err);
  const auto note = [&](const std::string& text) {
    if (!options.run.quiet) fmt::print(err, "tally ab: {}\n", text);
  };
  const auto selection = selection_of(options.run);
  if (!selection) return report_error(selection.error(), err);
  const serve::ServedPlan plan_to_serve = {suite_to_serve(context, {.suite = options.suite}), *selection};
  const auto measure_one = [&](const RunRequest& side) { return (*measuring)->measure(side, plan_to_serve); };
  auto measured = measure_in_turns(measure_one, sides, options.rounds, [&](int round, std::size_t side) {
    note(fmt::format("round {} of {}, {}", round, options.rounds, kNames[side]));
  });
  if (!measured) return report_error(measured.error(), err);
  if (measured->interrupted) return interruption(err);
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (said[i]->json.empty()) continue;
    if (auto written = write_file(said[i]->json, to_json(measured->records[i])); !written)
      return report_error(written.error(), err);
  }
  std::vector<ResultVerdict> results;
  if (options.same_result) {
    bool interrupted = false;
    auto compared =
        compare_results(**measuring, sides, interrupted, [&](char name) { note(fmt::format("results of {}", name)); });
    if (!compared) return report_error(compared.error(), err);
    if (interrupted) return interruption(err);
    results = *std::move(compared);
  }
  AbOptions shown = options;
  // Two programs may well have benchmarks that the other lacks.
  shown.report.gone_is_failure = !has_programs(*plans);
  return report(context, shown, measured->records, paths, results, out, err);
}

}  // namespace tally::cli
