#include "cli/record_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>

#include "base/files.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/file_digests.h"
#include "record/json.h"

namespace tally::cli {

Result<Record> load_record(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return record_from_json(*text, path);
}

Result<const CaseRecord*> choose_case(const Record& record, const std::string& wanted, const std::string& path) {
  if (const CaseRecord* exact = find_case(record, wanted)) return exact;
  std::vector<const CaseRecord*> found;
  for (const CaseRecord& one : record.cases) {
    if (one.id.find(wanted) != std::string::npos || glob_match(wanted, one.id)) found.push_back(&one);
  }
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  const bool none = found.empty();
  for (const CaseRecord& one : record.cases) {
    if (names.size() < 5 && (none || std::ranges::find(found, &one) != found.end())) names.push_back(one.id);
  }
  if (none) {
    return fail(ErrorKind::input, fmt::format("no case '{}'", wanted), path,
                "its cases are: " + join(names, "; ") + (record.cases.size() > 5 ? "; …" : ""));
  }
  return fail(ErrorKind::input, fmt::format("'{}' means {} cases", wanted, found.size()), path,
              "say one of: " + join(names, "; ") + (found.size() > 5 ? "; …" : ""));
}

Result<StoredProfile> load_profile(const CaseRecord& record, const std::string& path) {
  if (!record.profile) {
    return fail(ErrorKind::input, fmt::format("no profile of '{}' was kept", record.id), path,
                "measure with tally run --profiles");
  }
  const auto file = std::filesystem::path(path).parent_path() / *record.profile;
  const Result<std::string> text = read_file(file);
  if (!text) return std::unexpected(text.error());
  return read_profile(*text, file.string());
}

Result<StoredProfile> load_profile(const std::string& file_or_case) {
  const std::size_t hash = file_or_case.find('#');
  if (hash == std::string::npos || std::filesystem::exists(file_or_case)) {
    const Result<std::string> text = read_file(file_or_case);
    if (!text) return std::unexpected(text.error());
    Result<StoredProfile> profile = read_profile(*text, file_or_case);
    if (!profile && record_from_json(*text, file_or_case)) {
      return fail(ErrorKind::input, "this is a record, not a profile", file_or_case,
                  fmt::format("name one of its cases: '{}#CASE'", file_or_case));
    }
    return profile;
  }
  const std::string path = file_or_case.substr(0, hash);
  const Result<Record> record = load_record(path);
  if (!record) return std::unexpected(record.error());
  const Result<const CaseRecord*> chosen = choose_case(*record, file_or_case.substr(hash + 1), path);
  if (!chosen) return std::unexpected(chosen.error());
  return load_profile(**chosen, path);
}

Result<AllocationSites> load_allocation_sites(const CaseRecord& record, const std::string& path) {
  const auto missing = [&] {
    return fail(ErrorKind::input, fmt::format("where '{}' allocates was not kept", record.id), path,
                "measure with tally run --profiles");
  };
  if (!record.profile) return missing();
  auto file = std::filesystem::path(path).parent_path() / *record.profile;
  file.replace_extension(".allocations.json");
  if (!std::filesystem::exists(file)) return missing();
  const Result<std::string> text = read_file(file);
  if (!text) return std::unexpected(text.error());
  return allocation_sites_from_json(*text, file.string());
}

Result<AllocationSites> load_allocation_sites(const std::string& record_and_case) {
  const std::size_t hash = record_and_case.find('#');
  if (hash == std::string::npos) {
    return fail(ErrorKind::input, "no case named", record_and_case,
                fmt::format("name one of a record's: '{}#CASE'", record_and_case));
  }
  const std::string path = record_and_case.substr(0, hash);
  const Result<Record> record = load_record(path);
  if (!record) return std::unexpected(record.error());
  const Result<const CaseRecord*> chosen = choose_case(*record, record_and_case.substr(hash + 1), path);
  if (!chosen) return std::unexpected(chosen.error());
  return load_allocation_sites(**chosen, path);
}

void add_allocations(Comparison& comparison, const std::string& base_path, const std::string& next_path) {
  for (CaseComparison& one : comparison.cases) {
    if (one.base == nullptr || one.next == nullptr) continue;
    const auto before = load_allocation_sites(*one.base, base_path);
    const auto after = load_allocation_sites(*one.next, next_path);
    if (before && after) one.allocations = allocation_deltas(*before, *after);
  }
}

ProfileLoader profile_loader(const Record& base, std::string base_path, std::string next_path) {
  return [&base, base_path = std::move(base_path), next_path = std::move(next_path)](
             const Record& side, const CaseRecord& record) -> std::optional<StoredProfile> {
    Result<StoredProfile> profile = load_profile(record, &side == &base ? base_path : next_path);
    if (!profile) return std::nullopt;
    return std::move(*profile);
  };
}

CompareOptions compare_options(bool denoise) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  CompareOptions options{.denoise = denoise};
  const auto cache = default_cache_root(variable("XDG_CACHE_HOME"), variable("HOME"));
  if (!cache) return options;
  options.files = [digests = digests_folder(*cache),
                   known =
                       std::map<std::string, std::map<std::string, std::string>>()](const std::string& digest) mutable {
    if (const auto found = known.find(digest); found != known.end()) return found->second;
    return known[digest] = FileDigests(digests).sources_of(digest);
  };
  return options;
}

Status write_output(const std::string& path, const std::string& text, std::ostream& out) {
  if (path == "-") {
    out << text;
    return {};
  }
  return write_file(path, text);
}

Status write_outputs(NamedTexts files, std::ostream& out) {
  for (const auto& [path, text] : files) {
    if (path.empty()) continue;
    if (Status written = write_output(path, text, out); !written) return written;
  }
  return {};
}

}  // namespace tally::cli
