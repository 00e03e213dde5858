#include "build/cache.h"

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "build/identity.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// A text of lines: a digest of the files' identities, then their paths.
std::string list_text(std::string_view first, const std::vector<std::string>& headers) {
  std::string text = std::string(first) + "\n" + identity_of_all(headers) + "\n";
  for (const std::string& header : headers) text += header + "\n";
  return text;
}

/// The first line, when the files named from the third line on are still what the second one says.
std::optional<std::string> unchanged_first_line(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  std::vector<std::string_view> lines = split(*text, '\n');
  if (lines.size() < 3) return std::nullopt;
  std::vector<std::string> headers(lines.begin() + 2, lines.end() - 1);
  if (identity_of_all(std::move(headers)) != lines[1]) return std::nullopt;
  return std::string(lines[0]);
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
  return unchanged_first_line(prelude_folder(key) / "current");
}

Status Cache::set_current_prelude(std::string_view key, std::string_view id,
                                  const std::vector<std::string>& headers) const {
  return write_file(prelude_folder(key) / "current", list_text(id, headers));
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
  return !fs::exists(headers, code) || unchanged_first_line(headers).has_value();
}

Status Cache::set_snippet_headers(std::string_view key, const std::vector<std::string>& headers) const {
  return write_file(fs::path(snippet(key)).replace_extension(".deps"), list_text("headers", headers));
}

Status Cache::set_snippet_places(std::string_view key, std::string_view places) const {
  return write_file(fs::path(snippet(key)).replace_extension(".places"), places);
}

std::string snippet_places(const fs::path& library) {
  return read_file(fs::path(library).replace_extension(".places")).value_or("");
}

Error with_cache_hint(Error error) {
  if (error.kind == ErrorKind::io && error.mend.empty())
    error.mend = "set XDG_CACHE_HOME to a folder that can be written and has room";
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
