#include "cli/profile_lines.h"

#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "cli/record_files.h"
#include "cli/refuse.h"
#include "report/line_table.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// A profile, and the folder that it lies in.
struct FoundProfile {
  StoredProfile stored;
  fs::path folder;
};

Result<FoundProfile> find_profile(const std::string& file_or_case) {
  const std::size_t hash = file_or_case.find('#');
  if (hash == std::string::npos || fs::exists(file_or_case)) {
    auto stored = load_profile(file_or_case);
    if (!stored) return std::unexpected(stored.error());
    return FoundProfile{.stored = *std::move(stored), .folder = fs::path(file_or_case).parent_path()};
  }
  const std::string path = file_or_case.substr(0, hash);
  const auto record = load_record(path);
  if (!record) return std::unexpected(record.error());
  const auto chosen = choose_case(*record, file_or_case.substr(hash + 1), path);
  if (!chosen) return std::unexpected(chosen.error());
  if ((*chosen)->language == "python") {
    return fail(ErrorKind::input, "a case in Python has no source lines", file_or_case,
                "see its Python functions with --python");
  }
  auto stored = load_profile(**chosen, path);
  if (!stored) return std::unexpected(stored.error());
  return FoundProfile{.stored = *std::move(stored),
                      .folder = (fs::path(path).parent_path() / *(*chosen)->profile).parent_path()};
}

Result<LinesReport> load_lines(const std::string& file_or_case) {
  auto found = find_profile(file_or_case);
  if (!found) return std::unexpected(found.error());
  if (!found->stored.lines) {
    return fail(ErrorKind::input, "no source lines were kept with this profile", file_or_case,
                "measure a case in C++ with tally run --profiles, without --no-lines");
  }
  LinesReport report{.costs = *std::move(found->stored.lines), .texts = {}};
  for (const auto& [file, digest] : report.costs.sources) {
    // A digest comes from a file: it is to name nothing else.
    if (digest.contains('/')) continue;
    if (auto text = read_file(found->folder / sources_folder / digest)) report.texts[file] = *std::move(text);
  }
  return report;
}

}  // namespace

int show_lines(const ProfileCommandOptions& options, std::ostream& out, std::ostream& err) {
  if (!options.base.empty() || options.inclusive || !options.export_as.empty() || options.by != "function") {
    return refuse("profile",
                  {ErrorKind::input, "--lines shows own instructions of one profile", "",
                   "leave --base, --inclusive, --by and --export out"},
                  err);
  }
  const auto report = load_lines(options.file);
  if (!report) return refuse("profile", report.error(), err);
  out << (options.json ? lines_json(*report, options.top)
                       : render_lines(*report, {.options = options.render, .top = options.top}));
  return 0;
}

}  // namespace tally::cli
