#include "records/kept_lines.h"

#include <filesystem>

#include "base/files.h"
#include "records/record_files.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

Result<KeptLines> lines_in(Result<StoredProfile> stored, const fs::path& folder, const std::string& where) {
  if (!stored) return std::unexpected(stored.error());
  if (!stored->lines) {
    return fail(ErrorKind::input, "no source lines were kept with this profile", where,
                "measure a case in C++, or a command with debug information, with --profiles and without --no-lines");
  }
  KeptLines kept{.costs = *std::move(stored->lines), .iterations = stored->iterations, .texts = {}};
  for (const auto& [file, digest] : kept.costs.sources) {
    // A digest comes from a file: it is to name nothing else.
    if (digest.contains('/')) continue;
    if (auto text = read_file(folder / kSourcesFolder / digest)) kept.texts[file] = *std::move(text);
  }
  return kept;
}

}  // namespace

Result<KeptLines> load_lines(const CaseRecord& record, const std::string& path) {
  const std::string where = path + "#" + record.id;
  if (record.language == "python") {
    return fail(ErrorKind::input, "a case in Python has no source lines", where,
                "see its Python functions with --python");
  }
  const fs::path folder = record.profile ? (fs::path(path).parent_path() / *record.profile).parent_path() : fs::path();
  return lines_in(load_profile(record, path), folder, where);
}

Result<KeptLines> load_lines(const std::string& file_or_case) {
  const std::size_t hash = file_or_case.find('#');
  if (hash == std::string::npos || fs::exists(file_or_case))
    return lines_in(load_profile(file_or_case), fs::path(file_or_case).parent_path(), file_or_case);
  const std::string path = file_or_case.substr(0, hash);
  const auto record = load_record(path);
  if (!record) return std::unexpected(record.error());
  const auto chosen = choose_case(*record, file_or_case.substr(hash + 1), path);
  if (!chosen) return std::unexpected(chosen.error());
  return load_lines(**chosen, path);
}

Evidence evidence_beside(const Record& base, const std::string& base_path, const std::string& next_path,
                         std::ostream* err) {
  const auto found = [&base, base_path, next_path](const auto& load) {
    return [&base, base_path, next_path, load](const Record& side, const CaseRecord& one) {
      auto kept = load(one, &side == &base ? base_path : next_path);
      return kept ? std::optional(*std::move(kept)) : std::nullopt;
    };
  };
  const auto lines = [](const CaseRecord& one, const std::string& path) { return load_lines(one, path); };
  const auto sites = [](const CaseRecord& one, const std::string& path) { return load_allocation_sites(one, path); };
  return {
      .profiles = profile_loader(base, base_path, next_path, err), .lines = found(lines), .allocations = found(sites)};
}

}  // namespace tally
