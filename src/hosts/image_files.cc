#include "hosts/image_files.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "protocol/host_image.h"

namespace tally {

namespace fs = std::filesystem;
namespace image = protocol::image;

namespace {

constexpr std::uint64_t kMostTables = std::uint64_t{64} << 20U;

Error damaged(const fs::path& path) {
  return {ErrorKind::input, "it is not an image of a host, or is damaged", path.string(), {}};
}

Status read_at(int fd, void* to, std::uint64_t size, std::uint64_t at, const fs::path& path) {
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t n = ::pread(fd, static_cast<char*>(to) + done, size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno_error("read", path.string()));
    if (n == 0) return std::unexpected(damaged(path));
    done += static_cast<std::uint64_t>(n);
  }
  return {};
}

template <typename T>
bool lies_in(const image::Table& table, const image::Head& head) {
  return table.at <= head.table_size && table.size <= (head.table_size - table.at) / sizeof(T);
}

struct FileTable {
  std::uint64_t at = 0;  ///< In the image.
  std::vector<image::File> entries;
  std::string strings;
};

Result<FileTable> read_table(int fd, const fs::path& path) {
  image::Head head{};
  if (auto read = read_at(fd, &head, sizeof head, 0, path); !read) return std::unexpected(read.error());
  struct stat info{};
  // Held to the file before there is memory for them.
  const bool is_within = ::fstat(fd, &info) == 0 && head.table_size <= static_cast<std::uint64_t>(info.st_size);
  if (head.magic != image::kMagic || !is_within || head.table_size > kMostTables ||
      !lies_in<image::File>(head.files, head) || !lies_in<char>(head.strings, head))
    return std::unexpected(damaged(path));
  FileTable table{.at = head.files.at, .entries = std::vector<image::File>(head.files.size), .strings = {}};
  table.strings.resize(head.strings.size);
  if (auto read = read_at(fd, table.entries.data(), table.entries.size() * sizeof(image::File), table.at, path); !read)
    return std::unexpected(read.error());
  if (auto read = read_at(fd, table.strings.data(), table.strings.size(), head.strings.at, path); !read)
    return std::unexpected(read.error());
  if (table.strings.empty() || table.strings.back() != '\0') return std::unexpected(damaged(path));
  for (const image::File& one : table.entries) {
    if (one.name >= table.strings.size()) return std::unexpected(damaged(path));
  }
  return table;
}

}  // namespace

ImageFile ImageFile::now(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {.path = path};
  return {.path = path,
          .inode = info.st_ino,
          .size = static_cast<std::uint64_t>(info.st_size),
          .changed = info.st_ctim.tv_sec,
          .changed_ns = info.st_ctim.tv_nsec};
}

Result<std::vector<ImageFile>> files_of_image(int fd, const fs::path& path) {
  const auto table = read_table(fd, path);
  if (!table) return std::unexpected(table.error());
  std::vector<ImageFile> files;
  files.reserve(table->entries.size());
  for (const image::File& one : table->entries)
    files.push_back({table->strings.c_str() + one.name, one.inode, one.size, one.changed, one.changed_ns});
  return files;
}

Status set_files_of_image(int fd, const fs::path& path, const std::vector<ImageFile>& files) {
  auto table = read_table(fd, path);
  if (!table) return std::unexpected(table.error());
  if (table->entries.size() != files.size()) return std::unexpected(damaged(path));
  for (std::size_t i = 0; i < files.size(); ++i) {
    image::File& entry = table->entries[i];
    entry = {.inode = files[i].inode,
             .size = files[i].size,
             .changed = files[i].changed,
             .changed_ns = files[i].changed_ns,
             .name = entry.name};
  }
  const std::uint64_t size = table->entries.size() * sizeof(image::File);
  if (::pwrite(fd, table->entries.data(), size, static_cast<off_t>(table->at)) != static_cast<ssize_t>(size))
    return std::unexpected(errno_error("write", path.string()));
  return {};
}

}  // namespace tally
