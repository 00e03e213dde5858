#include "cli/history_keeping.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <ostream>
#include <set>
#include <span>
#include <utility>

#include "cli/history_profiles.h"
#include "cli/history_view.h"
#include "cli/refuse.h"
#include "history/in_parallel.h"
#include "process/real_runner.h"
#include "records/record_files.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Files that may be records, in a fixed order.
Result<std::vector<std::string>> json_files(std::span<const std::string> folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::error_code code;
    for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
      if (at->is_regular_file(code) && at->path().extension() == ".json") files.push_back(at->path().string());
    }
    if (code) {
      return fail(ErrorKind::input, "cannot be read: " + code.message(), folder,
                  "name a folder of records; results of another tool want --format");
    }
  }
  std::ranges::sort(files);
  return files;
}

struct Imported {
  std::size_t added = 0;
  std::size_t known = 0;
  std::size_t left_out = 0;
};

using ReadRuns = std::vector<Result<HistoryStore::Run>>;

/// On all CPUs.
ReadRuns read_batch(std::span<const std::string> paths) {
  ReadRuns read(paths.size(), HistoryStore::Run());
  in_parallel(paths.size(), [&](std::size_t i) {
    auto record = load_record(paths[i]);
    if (record) {
      read[i] = HistoryStore::run_of(*std::move(record), paths[i], profiles_of(paths[i]));
    } else {
      read[i] = std::unexpected(record.error());
    }
  });
  return read;
}

/// Those that the store does not have.
std::vector<HistoryStore::Run> new_runs(const HistoryStore& store, ReadRuns read, Imported& imported,
                                        std::ostream& err) {
  std::vector<HistoryStore::Run> runs;
  std::set<std::string> names;
  for (Result<HistoryStore::Run>& run : read) {
    const Result<bool> known = run ? store.holds(run->file) : std::unexpected(run.error());
    if (!known) {
      ++imported.left_out;
      fmt::print(err, "tally history: left out: {}\n", describe(known.error()));
    } else if (*known || !names.insert(run->file.name).second) {
      ++imported.known;
    } else {
      runs.push_back(*std::move(run));
    }
  }
  return runs;
}

/// Adds one batch while the next is read. Nothing else may use the store meanwhile.
class Adding {
 public:
  explicit Adding(HistoryStore& store) : store_(store) {}

  void begin(std::vector<HistoryStore::Run> runs) {
    count_ = runs.size();
    done_ = std::async(std::launch::async,
                       [this, runs = std::move(runs)]() mutable { return store_.add(std::move(runs)); });
  }
  /// An error (io): what was begun last cannot be written.
  Status finish(Imported& imported) {
    if (!done_.valid()) return {};
    auto added = done_.get();
    if (added) imported.added += count_;
    return added;
  }

 private:
  HistoryStore& store_;
  std::size_t count_ = 0;
  std::future<Status> done_;
};

}  // namespace

int history_refused(const Error& error, std::ostream& err) {
  return refuse("history", error, err, error.kind == ErrorKind::io ? kFailed : kUsage);
}

int add_to_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  auto store = open_store(runner, named_store(context, options));
  if (!store) return history_refused(store.error(), err);
  int code = kFine;
  bool stored = false;
  for (const std::string& path : options.records) {
    const auto record = load_record(path);
    if (!record) {
      history_refused(record.error(), err);
      code = kUsage;  // also where it cannot be read: it was named
      continue;
    }
    const auto added = store->add(*record, path, profiles_of(path));
    if (!added) {
      code = std::max(code, history_refused(added.error(), err));
      if (added.error().kind == ErrorKind::io) return code;
      continue;
    }
    stored = stored || added->is_new;
    fmt::print(out, "{}{}\n", store->files().place_of(added->file), added->is_new ? "" : " (there already)");
  }
  // Which of them explain something is known along the commits of a repository only.
  if (const auto repository = repository_of(runner, named_store(context, options)); stored && repository) {
    if (const auto gone = prune_profiles(*repository, "HEAD", *store); !gone && gone.error().kind == ErrorKind::io)
      return history_refused(gone.error(), err);
  }
  return code;
}

int import_to_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  constexpr std::size_t kAtOnce = 256;
  const auto files = json_files(options.imported.paths);
  if (!files) return history_refused(files.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  auto store = open_store(runner, named_store(context, options));
  if (!store) return history_refused(store.error(), err);
  Imported imported;
  Adding adding(*store);
  const std::span<const std::string> all = *files;
  for (std::size_t begin = 0; begin < all.size(); begin += kAtOnce) {
    const auto batch = all.subspan(begin, std::min(kAtOnce, all.size() - begin));
    ReadRuns read = read_batch(batch);
    if (auto added = adding.finish(imported); !added) return history_refused(added.error(), err);
    adding.begin(new_runs(*store, std::move(read), imported, err));
    if (context.err_is_terminal) fmt::print(err, "\rtally history: {} of {} ", begin + batch.size(), all.size());
  }
  if (auto added = adding.finish(imported); !added) return history_refused(added.error(), err);
  if (context.err_is_terminal) fmt::print(err, "\n");
  fmt::print(out, "{}: {} added, {} there already, {} left out\n", options.store, imported.added, imported.known,
             imported.left_out);
  return imported.added + imported.known == 0 ? kFailed : kFine;
}

int prune_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto repository = repository_of(runner, named_store(context, options));
  if (!repository) return history_refused(repository.error(), err);
  auto store = open_store(runner, named_store(context, options));
  if (!store) return history_refused(store.error(), err);
  const auto gone = prune_profiles(*repository, options.shown.tip, *store);
  if (!gone) return history_refused(gone.error(), err);
  fmt::print(out, "{}: {} files of profiles removed\n", options.store, *gone);
  return kFine;
}

int rebuild_history_index(const Context& context, const HistoryOptions& options, std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  auto store = open_store(runner, named_store(context, options));
  if (!store) return history_refused(store.error(), err);
  const auto rebuilt = store->rebuild();
  return rebuilt ? kFine : history_refused(rebuilt.error(), err);
}

int exchange_history(const Context& context, const HistoryOptions& options, std::ostream& err) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  const auto branch = open_branch(runner, named_store(context, options));
  if (!branch) return history_refused(branch.error(), err);
  const auto done =
      options.task == HistoryTask::push ? (*branch)->push(options.remote) : (*branch)->pull(options.remote);
  if (done) return kFine;
  // Git's own reasons: no such remote, no network, no permission.
  return refuse("history", done.error(), err, done.error().kind == ErrorKind::input ? kUsage : kFailed);
}

}  // namespace tally::cli
