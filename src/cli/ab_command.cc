#include "cli/ab_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/measure.h"
#include "cli/record_files.h"
#include "cli/same_result.h"
#include "definition/read_suite.h"
#include "record/json.h"
#include "record/pool.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// One side while it is measured.
struct Side {
  char name = 'A';
  RunOptions options;
  Plan plan;
  std::string record_path;  ///< Where its record stands or would: profiles are found beside it.
  std::optional<Record> record;
};

void add_side(OptionSet& sub, const std::string& prefix, AbSide& side) {
  const std::string who = prefix == "a" ? "A: " : "B: ";
  sub.add("--" + prefix, &side.env_command, who + "bash text run once; its environment is what cases see")
      .value_name("TEXT");
  sub.add("--" + prefix + "-toolchain", &side.toolchain, who + "a toolchain of the suite, for every case")
      .value_name("NAME");
  sub.add("--" + prefix + "-cxx", &side.cxx, who + "the C++ compiler").value_name("PROGRAM");
  sub.add("--" + prefix + "-python", &side.python, who + "the Python interpreter").value_name("PROGRAM");
  sub.add("--json-" + prefix, &side.json, who + "keep the record here").value_name("FILE");
}

/// Both sides run the same text; only what builds and hosts it differs. A case keeps its id and digest, so the sides
/// match, and its own toolchain's name, so that both records speak of the same one.
Status replace_toolchain(Plan& plan, const Suite& suite, const std::string& name) {
  if (name.empty()) return {};
  auto chosen = suite.toolchain(name);
  if (!chosen) return std::unexpected(chosen.error());
  for (Toolchain& toolchain : plan.toolchains) {
    const std::string own = toolchain.name;
    toolchain = *chosen;
    toolchain.name = own;
  }
  return {};
}

Result<Side> make_side(char name, const AbOptions& options, const Suite& suite, const Plan& plan,
                       const fs::path& folder) {
  const AbSide& said = name == 'A' ? options.a : options.b;
  Side side{.name = name, .options = options.run, .plan = plan, .record_path = said.json, .record = {}};
  if (auto replaced = replace_toolchain(side.plan, suite, said.toolchain); !replaced)
    return std::unexpected(replaced.error());
  if (!said.env_command.empty()) side.options.env_command = said.env_command;
  if (!said.cxx.empty()) side.options.cxx = said.cxx;
  if (!said.python.empty()) side.options.python = said.python;
  if (side.record_path.empty()) side.record_path = (folder / (std::string(1, name) + ".json")).string();
  return side;
}

/// One pass; profiles are kept of the first, which a second would only repeat.
Result<Measured> measure_pass(const Context& context, const AbOptions& options, const Side& side, std::ostream& err) {
  const std::string profiles = side.record_path + ".profiles";
  return measure(context, side.options,
                 {.plan = &side.plan,
                  .suite = options.suite,
                  .profiles = options.report.functions && !side.record,
                  .profile_folder = profiles,
                  .profile_prefix = fs::path(profiles).filename().string()},
                 err);
}

/// One execution of everything on each side. An error: one of them could not go on.
Result<std::vector<ResultVerdict>> compare_results(const Context& context, const AbOptions& options,
                                                   std::span<const Side> sides, bool& interrupted, std::ostream& err) {
  std::vector<Measured> examined;
  for (const Side& side : sides) {
    if (!options.run.quiet) fmt::print(err, "tally ab: results of {}\n", side.name);
    auto one = measure(context, side.options, {.plan = &side.plan, .suite = options.suite, .results = true}, err);
    if (!one) return std::unexpected(one.error());
    if (one->stopped) return std::unexpected(*one->stopped);
    interrupted = interrupted || one->interrupted;
    if (interrupted) return std::vector<ResultVerdict>{};
    examined.push_back(*std::move(one));
  }
  return judge_results(examined[0], examined[1]);
}

/// All passes, in turns. True when it was interrupted.
Result<bool> measure_sides(const Context& context, const AbOptions& options, std::span<Side> sides, std::ostream& err) {
  for (int round = 1; round <= options.rounds; ++round) {
    for (Side& side : sides) {
      if (!options.run.quiet) fmt::print(err, "tally ab: round {} of {}, {}\n", round, options.rounds, side.name);
      auto pass = measure_pass(context, options, side, err);
      if (!pass) return std::unexpected(pass.error());
      if (pass->interrupted) return true;
      if (pass->stopped) return std::unexpected(*pass->stopped);
      if (!side.record) {
        side.record = std::move(pass->record);
        continue;
      }
      auto pooled = pool(*std::move(side.record), pass->record);
      if (!pooled) return std::unexpected(pooled.error());
      side.record = *std::move(pooled);
    }
  }
  return false;
}

