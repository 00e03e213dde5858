#include "cli/expectation.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "comparison/same_counts.h"
#include "records/record_files.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostShown = 5;

/// What of the code differs for the cases that both have; nothing where they have none in common.
std::optional<std::set<std::string>> code_differences(const Comparison& comparison) {
  std::optional<std::set<std::string>> all;
  for (const CaseComparison& one : comparison.cases) {
    if (one.base == nullptr || one.next == nullptr) continue;
    if (!all) all.emplace();
    all->insert(one.environment_changes.begin(), one.environment_changes.end());
    all->insert(one.subject_changes.begin(), one.subject_changes.end());
  }
  return all;
}

/// Without what the run was not asked to measure.
std::size_t leave_out_unmeasured(Comparison& comparison) {
  return std::erase_if(comparison.cases, [](const CaseComparison& one) { return one.next == nullptr; });
}

}  // namespace

Result<Expectation> Expectation::load(const std::string& path) {
  Expectation expected;
  expected.path_ = path;
  if (path.empty()) return expected;
  std::error_code code;
  std::vector<std::string> files = {path};
  if (fs::is_directory(path, code)) {
    expected.is_folder_ = true;
    files.clear();
    for (const fs::directory_entry& entry : fs::directory_iterator(path, code)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".json") || name.ends_with(".json.zst")) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    if (files.empty())
      return fail(ErrorKind::input, "there is no record (*.json, *.json.zst)", path, "--expect needs a record's file");
  }
  for (const std::string& file : files) {
    auto record = load_record(file);
    if (!record) {
      Error error = record.error();
      error.kind = ErrorKind::input;  // that it cannot be opened, too
      if (error.hint.empty()) error.hint = "--expect needs a record, or a folder of records";
      return std::unexpected(std::move(error));
    }
    expected.candidates_.push_back({file, *std::move(record)});
  }
  return expected;
}

int Expectation::judge(const Record& run, std::ostream& out) const {
  if (candidates_.empty()) return 0;
  const Candidate* nearest = nullptr;
  std::optional<std::set<std::string>> differences;
  for (const Candidate& one : candidates_) {
    auto its = code_differences(compare(one.record, run, exact_compare_options()));
    if (!its || (differences && its->size() >= differences->size())) continue;
    differences = std::move(its);
    nearest = &one;
  }
  constexpr int kNotJudged = 2;
  if (nearest == nullptr) {
    fmt::print(out, "nothing expected: {} has none of these cases\n", path_);
    return kNotJudged;
  }
  Comparison comparison = compare(nearest->record, run, exact_compare_options());
  const std::size_t unmeasured = leave_out_unmeasured(comparison);
  const SameCounts same = same_counts_of(comparison);
  if (is_folder_ && !differences->empty()) {
    fmt::print(out, "nothing expected: no record in {} is of this code; {} is the nearest, of which {} differ:\n",
               path_, nearest->path, differences->size());
    // Another interpreter or compiler says more than each of the libraries that come with it.
    std::vector<std::string> all(differences->begin(), differences->end());
    std::ranges::sort(
        all, {}, [](const std::string& one) { return std::pair(one.starts_with(kMappedFact), std::string_view(one)); });
    const std::size_t shown = std::min(all.size(), kMostShown);
    for (std::size_t i = 0; i < shown; ++i) fmt::print(out, "  {}\n", all[i]);
    if (shown < all.size()) fmt::print(out, "  and {} more\n", all.size() - shown);
    fmt::print(out, "{} of {} counts are equal all the same\n", same.equal, same.judged());
    return kNotJudged;
  }
  out << to_text(same, " to " + nearest->path +
                           (unmeasured > 0 ? fmt::format(" ({} of its cases were not measured)", unmeasured) : ""));
  return exit_code_of(same);
}

}  // namespace tally::cli
