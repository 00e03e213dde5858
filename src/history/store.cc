#include "history/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "git/repository.h"
#include "history/environment_name.h"
#include "history/folder_files.h"
#include "history/in_parallel.h"
#include "measurement/statistics.h"
#include "record/json.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRuns = "runs";
constexpr std::string_view kEnding = ".json";
/// Records that are in memory at once while an index is made.
constexpr std::size_t kReadAtOnce = 128;
constexpr std::string_view kHexadecimal = "0123456789abcdef";

bool is_hexadecimal(std::string_view text) { return text.find_first_not_of(kHexadecimal) == std::string_view::npos; }

/// A relative path that stays where it is put.
bool is_plain_path(std::string_view text) {
  return std::ranges::none_of(split(text, '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos;
  });
}

Status check_storable(const Record& record, const std::string& where) {
  if (!record.source || !is_full_commit_id(record.source->commit)) {
    return fail(ErrorKind::input, "does not say which commit it measured", where,
                "measure in a git repository, or say it with tally run --source DIR or --commit ID");
  }
  if (record.source->dirty) {
    return fail(ErrorKind::input,
                fmt::format("measured changes that are not in commit {}", record.source->commit.substr(0, 12)), where,
                "commit them and measure again; --commit ID says that they do not matter");
  }
  if (!record.suite || !is_plain_path(*record.suite)) {
    return fail(ErrorKind::input, "does not say which suite it measured", where,
                "a history is one of a suite's or a program's cases: tally run SUITE");
  }
  const bool whole = !record.part || record.part->count == 1 || (!record.part->index && !record.part->missing);
  if (!whole) return fail(ErrorKind::input, "is a part of a plan", where, "join the parts with tally merge");
  return {};
}

/// To five digits: ten times finer than what times repeat to, and no more noise than that is kept.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 4);
  // Through text, so that it is the shortest number that means it.
  return std::stod(fmt::format("{:.5g}", std::round(value / unit) * unit));
}

void compact(Wall& wall) {
  std::vector<double> medians;
  medians.reserve(wall.samples_per_child.size());
  for (const std::vector<double>& child : samples_by_child(wall)) medians.push_back(rounded(median(child)));
  wall.samples_per_child.assign(medians.size(), 1);
  wall.replicates_s = std::move(medians);
  for (double* value :
       {&wall.median_s, &wall.mean_s, &wall.iqr_s, &wall.interval_s.low, &wall.interval_s.high, &wall.overhead_s})
    *value = rounded(*value);
  wall.watch.reset();
}

/// What became of it, without when and where.
void compact(Attempt& attempt) {
  attempt.seconds = rounded(attempt.seconds);
  attempt.started_s.reset();
  attempt.cpus.reset();
}

/// Whether the text is what was stored under the name.
Status check_digest(const HistoryFiles& files, const std::string& name, std::string_view text) {
  const std::string_view stem = std::string_view(name).substr(0, name.size() - kEnding.size());
  if (stem.substr(stem.rfind('-') + 1) == digest(text)) return {};
  return fail(ErrorKind::input, "is not what was stored: its digest is another one", files.place_of(name),
              "remove the file, and add the record again");
}

/// What stands under a name.
Result<Record> record_of(const HistoryFiles& files, const std::string& name, std::string_view text) {
  if (auto intact = check_digest(files, name, text); !intact) return std::unexpected(intact.error());
  auto record = record_from_json(text, files.place_of(name));
  if (!record) return record;
  if (!record->suite || !record->source)
    return fail(ErrorKind::input, "does not say which commit or suite it measured", files.place_of(name),
                "remove the file");
  return record;
}

}  // namespace

Record compacted(Record record) {
  for (CaseRecord& one : record.cases) {
    if (one.wall) compact(*one.wall);
    for (Attempt& attempt : one.attempts) compact(attempt);
    one.profile.reset();
  }
  return record;
}

HistoryStore::HistoryStore(const fs::path& folder) : files_(std::make_unique<FolderFiles>(folder)) {}

