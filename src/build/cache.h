/// The cache of built files. Each is named by the content that it was made from.
///
///   $XDG_CACHE_HOME/tallymark/1/
///     prelude/KEY/prelude.h, prelude.ID.pch (.h.gch for g++), current: "ID", and the headers it was made from
///     snippet/KEY.so         a shared object with the function tally_KEY (and perhaps its batch's neighbours)
///     snippet/KEY.deps       headers that file-scope code brought in, with their identity and their content
///     snippet/KEY.places     where in its suite the text stood that KEY.so was compiled from (source.h)
///     artifact/KEY/model_DIGEST.pt
///     digests/               digests of files by content: file_digests.h
///     symbols/FOLDER/NAME    symbols of stripped libraries: function_symbols.h
///     images/                hosts as files: hosts/host_images.h
///     discovery/KEY          what an interpreter has reported, and the files that it read for it
///
/// Everything is published by renaming, so that two tally processes may share a cache, and a killed one leaves no half
/// object.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

class Cache {
 public:
  explicit Cache(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] std::filesystem::path prelude_folder(std::string_view key) const { return root_ / "prelude" / key; }
  [[nodiscard]] std::filesystem::path snippet(std::string_view key) const {
    return root_ / "snippet" / (std::string(key) + ".so");
  }
  [[nodiscard]] std::filesystem::path artifact_folder(std::string_view key) const { return root_ / "artifact" / key; }
  /// Of compiled Python sources, laid out as PYTHONPYCACHEPREFIX has it.
  [[nodiscard]] std::filesystem::path compiled_folder(std::string_view key) const { return root_ / "compiled" / key; }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  /// A new folder inside the cache, so that publishing is a rename within one filesystem.
  [[nodiscard]] Result<std::filesystem::path> scratch() const;

  /// The id of the precompiled prelude for `key`, when there is one and its headers hold what they held, however often
  /// the same ones were installed.
  [[nodiscard]] std::optional<std::string> current_prelude(std::string_view key) const;
  /// Declares `id` current, made from `headers`.
  [[nodiscard]] Status set_current_prelude(std::string_view key, std::string_view id,
                                           const std::vector<std::string>& headers) const;

  /// What was reported for `key`, one line, when none of the files has changed that it came from.
  [[nodiscard]] std::optional<std::string> discovered(std::string_view key) const;
  [[nodiscard]] Status set_discovered(std::string_view key, std::string_view answer,
                                      const std::vector<std::string>& files) const;

  /// True when the snippet is there and the headers that it read itself, if any were recorded, are unchanged.
  [[nodiscard]] bool has_snippet(std::string_view key) const;
  [[nodiscard]] Status set_snippet_headers(std::string_view key, const std::vector<std::string>& headers) const;
  [[nodiscard]] Status set_snippet_places(std::string_view key, std::string_view places) const;

 private:
  std::filesystem::path root_;
};

/// What set_snippet_places() noted of a snippet's library; empty where it is none.
std::string snippet_places(const std::filesystem::path& library);

/// For FileDigests.
inline std::filesystem::path digests_folder(const std::filesystem::path& root) { return root / "digests"; }
/// For HostImages.
inline std::filesystem::path host_images_folder(const std::filesystem::path& root) { return root / "images"; }
/// For make_function_symbols().
inline std::filesystem::path function_symbols_folder(const std::filesystem::path& root) { return root / "symbols"; }

/// What to do about a cache that cannot be written, added to an error (io) that says nothing of that.
Error with_cache_hint(Error error);

/// $XDG_CACHE_HOME/tallymark/1, or ~/.cache/tallymark/1.
Result<std::filesystem::path> default_cache_root(std::string_view xdg_cache_home, std::string_view home);

}  // namespace tally
