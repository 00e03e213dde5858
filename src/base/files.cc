#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
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

Status write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (n < 0) return std::unexpected(errno_error("write", path));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

namespace {

/// A new file beside `path`, that has yet to be named so. Its permissions are the umask's, as of any new file. None:
/// errno says why.
UniqueFd open_beside(const fs::path& path, mode_t mode, std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::array<unsigned char, 6> random{};
    if (::getentropy(random.data(), random.size()) != 0) break;
    name = path.string() + ".";
    for (const unsigned char byte : random) name += letters[byte % letters.size()];
    UniqueFd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd) return fd;
    if (errno != EEXIST) break;
  }
  return {};
}

/// The file keeps its owner, its group and its permissions.
bool takes_after(int fd, const OutputPlace& place) {
  struct stat now{};
  if (::fstat(fd, &now) != 0) return false;
  if ((now.st_uid != place.owner || now.st_gid != place.group) && ::fchown(fd, place.owner, place.group) != 0)
    return false;
  return ::fchmod(fd, place.mode) == 0;
}

Result<UniqueFd> open_for_writing(const OutputPlace& place) {
  if (place.kind == OutputPlace::Kind::descriptor) {
    // What was printed before comes before it.
    if (place.descriptor == STDOUT_FILENO) std::fflush(stdout);
    UniqueFd fd(::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0));
    if (fd) return fd;
  } else {
    const int cut = place.kind == OutputPlace::Kind::stream ? O_TRUNC : 0;
    UniqueFd fd(::open(place.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | cut));
    if (fd) return fd;
  }
  return std::unexpected(errno_error("open", place.path.string()));
}

}  // namespace

Result<NewFile> NewFile::create(const fs::path& path) {
  auto place = find_output_place(path);
  if (!place) return std::unexpected(place.error());
  if (place->is_file()) {
    const bool is_new = place->kind == OutputPlace::Kind::nothing;
    if (is_new && place->path.has_parent_path()) {
      if (Status made = make_folder(place->path.parent_path()); !made) return std::unexpected(made.error());
    }
    std::string temporary;
    UniqueFd fd = open_beside(place->path, is_new ? 0666 : 0600, temporary);
    // A full disk has no room for the new text in the old one's place, either, and the old one would be lost.
    if (!fd && (is_new || errno == ENOSPC || errno == EDQUOT))
      return std::unexpected(errno_error("create", place->path.string()));
    if (fd && (is_new || takes_after(fd.get(), *place)))
      return NewFile(std::move(fd), *std::move(place), std::move(temporary));
    if (fd) ::unlink(temporary.c_str());
  }
  auto fd = open_for_writing(*place);
  if (!fd) return std::unexpected(fd.error());
  return NewFile(*std::move(fd), *std::move(place), {});
}

NewFile::~NewFile() {
  if (fd_.valid() && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Status NewFile::append(std::string_view text) {
  constexpr std::size_t kGathered = std::size_t{256} * 1024;
  gathered_ += text;
  return gathered_.size() < kGathered ? Status{} : flush();
}

Status NewFile::flush() {
  if (temporary_.empty() && place_.kind == OutputPlace::Kind::file && !std::exchange(emptied_, true) &&
      ::ftruncate(fd_.get(), 0) != 0)
    return std::unexpected(errno_error("write", place_.path.string()));
  if (auto written = write_all(fd_.get(), gathered_, place_.path.string()); !written) return written;
  gathered_.clear();
  return {};
}

Status NewFile::sync() {
  if (auto written = flush(); !written) return written;
  // A pipe has no disk (EINVAL), nor has a device that can be written.
  if (::fdatasync(fd_.get()) == 0 || !place_.is_file()) return {};
  return std::unexpected(errno_error("write", place_.path.string()));
}

Status NewFile::publish() {
  if (auto written = flush(); !written) return written;
  if (!temporary_.empty() && ::rename(temporary_.c_str(), place_.path.c_str()) != 0) {
    // A file that is mounted by itself, as containers have them, keeps its name; its text can be another.
    if (errno != EBUSY) return std::unexpected(errno_error("rename", place_.path.string()));
    if (Status copied = copy_into_place(); !copied) return copied;
  }
  fd_.reset();
  return {};
}

Status NewFile::copy_into_place() {
  const auto text = read_file(temporary_);
  if (!text) return std::unexpected(text.error());
  const auto file = open_for_writing(place_);
  if (!file) return std::unexpected(file.error());
  if (::ftruncate(file->get(), 0) != 0) return std::unexpected(errno_error("write", place_.path.string()));
  if (Status written = write_all(file->get(), *text, place_.path.string()); !written) return written;
  ::unlink(temporary_.c_str());
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
  if (::mkdtemp(name.data()) == nullptr) {
    Error error = errno_error("create a temporary folder", parent.string());
    error.hint = "set TMPDIR to a folder that can be written";
    return std::unexpected(std::move(error));
  }
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), keep_(other.keep_) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty() && !keep_) fs::remove_all(path_, ignored);
}

}  // namespace tally