std::optional<StoredRun> stored_run_of(std::string_view file) {
  const std::vector<std::string_view> parts = split(file, '/');
  if (parts.size() < 4 || parts.front() != kRuns || !parts.back().ends_with(kEnding)) return std::nullopt;
  const std::string_view stem = parts.back().substr(0, parts.back().size() - kEnding.size());
  const std::size_t dash = stem.find('-');
  if (dash == std::string_view::npos || !is_full_commit_id(stem.substr(0, dash)) ||
      !is_hexadecimal(stem.substr(dash + 1)))
    return std::nullopt;
  const std::string_view environment = parts[parts.size() - 2];
  const std::size_t suite = kRuns.size() + 1;
  return StoredRun{
      .file = std::string(file),
      .suite = std::string(file.substr(suite, file.size() - suite - parts.back().size() - 1 - environment.size() - 1)),
      .environment = std::string(environment),
      .commit = std::string(stem.substr(0, dash))};
}

Result<HistoryStore::Run> HistoryStore::run_of(Record record, const std::string& where, const ProfileReader& profiles) {
  if (auto storable = check_storable(record, where); !storable) return std::unexpected(storable.error());
  const std::string beginning =
      fmt::format("{}/{}/{}/{}-", kRuns, *record.suite, environment_name_of(record), record.source->commit);
  Run run;
  std::vector<std::optional<std::string>> paths(record.cases.size());
  for (std::size_t i = 0; profiles && i < record.cases.size(); ++i) {
    auto texts = profiles(record.cases[i]);
    if (!texts) continue;
    const std::string stem = profile_stem(*texts);
    paths[i] = profile_path(beginning, stem);
    for (NewHistoryFile& file : profile_files(stem, *std::move(texts))) run.profiles.push_back(std::move(file));
  }
  run.record = compacted(std::move(record));
  for (std::size_t i = 0; i < paths.size(); ++i) run.record.cases[i].profile = std::move(paths[i]);
  run.file.text = to_json(run.record);
  run.file.name = beginning + digest(run.file.text) + std::string(kEnding);
  return run;
}

Result<HistoryStore::Added> HistoryStore::add(const Record& record, const std::string& where,
                                              const ProfileReader& profiles) {
  auto run = run_of(record, where, profiles);
  if (!run) return std::unexpected(run.error());
  const auto known = holds(run->file);
  if (!known) return std::unexpected(known.error());
  Added added{.file = run->file.name, .is_new = !*known};
  if (*known) return added;
  std::vector<Run> runs;
  runs.push_back(*std::move(run));
  if (auto done = add(std::move(runs)); !done) return std::unexpected(done.error());
  return added;
}

Result<bool> HistoryStore::holds(const NewHistoryFile& run) const {
  if (!files_->has(run.name)) return false;
  const auto text = files_->read(run.name);
  if (!text) return std::unexpected(text.error());
  if (auto intact = check_digest(*files_, run.name, *text); !intact) return std::unexpected(intact.error());
  return true;
}

Status HistoryStore::add(std::vector<Run> runs) {
  if (runs.empty()) return {};
  const std::string title = runs.size() == 1
                                ? fmt::format("Add a run of {}", runs.front().record.source->commit.substr(0, 10))
                                : fmt::format("Add {} runs", runs.size());
  std::vector<NewHistoryFile> files;
  std::vector<std::pair<std::string, const Record*>> entries;
  for (Run& run : runs) {
    entries.emplace_back(run.file.name, &run.record);
    // Before the run that names them.
    std::ranges::move(run.profiles, std::back_inserter(files));
    files.push_back(std::move(run.file));
  }
  if (auto written = files_->write(std::move(files), title); !written) return written;
  enter(entries);
  return {};
}

/// Saves reading them again. What fails here is repaired when the index is read.
void HistoryStore::enter(const std::vector<std::pair<std::string, const Record*>>& runs) {
  if (!open_index() || !index_->begin()) return;
  const auto known = index_->files();
  bool fine = known.has_value();
  for (const auto& [file, record] : runs) {
    if (fine && !std::ranges::binary_search(*known, file)) fine = index_->add(file, *record).has_value();
  }
  if (!fine || !index_->commit()) index_->roll_back();
}

Result<std::vector<std::string>> HistoryStore::run_files() const {
  auto names = files_->names(std::string(kRuns));
  if (!names) return std::unexpected(names.error());
  for (const std::string& other : names->others) {
    if (!stored_run_of(other)) continue;
    return fail(ErrorKind::input, "a run belongs here, and this is not a file", files_->place_of(other),
                "take it away, and add the run's record again where it is wanted");
  }
  std::erase_if(names->files, [](const std::string& name) { return !stored_run_of(name); });
  return std::move(names->files);
}

