#include "hosts/image_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <string_view>

#include "base/unique_fd.h"
#include "protocol/folder_names.h"
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

namespace {

bool is_record_at(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char head[protocol::kRecordHead];
  const ssize_t size = file ? ::read(file.get(), head, sizeof head) : 0;
  return size > 0 && protocol::is_record(head, static_cast<std::uint64_t>(size));
}

ImageFile list_of(const std::string& path) {
  protocol::FolderNames names;
  std::error_code code;
  for (auto at = fs::directory_iterator(path, code); !code && at != fs::directory_iterator(); at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (!protocol::may_be_record(name.c_str()) || !is_record_at(at->path())) names.add(name.c_str());
  }
  if (code) return {.path = path};
  return {.path = path,
          .inode = image::kListedFolder,
          .size = names.count,
          .changed = static_cast<std::int64_t>(names.sum)};
}

}  // namespace

bool is_list_of_folder(std::string_view path) { return path.ends_with('/'); }

ImageFile ImageFile::now(const std::string& path) {
  if (is_list_of_folder(path)) return list_of(path);
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

namespace {

constexpr std::uint64_t kLine = 64;

/// All tables of an image in memory.
struct Tables {
  image::Head head{};
  std::vector<image::Mapping> mappings;
  std::vector<image::Run> runs;
  std::vector<image::File> files;
  std::vector<image::Descriptor> descriptors;
  std::string strings;

  /// Null: the image is damaged.
  [[nodiscard]] const char* text(std::uint64_t at) const {
    return at < strings.size() ? strings.c_str() + at : nullptr;
  }
};

bool is_of_file(const image::Mapping& mapping) {
  return mapping.backing == image::Backing::file || mapping.backing == image::Backing::file_shared;
}

template <typename T>
Status read_entries(int fd, const image::Table& table, std::vector<T>& entries, const image::Head& head,
                    const fs::path& path) {
  if (!lies_in<T>(table, head)) return std::unexpected(damaged(path));
  entries.resize(table.size);
  return read_at(fd, entries.data(), table.size * sizeof(T), table.at, path);
}

Result<Tables> read_tables(int fd, const fs::path& path) {
  auto files = read_table(fd, path);
  if (!files) return std::unexpected(files.error());
  Tables tables{.files = std::move(files->entries), .strings = std::move(files->strings)};
  image::Head& head = tables.head;
  if (auto read = read_at(fd, &head, sizeof head, 0, path); !read) return std::unexpected(read.error());
  if (auto read = read_entries(fd, head.mappings, tables.mappings, head, path); !read)
    return std::unexpected(read.error());
  if (auto read = read_entries(fd, head.runs, tables.runs, head, path); !read) return std::unexpected(read.error());
  if (auto read = read_entries(fd, head.descriptors, tables.descriptors, head, path); !read)
    return std::unexpected(read.error());
  for (const image::Mapping& one : tables.mappings) {
    if (is_of_file(one) && one.file >= tables.files.size()) return std::unexpected(damaged(path));
  }
  return tables;
}

/// The tables as bytes, each where the head says from now on.
std::string lay_out(Tables& tables) {
  std::string bytes(sizeof(image::Head), '\0');
  const auto add = [&](image::Table& table, const void* from, std::uint64_t entries, std::uint64_t size) {
    bytes.resize((bytes.size() + kLine - 1) / kLine * kLine, '\0');
    table = {.at = bytes.size(), .size = entries};
    bytes.append(static_cast<const char*>(from), entries * size);
  };
  image::Head& head = tables.head;
  add(head.mappings, tables.mappings.data(), tables.mappings.size(), sizeof(image::Mapping));
  add(head.runs, tables.runs.data(), tables.runs.size(), sizeof(image::Run));
  add(head.files, tables.files.data(), tables.files.size(), sizeof(image::File));
  add(head.descriptors, tables.descriptors.data(), tables.descriptors.size(), sizeof(image::Descriptor));
  add(head.strings, tables.strings.data(), tables.strings.size(), 1);
  bytes.resize((bytes.size() + kLine - 1) / kLine * kLine, '\0');
  head.table_size = bytes.size();
  bytes.replace(0, sizeof head, reinterpret_cast<const char*>(&head), sizeof head);
  return bytes;
}

/// The tables with other files, and with their names alone.
class Replacing {
 public:
  Replacing(const Tables& old, const std::map<std::string, ImageFile>& files) : old_(old), files_(files), new_(old) {}

  /// Nothing: the image is damaged, or names one that is none of the files.
  std::optional<Tables> tables() {
    new_.files.clear();
    new_.strings.clear();
    for (image::Mapping& one : new_.mappings) {
      if (!is_of_file(one)) continue;
      const auto number = number_of(old_.files[one.file].name);
      if (!number) return std::nullopt;
      one.file = *number;
    }
    for (image::Descriptor& one : new_.descriptors) {
      if (one.kind != image::Open::named && one.kind != image::Open::content) continue;
      const char* const name = old_.text(one.name);
      if (name == nullptr) return std::nullopt;
      const auto file = files_.find(name);
      one.name = keep(one.kind == image::Open::named && file != files_.end() ? file->second.path : name);
    }
    const char* const folder = old_.text(old_.head.folder);
    if (folder == nullptr) return std::nullopt;
    new_.head.folder = keep(folder);
    return std::move(new_);
  }

 private:
  std::uint64_t keep(const std::string& text) {
    const std::uint64_t at = new_.strings.size();
    new_.strings.append(text).push_back('\0');
    return at;
  }

  std::optional<std::uint32_t> number_of(std::uint64_t name) {
    const auto file = files_.find(old_.strings.c_str() + name);
    if (file == files_.end()) return std::nullopt;
    const auto [known, is_new] = numbers_.emplace(file->first, static_cast<std::uint32_t>(new_.files.size()));
    const ImageFile& one = file->second;
    if (is_new) new_.files.push_back({one.inode, one.size, one.changed, one.changed_ns, keep(one.path)});
    return known->second;
  }

  const Tables& old_;
  const std::map<std::string, ImageFile>& files_;
  Tables new_;
  std::map<std::string, std::uint32_t> numbers_;  ///< By the path that it had.
};

}  // namespace

Result<std::vector<std::string>> mapped_files_of_image(int fd, const fs::path& path) {
  const auto tables = read_tables(fd, path);
  if (!tables) return std::unexpected(tables.error());
  std::set<std::string> paths;
  for (const image::Mapping& one : tables->mappings) {
    if (is_of_file(one)) paths.emplace(tables->strings.c_str() + tables->files[one.file].name);
  }
  return std::vector<std::string>(paths.begin(), paths.end());
}

Status replace_files_of_image(int fd, const fs::path& path, const std::map<std::string, ImageFile>& files) {
  const auto old = read_tables(fd, path);
  if (!old) return std::unexpected(old.error());
  auto tables = Replacing(*old, files).tables();
  if (!tables) return std::unexpected(damaged(path));
  const std::string bytes = lay_out(*tables);
  // Memory begins at the page after the tables, and stays where it is.
  const std::uint64_t room = (old->head.table_size + image::kPage - 1) / image::kPage * image::kPage;
  if (bytes.size() > room) return fail(ErrorKind::failed, "there is no room for its libraries' names", path.string());
  if (::pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return std::unexpected(errno_error("write", path.string()));
  return {};
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
