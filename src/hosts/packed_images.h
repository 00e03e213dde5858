/// What exporting and importing images have in common: how a file begins, the list of the files that an image names,
/// and how bytes are read. The format is in carried_images.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "build/file_digests.h"
#include "json/value.h"

namespace tally {

inline constexpr std::string_view kImagesMagic = "tally images 1\n";
inline constexpr std::string_view kImagesWithLibrariesMagic = "tally images 2\n";

/// An image that was to be exported or imported.
struct CarriedImage {
  std::string host;
  std::uint64_t bytes = 0;  ///< As it is carried.
  std::string why_not;      ///< It was left out; empty: it was not.
};

/// Says whether the user wants it to end: it does, with an error (interrupted).
using IsStopped = std::function<bool()>;
Status check_stop(const IsStopped& is_stopped);

/// A file from a place on. The descriptor is the caller's.
class FileBytes {
 public:
  FileBytes(int fd, std::filesystem::path path, const IsStopped& is_stopped = {}, std::uint64_t at = 0);
  /// The next piece, good until the next call; empty at the end.
  Result<std::string_view> next();

 private:
  int fd_;
  std::filesystem::path path_;
  IsStopped is_stopped_;
  std::uint64_t at_;
  std::string block_;
};

/// What the bytes of a file were, as far as they matter to a host; empty: there is no file.
///
/// Of a folder its list of names. Of Python's compiled files their sources, whether they are there or not: when a
/// source was written stands in them, and who runs first compiles it.
std::string meaning_of(const std::string& path, FileDigests& digests);

bool lies_below(std::string_view path, std::string_view folder);

/// The loader of programs looks names up in it; the libraries that it led to are compared themselves.
bool is_list_alone(std::string_view path);

}  // namespace tally