int interruption(std::ostream& err) {
  fmt::print(err, "tally: interrupted\n");
  return kInterrupted;
}

Status check_usage(const AbOptions& options) {
  if (!options.a.says_nothing() || !options.b.says_nothing()) return {};
  return fail(ErrorKind::input, "nothing differs between the sides", "tally ab",
              "say what A and B are: --a TEXT --b TEXT, or --a-toolchain, --a-cxx or --a-python and the same for b");
}

}  // namespace

void add_ab_options(OptionSet& sub, AbOptions& options) {
  sub.add("suite", &options.suite, "The suite's TOML file").required().value_name("SUITE");
  add_side(sub, "a", options.a);
  add_side(sub, "b", options.b);
  sub.add("--rounds", &options.rounds, "Passes of each side, in turns").shows_default().range(1, 100);
  sub.add("--same-result", &options.same_result,
          "Execute each statement once more on each side and hold what it leaves against the other's");
  sub.add("--all", &options.report.all, "Also show cases that did not change");
  sub.add("--functions", &options.report.functions, "Show which functions moved");
  sub.add("--top", &options.report.top, "Functions shown for each case").shows_default().positive();
  sub.add("--json", &options.report.json, "Print the comparison as JSON");
  sub.add("--csv", &options.report.csv, "Also write CSV to this file (- for standard output)");
  sub.add("--markdown", &options.report.markdown,
          "Also write Markdown for a pull request to this file (- for standard output)");
  add_selection_options(sub, options.run);
  add_run_options(sub, options.run);
  sub.footer =
      "Whether both sides compute the same is checked with --same-result only.\n"
      "Exit codes: 0 compared, 1 a case failed or results differ, 2 wrong usage. docs/compare.md says more.";
}

int run_ab(const Context& context, const AbOptions& options, std::ostream& out, std::ostream& err) {
  if (auto usage = check_usage(options); !usage) return report_error(usage.error(), err);
  auto suite = read_suite(options.suite);
  if (!suite) return report_error(suite.error(), err);
  auto plan = plan_of(*suite, options.run);
  if (!plan) return report_error(plan.error(), err);
  auto folder = TemporaryFolder::make();
  if (!folder) return report_error(folder.error(), err);

  std::vector<Side> sides;
  for (const char name : {'A', 'B'}) {
    auto side = make_side(name, options, *suite, *plan, folder->path());
    if (!side) return report_error(side.error(), err);
    sides.push_back(*std::move(side));
  }
  const auto interrupted_early = measure_sides(context, options, sides, err);
  if (!interrupted_early) return report_error(interrupted_early.error(), err);
  if (*interrupted_early) return interruption(err);
  for (const Side& side : sides) {
    const std::string& wanted = side.name == 'A' ? options.a.json : options.b.json;
    if (wanted.empty()) continue;
    if (auto written = write_file(wanted, to_json(*side.record)); !written) return report_error(written.error(), err);
  }
  std::vector<ResultVerdict> results;
  if (options.same_result) {
    bool interrupted = false;
    auto compared = compare_results(context, options, sides, interrupted, err);
    if (!compared) return report_error(compared.error(), err);
    if (interrupted) return interruption(err);
    results = *std::move(compared);
  }
  const Record& a = *sides[0].record;
  const Record& b = *sides[1].record;
  CompareOptions how;
  how.environment_softens = false;
  const ProfileLoader profiles = profile_loader(a, sides[0].record_path, sides[1].record_path);
  Comparison comparison = compare(a, b, how, profiles);
  note_results(results, comparison);
  const int code = report_comparison(comparison, options.report, out, err);
  if (!options.same_result) return code;
  // Where standard output is for a program, people read standard error.
  const CompareCommandOptions& report = options.report;
  print_results(results, report.json || report.csv == "-" || report.markdown == "-" ? err : out);
  return contains(results, Sameness::differs, &ResultVerdict::sameness) ? std::max<int>(code, kFailed) : code;
}

}  // namespace tally::cli
