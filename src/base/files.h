/// Whole files, read and published. Every error names the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/unique_fd.h"

namespace tally {

Result<std::string> read_file(const std::filesystem::path& path);

/// Gives a file's bytes to `take` piece by piece: memory for one is needed, whatever the length of the file.
Status read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

/// Writes a new file beside `path` and renames it, so that a reader sees the old text or the new one and never a half.
/// Makes the folders above. A full disk leaves the old file as it was.
Status write_file(const std::filesystem::path& path, std::string_view text);

/// The same for a text that comes in pieces. Without publish() nothing is left of it.
class NewFile {
 public:
  static Result<NewFile> create(const std::filesystem::path& path);
  NewFile(NewFile&& other) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  /// Small texts are gathered: an error may be told by what follows.
  Status append(std::string_view text);
  /// Waits until it is on the disk.
  Status sync();
  /// Gives it its name.
  Status publish();

 private:
  NewFile(UniqueFd fd, std::string path, std::string temporary)
      : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}

  Status flush();

  UniqueFd fd_;
  std::string path_;
  std::string temporary_;
  std::string gathered_;
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
