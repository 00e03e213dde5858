#include "cli/bisect_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/refuse.h"
#include "cli/run_command.h"
#include "commits/bisect_search.h"
#include "report/text/bisect_report.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Why there is no line from GOOD to BAD.
Error no_line(const Repository& repository, const BisectOptions& options, const Commit& good, const Commit& bad) {
  const std::string what = fmt::format("{} does not come from {}", options.bad, options.good);
  const auto base = repository.merge_base(good.id, bad.id);
  if (!base) return base.error();
  if (!*base) {
    return {ErrorKind::input,
            what + ", and they have no commit in common",
            {},
            "in a shallow clone, `git fetch --unshallow` brings the commits between"};
  }
  if (**base == bad.id)
    return {ErrorKind::input,
            what + ", but the other way round",
            {},
            fmt::format("say tally bisect {} {}", options.bad, options.good)};
  return {ErrorKind::input,
          what,
          {},
          fmt::format("begin where the two came apart: tally bisect {} {}", short_commit(**base), options.bad)};
}

Result<std::vector<LineCommit>> line_from_good(const Repository& repository, const BisectOptions& options) {
  const auto good = repository.commit(options.good);
  if (!good) return std::unexpected(good.error());
  const auto bad = repository.commit(options.bad);
  if (!bad) return std::unexpected(bad.error());
  if (good->id == bad->id)
    return fail(ErrorKind::input, "GOOD and BAD are one commit", short_commit(good->id),
                "name an earlier one and a later one");
  auto line = repository.line_between(good->id, bad->id);
  if (line && line->empty()) return std::unexpected(no_line(repository, options, *good, *bad));
  return line;
}

int not_bisected(const Error& error, std::ostream& err) {
  const int code = error.kind == ErrorKind::interrupted ? kInterrupted
                   : error.kind == ErrorKind::input     ? kUsage
                                                        : kFailed;
  return refuse("bisect", error, err, code);
}

/// Profiles serve the bisect that measured them, however often it is repeated; the next one begins without.
void keep_profiles_of_this_bisect(const CommitRunner& commits, const std::vector<LineCommit>& line) {
  const fs::path folder = commits.workshop().folder() + "/measured";
  const std::string ends = line.front().title.id + " " + line.back().title.id + "\n";
  if (read_file(folder / "ends").value_or("") == ends) return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  // Lost, the next bisect removes what is there.
  std::ignore = write_file(folder / "ends", ends);
}

}  // namespace

void add_bisect_options(OptionSet& command, BisectOptions& options) {
  command.add("GOOD", &options.good, "Commit from before the change").required();
  command.add("BAD", &options.bad, "Later commit that has the change").required();
  add_commit_options(command, options.commits);
  command.add("--limit", &options.limit, "Stop after this many builds; the same command continues later")
      .value_name("N")
      .range(1, 1'000'000);
  command.add("--top", &options.top, "Functions to show for each change").shows_default().positive();
  command.add("--json", &options.json, "Print the result as JSON");
  command.footer =
      "The store keeps every measured commit, so the same command continues where it was stopped.\n"
      "Exit codes: 0 found, 1 nothing found or not finished, 2 wrong usage or input, 130 interrupted. See\n"
      "docs/guides/bisect.md.";
}

int run_bisect(const Context& context, const BisectOptions& options, std::ostream& out, std::ostream& err) {
  auto session = open_commits(context, options.commits, true, "bisect", err);
  if (!session) return not_bisected(session.error(), err);
  CommitRunner& runner = *session->commits;
  const Repository& repository = runner.repository();
  const auto line = line_from_good(repository, options);
  if (!line) return not_bisected(line.error(), err);
  const auto dirty = repository.is_dirty();
  if (dirty && *dirty) runner.say("what is not committed is not measured");
  runner.say(fmt::format("{} commits, built in {}", line->size() - 1, runner.workshop().tree()));
  keep_profiles_of_this_bisect(runner, *line);
  BisectSearch search(runner, options.limit > 0 ? std::optional<std::size_t>(options.limit) : std::nullopt);
  const auto report = search.search(*line);
  if (!report) {
    const int code = not_bisected(report.error(), err);
    if (code == kInterrupted) runner.say("finished measurements are kept: the same command continues");
    return code;
  }
  if (options.json) {
    out << bisect_to_json(*report);
  } else {
    out << render_bisect(*report, static_cast<std::size_t>(options.top), rendering(context, options.commits.run.style));
  }
  return report->is_whole && !report->changes.empty() ? kFine : kFailed;
}

}  // namespace tally::cli
