#include "records/record_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <ranges>
#include <set>

#include "base/contains.h"
#include "base/files.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "base/zstd.h"
#include "build/cache.h"
#include "build/file_digests.h"
#include "record/json.h"
#include "run/probes/table.h"

namespace tally {
namespace {

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kMostText = std::size_t{1} << 30U;  // of a record: 100,000 cases have 150 MB

}  // namespace

Result<Record> load_record(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return std::unexpected(text.error());
  if (!is_zstd(*text)) return record_from_json(*text, path);
  const Result<std::string> whole = from_zstd(*text, path, kMostText);
  if (!whole) return std::unexpected(whole.error());
  return record_from_json(*whole, path);
}

Result<std::string> choose_id(std::span<const std::string> ids, const std::string& wanted, const std::string& where) {
  if (contains(ids, wanted)) return wanted;
  std::vector<std::string> found;
  for (const std::string& id : ids) {
    const std::string read = readable_id(id);
    if (read == wanted) return id;
    if (id.contains(wanted) || read.contains(wanted) || glob_match(wanted, id) || glob_match(wanted, read))
      found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  const bool none = found.empty();
  std::vector<std::string> near;
  for (const std::string& id : (none ? ids : std::span<const std::string>(found)) | std::views::take(kMostNamed))
    near.push_back(readable_id(id));
  const std::string names =
      join(near, "; ") + (std::max(found.size(), none ? ids.size() : 0) > kMostNamed ? "; …" : "");
  if (none) return fail(ErrorKind::input, fmt::format("no case '{}'", wanted), where, "its cases are: " + names);
  return fail(ErrorKind::input, fmt::format("'{}' means {} cases", wanted, found.size()), where,
              "say one of: " + names);
}

Result<const CaseRecord*> choose_case(const Record& record, const std::string& wanted, const std::string& path) {
  std::vector<std::string> ids;
  ids.reserve(record.cases.size());
  for (const CaseRecord& one : record.cases) ids.push_back(one.id);
  const auto id = choose_id(ids, wanted, path);
  if (!id) return std::unexpected(id.error());
  return find_case(record, *id);
}

Result<std::filesystem::path> profile_file(const std::string& id, const std::string& profile, const std::string& path) {
  const auto within = std::filesystem::path(profile).lexically_normal();
  if (within.empty() || within == "." || within.is_absolute() || *within.begin() == "..") {
    return fail(ErrorKind::input, fmt::format("the profile of '{}' would lie outside of the record's folder", id), path,
                "measure it anew with tally run --profiles");
  }
  return std::filesystem::path(path).parent_path() / within;
}

Result<StoredProfile> load_profile(const CaseRecord& record, const std::string& path) {
  if (!record.profile) {
    return fail(ErrorKind::input, fmt::format("no profile of '{}' was kept", record.id), path,
                "measure with tally run --profiles");
  }
  const auto file = profile_file(record.id, *record.profile, path);
  if (!file) return std::unexpected(file.error());
  const Result<std::string> text = read_file(*file);
  if (!text) return std::unexpected(text.error());
  return read_profile(*text, file->string());
}

Result<StoredProfile> load_profile(const std::string& file_or_case) {
  const std::size_t hash = file_or_case.find('#');
  if (hash == std::string::npos || std::filesystem::exists(file_or_case)) {
    StoredProfileReader reader;
    const Status read = read_pieces(file_or_case, [&](std::string_view piece) { reader.feed(piece); });
    if (!read) return std::unexpected(read.error());
    Result<StoredProfile> profile = reader.finish(file_or_case);
    if (!profile && record_from_json(reader.json(), file_or_case)) {
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

namespace {

/// A file of the case's own beside its profile.
struct Beside {
  std::string path;
  std::string text;
};

/// An error says that `what` was not kept.
Result<Beside> read_beside(const CaseRecord& record, const std::string& path, std::string_view ending,
                           const std::string& what) {
  const auto missing = [&] {
    return fail(ErrorKind::input, fmt::format("{} of '{}' were not kept", what, record.id), path,
                "measure with tally run --profiles");
  };
  if (!record.profile) return missing();
  auto file = profile_file(record.id, *record.profile, path);
  if (!file) return std::unexpected(file.error());
  file->replace_extension(ending);
  if (!std::filesystem::exists(*file)) return missing();
  Result<std::string> text = read_file(*file);
  if (!text) return std::unexpected(text.error());
  return Beside{file->string(), *std::move(text)};
}

/// What `load` finds of the case that "RECORD#CASE" names.
template <typename Load>
auto load_named(const std::string& record_and_case, const Load& load)
    -> decltype(load(std::declval<const CaseRecord&>(), std::string())) {
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
  return load(**chosen, path);
}

}  // namespace

Result<StoredProfile> load_python_profile(const CaseRecord& record, const std::string& path) {
  const auto beside = read_beside(record, path, probes::kPythonFunctions.suffix, "the Python functions");
  if (!beside) return std::unexpected(beside.error());
  return read_profile(beside->text, beside->path);
}

Result<StoredProfile> load_python_profile(const std::string& record_and_case) {
  return load_named(record_and_case, [](const CaseRecord& record, const std::string& path) {
    return load_python_profile(record, path);
  });
}

Result<AllocationSites> load_allocation_sites(const CaseRecord& record, const std::string& path) {
  const auto beside = read_beside(record, path, probes::kAllocationSites.suffix, "the allocations");
  if (!beside) return std::unexpected(beside.error());
  return allocation_sites_from_json(beside->text, beside->path);
}

Result<AllocationSites> load_allocation_sites(const std::string& record_and_case) {
  return load_named(record_and_case, [](const CaseRecord& record, const std::string& path) {
    return load_allocation_sites(record, path);
  });
}

namespace {

/// The file is there, or should be: a native profile is what a record names, one of Python functions need not be.
bool should_be_there(const CaseRecord& record, const std::string& path, ProfileOf what) {
  if (!record.profile) return false;
  auto file = profile_file(record.id, *record.profile, path);
  if (what == ProfileOf::native || !file) return what == ProfileOf::native;
  std::error_code code;
  return std::filesystem::exists(file->replace_extension(probes::kPythonFunctions.suffix), code);
}

}  // namespace

ProfileLoader profile_loader(const Record& base, std::string base_path, std::string next_path, std::ostream* err) {
  return [&base, base_path = std::move(base_path), next_path = std::move(next_path), err,
          reported = std::make_shared<std::set<std::string>>()](const Record& side, const CaseRecord& record,
                                                                ProfileOf what) -> std::optional<StoredProfile> {
    const std::string& path = &side == &base ? base_path : next_path;
    Result<StoredProfile> profile =
        what == ProfileOf::native ? load_profile(record, path) : load_python_profile(record, path);
    if (profile) return std::move(*profile);
    if (err != nullptr && should_be_there(record, path, what) && reported->insert(describe(profile.error())).second)
      *err << fmt::format("tally: {}: its functions are left out: {}\n", record.id, describe(profile.error()));
    return std::nullopt;
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

CompareOptions exact_compare_options() {
  CompareOptions options = compare_options();
  options.threshold = {.usual_floor_cpp = 0, .usual_floor_python = 0, .least_instructions = 0};
  return options;
}

Status write_output(const std::string& path, const std::string& text, std::ostream& out) {
  if (path == "-") {
    out << text;
    return {};
  }
  return write_file(path, text);
}

Status check_outputs(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (path.empty() || path == "-") continue;
    if (Status fine = check_output(path); !fine) return fine;
  }
  return {};
}

bool is_beside_file(const std::string& path) {
  if (path.empty() || path == "-") return false;
  const auto place = find_output_place(path);
  return place && place->is_file();
}

Status write_outputs(NamedTexts files, std::ostream& out) {
  for (const auto& [path, text] : files) {
    if (path.empty()) continue;
    if (Status written = write_output(path, text, out); !written) return written;
  }
  return {};
}

}  // namespace tally