Result<std::vector<StoredRun>> HistoryStore::runs() const {
  const auto names = run_files();
  if (!names) return std::unexpected(names.error());
  std::vector<StoredRun> runs;
  runs.reserve(names->size());
  for (const std::string& name : *names) runs.push_back(*stored_run_of(name));
  return runs;
}

Result<Record> HistoryStore::load(const std::string& file) const {
  const auto text = files_->read(file);
  if (!text) return std::unexpected(text.error());
  return record_of(*files_, file, *text);
}

/// Within a transaction.
Status HistoryStore::bring_up(HistoryIndex& index) const {
  auto stored = run_files();
  if (!stored) return std::unexpected(stored.error());
  const auto known = index.files();
  if (!known) return std::unexpected(known.error());
  std::vector<std::string> missing;
  if (std::ranges::includes(*stored, *known)) {
    std::ranges::set_difference(*stored, *known, std::back_inserter(missing));
  } else {
    // Files are never changed; where one was taken away, nothing of it must stay.
    if (auto cleared = index.clear(); !cleared) return cleared;
    missing = *std::move(stored);
  }
  std::vector<std::pair<std::string, std::string>> texts;
  const auto enter_texts = [&]() -> Status {
    std::vector<Result<Record>> records(texts.size(), Record());
    in_parallel(texts.size(), [&](std::size_t i) { records[i] = record_of(*files_, texts[i].first, texts[i].second); });
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!records[i]) return std::unexpected(records[i].error());
      if (auto added = index.add(texts[i].first, *records[i]); !added) return added;
    }
    texts.clear();
    return {};
  };
  auto read = files_->read_all(missing, [&](const std::string& name, std::string text) -> Status {
    texts.emplace_back(name, std::move(text));
    return texts.size() < kReadAtOnce ? Status() : enter_texts();
  });
  return read ? enter_texts() : read;
}

/// Says whether the index already knows just these files.
Result<bool> HistoryStore::is_current(HistoryIndex& index) const {
  const auto stored = run_files();
  if (!stored) return std::unexpected(stored.error());
  return index.knows_just(*stored);
}

Status HistoryStore::refresh(HistoryIndex& index) const {
  const auto current = is_current(index);
  if (!current) return std::unexpected(current.error());
  if (*current) return {};
  if (auto begun = index.begin(); !begun) return begun;
  auto brought = bring_up(index);
  if (brought) brought = index.commit();
  if (!brought) index.roll_back();
  return brought;
}

Status HistoryStore::open_index() {
  if (index_) return {};
  auto opened = HistoryIndex::open(files_->index_path());
  if (!opened) return std::unexpected(opened.error());
  index_.emplace(*std::move(opened));
  return {};
}

/// A folder without runs may be another one than was meant: nothing is written there.
Status HistoryStore::open_index_of_runs() {
  std::error_code code;
  if (index_ || fs::exists(files_->index_path(), code)) return open_index();
  const auto stored = run_files();
  if (!stored) return std::unexpected(stored.error());
  if (!stored->empty()) return open_index();
  auto memory = HistoryIndex::in_memory();
  if (!memory) return std::unexpected(memory.error());
  index_.emplace(*std::move(memory));
  return {};
}

Result<HistoryIndex*> HistoryStore::index() {
  if (auto opened = open_index_of_runs(); !opened) return std::unexpected(opened.error());
  auto refreshed = refresh(*index_);
  if (!refreshed && refreshed.error().kind == ErrorKind::io) {
    // A full disk, or one that may only be read: the files are all that is needed.
    auto memory = HistoryIndex::in_memory();
    if (!memory) return std::unexpected(memory.error());
    index_.emplace(*std::move(memory));
    refreshed = refresh(*index_);
  }
  if (!refreshed) return std::unexpected(refreshed.error());
  return &*index_;
}

Status HistoryStore::rebuild() {
  index_.reset();
  std::error_code code;
  fs::remove(files_->index_path(), code);
  const auto made = index();
  return made ? Status() : std::unexpected(made.error());
}

}  // namespace tally
