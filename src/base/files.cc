#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSmall = 4096;

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open", path.string()));
  struct stat info{};
  // A byte more than there is, to see the end; the kernel's own files have no size.
  std::size_t room =
      ::fstat(fd.get(), &info) == 0 && info.st_size > 0 ? static_cast<std::size_t>(info.st_size) + 1 : kSmall;
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    ssize_t n = 0;
    text.resize_and_overwrite(before + room, [&](char* data, std::size_t) {
      n = ::read(fd.get(), data + before, room);
      return before + static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    });
    if (n < 0 && errno != EINTR) return std::unexpected(errno_error("read", path.string()));
    if (n == 0) return text;
    room -= text.size() - before;
    if (room == 0) room = std::max(kSmall, text.size());
  }
}

Status read_pieces(const fs::path& path, const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kPiece = 256UZ << 10U;  // Of a second-level cache's size or less; larger ones are not quicker.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open", path.string()));
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t n = ::read(fd.get(), piece.data(), piece.size());
    if (n < 0 && errno != EINTR) return std::unexpected(errno_error("read", path.string()));
    if (n == 0) return {};
    if (n > 0) take({piece.data(), static_cast<std::size_t>(n)});
  }
}

namespace {

Status write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno_error("write", path));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

Result<NewFile> NewFile::create(const fs::path& path) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  std::string temporary = path.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("create", path.string()));
  return NewFile(std::move(fd), path.string(), std::move(temporary));
}

NewFile::~NewFile() {
  if (fd_.valid()) ::unlink(temporary_.c_str());
}

Status NewFile::append(std::string_view text) {
  constexpr std::size_t kGathered = std::size_t{256} * 1024;
  gathered_ += text;
  return gathered_.size() < kGathered ? Status{} : flush();
}

Status NewFile::flush() {
  if (auto written = write_all(fd_.get(), gathered_, path_); !written) return written;
  gathered_.clear();
  return {};
}

Status NewFile::sync() {
  if (auto written = flush(); !written) return written;
  return ::fdatasync(fd_.get()) == 0 ? Status{} : std::unexpected(errno_error("write", path_));
}

Status NewFile::publish() {
  if (auto written = flush(); !written) return written;
  if (::fchmod(fd_.get(), 0644) != 0) return std::unexpected(errno_error("set the mode of", path_));
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return std::unexpected(errno_error("rename", path_));
  fd_.reset();
  return {};
}

Status write_file(const fs::path& path, std::string_view text) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (Status written = file->append(text); !written) return written;
  return file->publish();
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code code;
  const fs::path parent = fs::temp_directory_path(code);
  return make_in(code ? fs::path("/tmp") : parent);
}

Result<TemporaryFolder> TemporaryFolder::make_in(const fs::path& parent) {
  std::string name = (parent / "tally-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected(errno_error("create a temporary folder", name));
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), keep_(other.keep_) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty() && !keep_) fs::remove_all(path_, ignored);
}

}  // namespace tally
