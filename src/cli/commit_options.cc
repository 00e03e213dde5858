#include "cli/commit_options.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "report/text/format.h"

namespace tally::cli {
namespace {

Result<Settings> settings_for(const CommitOptions& options) {
  if (!options.run.settings.counts)
    return fail(ErrorKind::input, "commits are compared by their counts", "--wall-only", "take it away");
  auto settings = settings_of(options.run);
  if (!settings) return settings;
  settings->counts = true;
  settings->wall = options.times;
  return settings;
}

}  // namespace

void add_commit_options(OptionSet& command, CommitOptions& options) {
  command.add("--build", &options.build, "Bash command that builds a commit; runs in a work tree of it")
      .value_name("COMMAND")
      .required();
  command.add("--suite", &options.suite, "TOML file of the suite, as it is today").value_name("FILE");
  command.add("--program", &options.program, "C++ benchmark program that the build makes, instead of a suite")
      .value_name("EXE");
  command.add("--case", &options.run.filters, "Measure only these cases: an id, a glob on ids, or a part of an id")
      .value_name("GLOB")
      .one_each();
  command.add("--store", &options.store, "The history: a folder, or git:BRANCH of the repository")
      .value_name("PLACE")
      .shows_default();
  add_run_options(command, options.run);
}

Result<CommitSession> open_commits(const Context& context, const CommitOptions& options, bool with_profiles,
                                   const std::string& command, std::ostream& err) {
  auto settings = settings_for(options);
  if (!settings) return std::unexpected(settings.error());
  RunOptions run = options.run;
  run.server = "off";
  CommitSession session;
  auto measuring = Measuring::begin(context, run, err);
  if (!measuring) return std::unexpected(measuring.error());
  session.measuring = *std::move(measuring);
  const auto notice = [command, &err](const std::string& text) {
    fmt::print(err, "tally {}: {}\n", command, printable(text, true));
  };
  const auto progress = [notice, quiet = options.run.quiet](const std::string& text) {
    if (!quiet) notice(text);
  };
  auto commits = CommitRunner::open(session.measuring->workspace(),
                                    {.caller = caller_of(context),
                                     .store = {.store = options.store,
                                               .repository = {},
                                               .environment = context.environment,
                                               .working_folder = context.working_folder},
                                     .build = options.build,
                                     .suite = options.suite,
                                     .program = options.program,
                                     .filters = options.run.filters,
                                     .settings = *std::move(settings),
                                     .tools = options.run.tools,
                                     .profiles = with_profiles},
                                    {.progress = progress, .notice = notice});
  if (!commits) return std::unexpected(commits.error());
  session.commits = *std::move(commits);
  return session;
}

}  // namespace tally::cli
