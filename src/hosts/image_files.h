/// The files that an image names (protocol/host_image.h): what its process had mapped, had read, or had not found.
///
/// The loader compares a file's inode, size and change. On another machine those of the same file are others, so that a
/// carried image gets new ones once its files' bytes were compared.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

struct ImageFile {
  std::string path;
  std::uint64_t inode = 0;  ///< 0: there is to be none.
  std::uint64_t size = 0;
  std::int64_t changed = 0;  ///< Seconds and nanoseconds.
  std::int64_t changed_ns = 0;

  /// What stands there now; links are followed.
  static ImageFile now(const std::string& path);
  bool operator==(const ImageFile&) const = default;
};

/// Its entry is of the folder's names, and of nothing else.
bool is_list_of_folder(std::string_view path);

/// In the image's order. An error (input): the image is damaged.
Result<std::vector<ImageFile>> files_of_image(int image, const std::filesystem::path& path);

/// The paths of those that it has mapped. An error (input): the image is damaged.
Result<std::vector<std::string>> mapped_files_of_image(int image, const std::filesystem::path& path);

/// Makes these, by path, all files that it names: what it has mapped or open under a path is taken from the file that
/// stands there. An error (input): it is damaged, or has mapped one that is none of these.
Status replace_files_of_image(int image, const std::filesystem::path& path,
                              const std::map<std::string, ImageFile>& files);

/// In the same order, and of the same files.
Status set_files_of_image(int image, const std::filesystem::path& path, const std::vector<ImageFile>& files);

}  // namespace tally
