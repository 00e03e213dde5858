#include "records/known_records.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "records/record_files.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWanted = "--reuse needs a record's file, a history's folder, or git:BRANCH";

/// How many runs of a store are looked through: what a case follows from is rarely what it was before so many.
constexpr std::size_t kRunsLookedThrough = 16;

/// A store calls suites by their paths in the repository, a user by the path from where he stands.
bool may_be_called(std::string_view stored, const std::string& measured) {
  return fs::path(stored).filename() == fs::path(measured).filename();
}

Result<std::vector<IndexedRun>> newest_runs(HistoryIndex& index, const std::vector<std::string>& suites,
                                            const std::string& measured) {
  std::vector<IndexedRun> found;
  for (const std::string& suite : suites) {
    if (!may_be_called(suite, measured)) continue;
    auto runs = index.runs(suite);
    if (!runs) return std::unexpected(runs.error());
    std::ranges::move(*runs, std::back_inserter(found));
  }
  std::ranges::sort(found, std::ranges::greater{},
                    [](const IndexedRun& run) { return std::tie(run.started, run.file); });
  if (found.size() > kRunsLookedThrough) found.resize(kRunsLookedThrough);
  return found;
}

Result<std::vector<Record>> stored_records(ProcessRunner& runner, const NamedStore& where,
                                           const std::string& measured) {
  auto store = open_store(runner, where);
  if (!store) return std::unexpected(store.error());
  const auto index = store->index();
  if (!index) return std::unexpected(index.error());
  const auto suites = (*index)->suites();
  if (!suites) return std::unexpected(suites.error());
  // A branch is made by the first run that is kept; a folder that has none is another one than was meant.
  if (suites->empty() && !is_branch_store(where.store))
    return fail(ErrorKind::input, "there is no history", where.store, kWanted);
  const auto runs = newest_runs(**index, *suites, measured);
  if (!runs) return std::unexpected(runs.error());
  std::vector<Record> records;
  for (const IndexedRun& run : *runs) {
    auto record = store->load(run.file);
    if (!record) return std::unexpected(record.error());
    records.push_back(*std::move(record));
  }
  return records;
}

}  // namespace

Result<std::vector<Record>> known_records(ProcessRunner& runner, const NamedStore& named, const std::string& measured) {
  const fs::path path = fs::path(named.working_folder) / named.store;
  std::error_code code;
  if (is_branch_store(named.store) || fs::is_directory(path, code)) return stored_records(runner, named, measured);
  if (!fs::exists(path, code))
    return fail(ErrorKind::input, "there is no such record, and no such history", named.store, kWanted);
  auto record = load_record(named.store);
  if (!record) return std::unexpected(record.error());
  std::vector<Record> records;
  records.push_back(*std::move(record));
  return records;
}

}  // namespace tally
