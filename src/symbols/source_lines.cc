#include "symbols/source_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"
#include "base/digest.h"
#include "base/files.h"
#include "build/cache.h"
#include "build/source.h"
#include "profile/instruction_costs.h"
#include "profile/subtract.h"

namespace tally {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestSource = std::uintmax_t{4} << 20U;

bool is_system_path(std::string_view path) {
  // The last two are where the sources of Rust's own library were when it was compiled.
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"/usr/", "/lib/", "/lib64/", "/opt/", "/nix/", "/snap/", "/rustc/", "/rust/deps/"});
  // Images of containers have their projects in /usr/src, and distributions only what they compile or debug.
  if (path.starts_with("/usr/src/") && !path.starts_with("/usr/src/debug/")) return false;
  return std::ranges::any_of(kFolders, [&](std::string_view folder) { return path.starts_with(folder); });
}

/// Whether what systems and packages install lies in the folder, too: then it is nobody's own.
bool holds_installed(const std::string& folder) {
  constexpr auto kInstalled =
      std::to_array<std::string_view>({"/usr/include/", "/usr/lib/", "/usr/share/", "/usr/local/include/",
                                       "/usr/local/lib/", "/lib/", "/lib64/", "/opt/", "/nix/store/", "/snap/"});
  return std::ranges::any_of(kInstalled, [&](std::string_view one) { return one.starts_with(folder); });
}

/// What runs the statement, of ours: headers of ours, where they are and where an installation has links to them; and
/// those of Google Benchmark's loop.
bool is_harness(std::string_view file) {
  constexpr auto kEnds = std::to_array<std::string_view>(
      {"<tally>", "tally/snippet.h", "tallymark/bench.h", "tallymark/bench_c.h", "tallymark/loop.h",
       "tallymark/reached.h", "tallymark/catch2.h", "tallymark/nanobench.h", "include/benchmark/benchmark.h",
       "include/benchmark/state.h"});
  constexpr auto kFolders =
      std::to_array<std::string_view>({"include/tallymark/google/benchmark/", "include/tallymark/catch2/",
                                       "include/tallymark/nanobench/", "drop-in/include/benchmark/"});
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return file.ends_with(end); }) ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) { return file.contains(folder); });
}

/// The text of the one part that has this name and stands in no file; nothing where there are more.
std::optional<std::string> text_of_part(const Case& measured, const std::string& name) {
  const Code* const code = name == "<stmt>"           ? &measured.stmt
                           : name == "<setup>"        ? &measured.setup
                           : name == "<global_setup>" ? &measured.global_setup
                                                      : nullptr;
  std::optional<std::string> text;
  if (code == nullptr) return text;
  for (const Snippet& part : code->parts) {
    if (part.at.line > 0) continue;
    if (text) return std::nullopt;
    text = part.text;
  }
  return text;
}

std::optional<std::string> text_of_file(const fs::path& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code) || fs::file_size(path, code) > kLongestSource || code) return std::nullopt;
  auto text = read_file(path);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

}  // namespace

std::string work_tree_of(fs::path folder) {
  std::error_code code;
  while (folder.has_relative_path()) {
    if (fs::exists(folder / ".git", code)) return folder.string();
    folder = folder.parent_path();
  }
  return {};
}

UsersFiles::UsersFiles(const std::string& working_folder, std::vector<std::string> subjects)
    : subjects_(std::move(subjects)) {
  std::vector<std::string> folders = {working_folder, work_tree_of(working_folder)};
  for (const std::string& subject : subjects_) folders.push_back(work_tree_of(fs::path(subject).parent_path()));
  for (std::string& folder : folders) {
    if (!folder.starts_with('/')) continue;
    if (!folder.ends_with('/')) folder += '/';
    if (!holds_installed(folder)) folders_.push_back(std::move(folder));
  }
}

bool UsersFiles::is_systems(std::string_view path) const {
  return is_system_path(path) &&
         std::ranges::none_of(folders_, [&](const std::string& folder) { return path.starts_with(folder); });
}

