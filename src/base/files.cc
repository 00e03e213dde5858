#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/unique_fd.h"

namespace tally {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open", path.string()));
  std::string text;
  struct stat info{};
  if (::fstat(fd.get(), &info) == 0 && info.st_size > 0) text.reserve(static_cast<std::size_t>(info.st_size) + 1);
  for (;;) {
    constexpr std::size_t kBlock = std::size_t{256} << 10;
    const std::size_t size = text.size();
    text.resize(size + kBlock);
    const ssize_t n = ::read(fd.get(), text.data() + size, kBlock);
    if (n < 0 && errno != EINTR) return std::unexpected(errno_error("read", path.string()));
    text.resize(size + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n == 0) return text;
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

Status write_file(const fs::path& path, std::string_view text) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  std::string temporary = path.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("create", path.string()));
  Status written = write_all(fd.get(), text, path.string());
  if (written && ::fchmod(fd.get(), 0644) != 0)
    written = std::unexpected(errno_error("set the mode of", path.string()));
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = std::unexpected(errno_error("rename", path.string()));
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code code;
  const fs::path parent = fs::temp_directory_path(code);
  std::string name = ((code ? fs::path("/tmp") : parent) / "tally-XXXXXX").string();
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
