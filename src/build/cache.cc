#include "build/cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

#include "base/files.h"
#include "base/text.h"
#include "build/identity.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// A text of lines: a digest of the files' identities, then their paths.
std::string list_text(std::string_view first, const std::vector<std::string>& files) {
  std::string text = std::string(first) + "\n" + identity_of_all(files) + "\n";
  for (const std::string& file : files) text += file + "\n";
  return text;
}

/// The lines, when the files named from the third line on are still what the second one says.
struct FileList {
  std::string first;
  std::string identity;
  std::vector<std::string> files;
};

std::optional<FileList> read_list(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> lines = split(*text, '\n');
  if (lines.size() < 3) return std::nullopt;
  return FileList{std::string(lines[0]), std::string(lines[1]), {lines.begin() + 2, lines.end() - 1}};
}

/// The first line, when the files are still those that were installed then.
std::optional<std::string> unchanged_first_line(const fs::path& path) {
  const auto list = read_list(path);
  if (!list || identity_of_all(list->files) != list->identity) return std::nullopt;
  return list->first;
}

/// Of headers, which are small enough to be read: what they hold stands behind the first line.
std::string header_list_text(std::string_view first, std::string_view content,
                             const std::vector<std::string>& headers) {
  return list_text(fmt::format("{} {}", first, content), headers);
}

/// The first line, when the headers hold what they held. Where others with the same content were installed, that is
/// noted, and they need not be read the next time.
std::optional<std::string> first_line_of_same_headers(const fs::path& path) {
  const auto list = read_list(path);
  if (!list) return std::nullopt;
  const std::size_t blank = list->first.rfind(' ');
  if (blank == std::string::npos) return std::nullopt;
  std::string first = list->first.substr(0, blank);
  if (identity_of_all(list->files) == list->identity) return first;
  // Noted before they are read: one that changes in between is found changed the next time.
  const std::string now = list_text(list->first, list->files);
  if (content_of_all(list->files) != list->first.substr(blank + 1)) return std::nullopt;
  std::ignore = write_file(path, now);
  return first;
}

}  // namespace

Result<fs::path> Cache::scratch() const {
  for (const char* folder : {"scratch", "snippet", "artifact", "prelude"}) {
    if (Status made = make_folder(root_ / folder); !made) return std::unexpected(with_cache_hint(made.error()));
  }
  std::string name = (root_ / "scratch" / "XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return std::unexpected(with_cache_hint(errno_error("create a folder in the cache", root_.string())));
  return fs::path(name);
}

std::optional<std::string> Cache::current_prelude(std::string_view key) const {
  return first_line_of_same_headers(prelude_folder(key) / "current");
}

Status Cache::set_current_prelude(std::string_view key, std::string_view id,
                                  const std::vector<std::string>& headers) const {
  return write_file(prelude_folder(key) / "current", header_list_text(id, content_of_all(headers), headers));
}

std::optional<std::string> Cache::discovered(std::string_view key) const {
  return unchanged_first_line(root_ / "discovery" / key);
}

Status Cache::set_discovered(std::string_view key, std::string_view answer,
                             const std::vector<std::string>& files) const {
  return write_file(root_ / "discovery" / key, list_text(answer, files));
}

bool Cache::has_snippet(std::string_view key) const {
  std::error_code code;
  if (!fs::exists(snippet(key), code)) return false;
  const fs::path headers = fs::path(snippet(key)).replace_extension(".deps");
  return !fs::exists(headers, code) || first_line_of_same_headers(headers).has_value();
}

Status Cache::set_snippet_headers(std::string_view key, const std::vector<std::string>& headers) const {
  return write_file(fs::path(snippet(key)).replace_extension(".deps"),
                    header_list_text("headers", content_of_all(headers), headers));
}

Status Cache::set_snippet_places(std::string_view key, std::string_view places) const {
  return write_file(fs::path(snippet(key)).replace_extension(".places"), places);
}

std::string snippet_places(const fs::path& library) {
  return read_file(fs::path(library).replace_extension(".places")).value_or("");
}

Error with_cache_hint(Error error) {
  if (error.kind == ErrorKind::io && error.hint.empty())
    error.hint = "set XDG_CACHE_HOME to a folder that can be written and has room";
  return error;
}

Result<fs::path> default_cache_root(std::string_view xdg_cache_home, std::string_view home) {
  // The number is the layout's version: a newer tally leaves an older one's files alone.
  if (xdg_cache_home.starts_with('/')) return fs::path(xdg_cache_home) / "tallymark" / "1";
  if (home.empty()) {
    return fail(ErrorKind::missing, "no place for the build cache: neither XDG_CACHE_HOME nor HOME is set", {},
                "set XDG_CACHE_HOME to an absolute folder");
  }
  return fs::path(home) / ".cache" / "tallymark" / "1";
}

}  // namespace tally
