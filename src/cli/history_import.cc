#include "cli/history_import.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/history_keeping.h"
#include "cli/history_view.h"
#include "exchange/import.h"
#include "process/real_runner.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

using Paths = std::vector<std::string>;

/// The files of each run.
Result<std::vector<Paths>> runs_in(const exchange::ImportFormat& format, const Paths& paths) {
  std::vector<Paths> runs;
  for (const std::string& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      runs.push_back({path});
      continue;
    }
    Paths found;
    for (fs::recursive_directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
      if (at->is_regular_file(code) && format.is_result(at->path().string())) found.push_back(at->path().string());
    }
    if (code) return fail(ErrorKind::input, "cannot be read: " + code.message(), path);
    if (found.empty())
      return fail(ErrorKind::input, fmt::format("no results of {} are in this folder", format.name), path);
    std::ranges::sort(found);
    if (format.is_one_run) {
      runs.push_back(std::move(found));
    } else {
      for (std::string& one : found) runs.push_back({std::move(one)});
    }
  }
  for (Paths& run : runs) {
    const fs::path companion = fs::path(run.front()).parent_path().parent_path() / format.companion;
    std::error_code code;
    if (!format.companion.empty() && fs::is_regular_file(companion, code)) run.push_back(companion.string());
  }
  return runs;
}

/// Seconds since 1970; 0: not known.
std::int64_t time_of_file(const std::string& path) {
  struct stat about = {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mtime : 0;
}

std::string shown_moment(std::int64_t seconds) {
  return seconds == 0 ? std::string() : fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(seconds));
}

Result<std::vector<exchange::File>> read_files(const Paths& paths) {
  std::vector<exchange::File> files;
  for (const std::string& path : paths) {
    auto text = read_file(path);
    // It is the user's word that is wrong, not the system.
    if (!text) return fail(ErrorKind::input, text.error().message, text.error().where, text.error().hint);
    files.push_back({path, *std::move(text), time_of_file(path)});
  }
  return files;
}

class Importing {
 public:
  Importing(const ImportSources& sources, std::vector<int> expected, const exchange::ImportFormat& format,
            const Result<Repository>& repository, HistoryStore& store, std::ostream& out, std::ostream& err)
      : sources_(sources),
        expected_(std::move(expected)),
        format_(format),
        repository_(repository),
        store_(store),
        out_(out),
        err_(err) {}

  /// An error (input): no commit is called so.
  Status find_commit() {
    if (sources_.commit.empty()) return {};
    if (repository_) {
      auto commit = repository_->commit(sources_.commit);
      if (!commit) return std::unexpected(commit.error());
      commit_ = commit->id;
      committed_ = commit->committed;
    } else if (is_full_commit_id(sources_.commit)) {
      commit_ = sources_.commit;
    } else {
      return std::unexpected(repository_.error());
    }
    return {};
  }

  /// An error: it is not added.
  Status add(const Paths& paths) {
    const auto files = read_files(paths);
    if (!files) return std::unexpected(files.error());
    const std::int64_t newest =
        format_.is_one_run ? std::ranges::max(*files, {}, &exchange::File::modified).modified : files->front().modified;
    auto import = exchange::import_results(format_, *files,
                                           {.suite = sources_.suite,
                                            .commit = commit_,
                                            .started = shown_moment(newest),
                                            .committed = committed_,
                                            .with_stale = sources_.with_stale,
                                            .expected_codes = expected_});
    if (!import) return std::unexpected(import.error());
    for (const std::string& one : import->left_out) fmt::print(err_, "tally history: left out: {}\n", one);
    Record& record = import->record;
    if (!record.source) {
      return fail(ErrorKind::input, fmt::format("results of {} do not say which commit they measured", format_.name),
                  paths.front(), "add --commit REV");
    }
    // As a run of ours knows it.
    if (const auto commit = repository_ ? repository_->commit(record.source->commit)
                                        : Result<Commit>(std::unexpected(repository_.error()))) {
      record.source->repository = repository_->address();
      record.source->commit = commit->id;
      record.source->tree = commit->tree;
      record.source->parents = commit->parents;
    }
    const auto added = store_.add(record, paths.front(), {});
    if (!added) return std::unexpected(added.error());
    fmt::print(out_, "{}: {} {}{}\n", store_.files().place_of(added->file), record.cases.size(),
               record.cases.size() == 1 ? "case" : "cases", added->is_new ? "" : " (there already)");
    return {};
  }

 private:
  const ImportSources& sources_;
  std::vector<int> expected_;
  const exchange::ImportFormat& format_;
  const Result<Repository>& repository_;
  HistoryStore& store_;
  std::ostream& out_;
  std::ostream& err_;
  std::string commit_;  ///< Of all results; empty: each says it.
  std::int64_t committed_ = 0;
};

}  // namespace

int import_results_to_history(const Context& context, const HistoryOptions& options, std::ostream& out,
                              std::ostream& err) {
  const exchange::ImportFormat& format = *exchange::import_format(options.imported.format);
  auto expected = exit_codes(options.imported.expected, "--expect-status");
  if (!expected) return history_refused(expected.error(), err);
  const auto runs = runs_in(format, options.imported.paths);
  if (!runs) return history_refused(runs.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto repository = repository_of(runner, named_store(context, options));
  auto store = open_store(runner, named_store(context, options));
  if (!store) return history_refused(store.error(), err);
  Importing importing(options.imported, *std::move(expected), format, repository, *store, out, err);
  if (auto found = importing.find_commit(); !found) return history_refused(found.error(), err);
  int code = kFine;
  for (const Paths& run : *runs) {
    if (const auto added = importing.add(run); !added) {
      code = std::max(code, history_refused(added.error(), err));
      if (added.error().kind == ErrorKind::io) return code;
    }
  }
  return code;
}

}  // namespace tally::cli