bool UsersFiles::has_source(std::string_view file) const {
  constexpr auto kInstalled =
      std::to_array<std::string_view>({"/site-packages/", "/dist-packages/", "/conda/pkgs/", "/.cargo/registry/",
                                       "/.cargo/git/", "/.rustup/", "/go/pkg/mod/"});
  if (file.empty() || is_systems(file) || is_harness(file)) return false;
  return std::ranges::none_of(kInstalled, [&](std::string_view folder) { return file.contains(folder); });
}

bool UsersFiles::has_object(const std::string& path) const { return contains(subjects_, path) || !is_systems(path); }

SourceLines::Object& SourceLines::object_at(const std::string& path) {
  const auto [at, fresh] = objects_.try_emplace(path);
  if (fresh && users_.has_object(path)) {
    at->second.debug.emplace(path);
    at->second.places = snippet_places(path);
    // Headers of a snippet may have been touched since it was compiled: the build's cache has seen that they are the
    // same.
    std::error_code code;
    at->second.written = at->second.places.empty() ? fs::last_write_time(path, code) : began_;
    if (code) at->second.written = began_;
  }
  return at->second;
}

void SourceLines::note_compiled(const std::string& file, const Object& object) {
  const auto [at, fresh] = compiled_.try_emplace(file, object.written);
  if (!fresh) at->second = std::min(at->second, object.written);
}

Result<LineCosts> SourceLines::of(const Case& measured, std::string_view profile, std::string_view lead) {
  auto costs = parse_instruction_costs(profile);
  if (!costs) return std::unexpected(costs.error());
  if (!lead.empty()) {
    const auto off = parse_instruction_costs(lead);
    if (!off) return std::unexpected(off.error());
    subtract(*costs, *off);
  }
  return attributed(*costs, [&](const std::string& path, std::uint64_t address) -> std::optional<CodeLine> {
    Object& object = object_at(path);
    if (!object.debug) return std::nullopt;
    const auto [known, fresh] = object.known.try_emplace(address);
    if (fresh) known->second = object.debug->lines_at(address);
    for (const SourceLine& line : known->second) {
      if (!object.places.empty()) {
        if (const auto place = place_in(measured, object.places, line.file, line.line)) {
          note_compiled(place->file, object);
          return CodeLine{{.file = place->file, .line = static_cast<std::uint64_t>(place->line)}, true};
        }
      }
      // What a compiler has written itself belongs to what it was written for.
      if (line.line > 0 && users_.has_source(line.file) && !line.file.ends_with('>')) {
        note_compiled(line.file, object);
        return CodeLine{line, true};
      }
    }
    if (known->second.empty()) return std::nullopt;
    const SourceLine& own = known->second.front();
    if (is_harness(own.file) || (own.line == 0 && users_.has_source(own.file))) return std::nullopt;
    return CodeLine{own, false};
  });
}

bool SourceLines::is_older_than_its_code(const std::string& file, const fs::path& path, std::string_view text,
                                         const LineCosts& costs) const {
  std::error_code code;
  const auto compiled = compiled_.find(file);
  const auto written = fs::last_write_time(path, code);
  if (compiled != compiled_.end() && !code && written > compiled->second) return false;
  // The last line of the file that has code.
  const auto after = costs.lines.upper_bound({.file = file, .line = static_cast<std::uint64_t>(-1)});
  return std::prev(after)->first.line <= static_cast<std::uint64_t>(std::ranges::count(text, '\n')) + 1;
}

Status SourceLines::keep(LineCosts& costs, const Case& measured, const std::string& working_folder,
                         const fs::path& folder) const {
  for (const auto& [line, cost] : costs.lines) {
    if (!users_.has_source(line.file) || costs.sources.contains(line.file) || costs.newer.contains(line.file)) continue;
    auto text = text_of_part(measured, line.file);
    if (!text) {
      const fs::path path = fs::path(working_folder) / line.file;
      text = text_of_file(path);
      if (text && !is_older_than_its_code(line.file, path, *text, costs)) {
        costs.newer.insert(line.file);
        continue;
      }
    }
    if (!text) continue;
    const std::string name = digest(*text);
    std::error_code code;
    if (!fs::exists(folder / name, code)) {
      if (Status written = write_file(folder / name, *text); !written) return written;
    }
    costs.sources[line.file] = name;
  }
  return {};
}

}  // namespace tally
