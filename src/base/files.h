/// Whole files, read and published. Every error names the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/output_place.h"
#include "base/unique_fd.h"

namespace tally {

Result<std::string> read_file(const std::filesystem::path& path);

/// Gives a file's bytes to `take` piece by piece: memory for one is needed, whatever the length of the file.
Status read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

/// To a descriptor; waits where it takes nothing now, as a pipe that is full. `path` is for the error.
Status write_all(int fd, std::string_view text, const std::string& path);

/// Writes a text to `path`, as output_place.h says: a file is replaced by one that was written beside it, and keeps its
/// permissions and its owner; devices, pipes and descriptors are written into. Makes the folders above. A full disk
/// leaves the old file as it was.
Status write_file(const std::filesystem::path& path, std::string_view text);

/// The same for a text that comes in pieces. Without publish() nothing is left of it, but of what is not a file: there
/// pieces go as they come. So they do into a file that cannot be replaced (one that is mounted by itself, another
/// user's, one in a folder that must not be written).
class NewFile {
 public:
  static Result<NewFile> create(const std::filesystem::path& path);
  NewFile(NewFile&& other) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  /// Small texts are gathered: a later call may report an error.
  Status append(std::string_view text);
  /// Waits until it is on the disk.
  Status sync();
  /// Gives it its name.
  Status publish();

 private:
  NewFile(UniqueFd fd, OutputPlace place, std::string temporary)
      : fd_(std::move(fd)), place_(std::move(place)), temporary_(std::move(temporary)) {}

  Status flush();
  Status copy_into_place();

  UniqueFd fd_;
  OutputPlace place_;
  std::string temporary_;  ///< Empty where it is written into what is there.
  std::string gathered_;
  bool emptied_ = false;  ///< A file's old text is gone, where there is no temporary one.
};

/// A new, empty folder under the system's temporary folder, removed with all it holds when this object goes. The name's
/// length is constant for one temporary folder.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  static Result<TemporaryFolder> make_in(const std::filesystem::path& parent);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Leaves the folder where it is.
  void keep() { keep_ = true; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  bool keep_ = false;
};

}  // namespace tally
