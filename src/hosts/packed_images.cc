#include "hosts/packed_images.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/files.h"
#include "hosts/image_files.h"

namespace tally {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t kBlock = std::size_t{1} << 20U;
}

Status check_stop(const IsStopped& is_stopped) {
  if (is_stopped && is_stopped()) return fail(ErrorKind::interrupted, "interrupted");
  return {};
}

FileBytes::FileBytes(int fd, fs::path path, const IsStopped& is_stopped, std::uint64_t at)
    : fd_(fd), path_(std::move(path)), is_stopped_(is_stopped), at_(at), block_(kBlock, '\0') {}

Result<std::string_view> FileBytes::next() {
  for (;;) {
    if (auto unstopped = check_stop(is_stopped_); !unstopped) return std::unexpected(unstopped.error());
    const ssize_t n = ::pread(fd_, block_.data(), block_.size(), static_cast<off_t>(at_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno_error("read", path_.string()));
    at_ += static_cast<std::uint64_t>(n);
    return std::string_view(block_).substr(0, static_cast<std::size_t>(n));
  }
}

std::string meaning_of(const std::string& path, FileDigests& digests) {
  std::error_code code;
  if (is_list_of_folder(path)) {
    const ImageFile names = ImageFile::now(path);
    return names.inode == 0 ? ""
                            : fmt::format("names {} {:016x}", names.size, static_cast<std::uint64_t>(names.changed));
  }
  if (fs::is_directory(path, code)) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, code))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    Digest digest;
    for (const std::string& name : names) digest.add(name);
    return "folder " + digest.hex();
  }
  const fs::path file(path);
  if (file.extension() == ".pyc" && file.parent_path().filename() == "__pycache__") {
    const std::string name = file.filename().string();
    const fs::path source = file.parent_path().parent_path() / (name.substr(0, name.find('.')) + ".py");
    if (fs::is_regular_file(source, code)) return "source " + digests.of(source);
  }
  return fs::exists(file, code) ? digests.of(file) : "";
}

bool lies_below(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
}

bool is_list_alone(std::string_view path) { return path == "/etc/ld.so.cache"; }

}  // namespace tally
