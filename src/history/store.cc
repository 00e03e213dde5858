#include "history/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "measurement/statistics.h"
#include "record/json.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEnvironmentDigits = 12;
constexpr std::string_view kHexadecimal = "0123456789abcdef";

bool is_hexadecimal(std::string_view text) { return text.find_first_not_of(kHexadecimal) == std::string_view::npos; }

bool is_commit_id(std::string_view text) { return (text.size() == 40 || text.size() == 64) && is_hexadecimal(text); }

/// A relative path that stays where it is put.
bool is_plain_path(std::string_view text) {
  return std::ranges::none_of(split(text, '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos;
  });
}

Status check_storable(const Record& record, const std::string& where) {
  if (!record.source || !is_commit_id(record.source->commit)) {
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

std::string environment_of_all(const Record& record) {
  const std::string& fingerprint = record.fingerprint.environment;
  // Of our own making it is hexadecimal; a record may come from anywhere.
  const bool ours = fingerprint.size() >= kEnvironmentDigits && is_hexadecimal(fingerprint);
  return (ours ? fingerprint : digest(fingerprint)).substr(0, kEnvironmentDigits);
}

/// "COMMIT-DIGEST.json".
std::string commit_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t dash = stem.find('-');
  if (file.extension() != ".json" || dash == std::string::npos) return {};
  const std::string commit = stem.substr(0, dash);
  return is_commit_id(commit) && is_hexadecimal(stem.substr(dash + 1)) ? commit : std::string();
}

void compact(Wall& wall) {
  std::vector<double> medians;
  medians.reserve(wall.samples_per_child.size());
  for (const std::vector<double>& child : samples_by_child(wall)) medians.push_back(median(child));
  wall.samples_per_child.assign(medians.size(), 1);
  wall.replicates_s = std::move(medians);
  if (wall.watch) wall.watch->throttled.clear();
}

}  // namespace

Record compacted(Record record) {
  for (CaseRecord& one : record.cases) {
    if (one.wall) compact(*one.wall);
    one.profile.reset();
  }
  return record;
}

Result<HistoryStore::Added> HistoryStore::add(const Record& record, const std::string& where) {
  if (auto storable = check_storable(record, where); !storable) return std::unexpected(storable.error());
  const std::string text = to_json(compacted(record));
  Added added;
  added.path = folder_ / "runs" / *record.suite / environment_of_all(record) /
               fmt::format("{}-{}.json", record.source->commit, digest(text));
  std::error_code code;
  if (fs::exists(added.path, code)) return added;
  auto file = NewFile::create(added.path);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->append(text); !written) return std::unexpected(written.error());
  if (auto safe = file->sync(); !safe) return std::unexpected(safe.error());
  if (auto published = file->publish(); !published) return std::unexpected(published.error());
  added.is_new = true;
  return added;
}

Result<std::vector<Lane>> HistoryStore::lanes() const {
  std::map<std::pair<std::string, std::string>, std::vector<StoredRun>> found;
  const fs::path runs = folder_ / "runs";
  std::error_code code;
  if (!fs::exists(runs, code)) return std::vector<Lane>();
  for (fs::recursive_directory_iterator at(runs, code), end; !code && at != end; at.increment(code)) {
    if (!at->is_regular_file(code)) continue;
    const std::string commit = commit_of(at->path().filename());
    if (commit.empty()) continue;
    const fs::path folder = at->path().parent_path();
    const std::string suite = fs::relative(folder.parent_path(), runs, code).generic_string();
    found[{suite, folder.filename().string()}].push_back({.path = at->path(), .commit = commit});
  }
  if (code) return fail(ErrorKind::io, "cannot read the history: " + code.message(), runs.string());
  std::vector<Lane> lanes;
  lanes.reserve(found.size());
  for (auto& [name, files] : found) {
    std::ranges::sort(files, {}, &StoredRun::path);
    lanes.push_back({.suite = name.first, .environment = name.second, .runs = std::move(files)});
  }
  return lanes;
}

Result<Record> load_run(const StoredRun& run) {
  const auto text = read_file(run.path);
  if (!text) return std::unexpected(text.error());
  const std::string stem = run.path.stem().string();
  if (stem.substr(stem.find('-') + 1) != digest(*text)) {
    return fail(ErrorKind::input, "is not what was stored: its digest is another one", run.path.string(),
                "remove the file, and add the record again");
  }
  return record_from_json(*text, run.path.string());
}

}  // namespace tally
