#include "history/folder_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/files.h"
#include "base/unique_fd.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// From so many files on, the file system is asked once for all that is not on the disk yet.
constexpr std::size_t kFewFiles = 8;

Status sync_all(std::vector<NewFile>& files, const fs::path& folder) {
  if (files.size() <= kFewFiles) {
    for (NewFile& file : files) {
      if (auto safe = file.sync(); !safe) return safe;
    }
    return {};
  }
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || ::syncfs(fd.get()) != 0)
    return std::unexpected(errno_error("write it to the disk", folder.string()));
  return {};
}

/// What is under a folder, as `prefix` and its path from there. Ten thousand files want no path object each.
Status list_files(const std::string& folder, const std::string& prefix, HistoryNames& names) {
  const auto close = [](DIR* one) { ::closedir(one); };
  const std::unique_ptr<DIR, decltype(close)> listing(::opendir(folder.c_str()));
  if (!listing) return std::unexpected(errno_error("read the history", folder));
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const auto path = [&] { return folder + "/" + entry->d_name; };
    struct stat status = {};
    unsigned char kind = entry->d_type;
    if (kind == DT_UNKNOWN && ::lstat(path().c_str(), &status) == 0) kind = IFTODT(status.st_mode);
    // A link is followed to a file, and never into a folder, which might hold this one.
    const bool is_file =
        kind == DT_REG || (kind == DT_LNK && ::stat(path().c_str(), &status) == 0 && S_ISREG(status.st_mode));
    (is_file ? names.files : names.others).push_back(prefix + entry->d_name);
    if (kind == DT_DIR) {
      if (auto listed = list_files(path(), prefix + entry->d_name + "/", names); !listed) return listed;
    }
    errno = 0;
  }
  if (errno != 0) return std::unexpected(errno_error("read the history", folder));
  return {};
}

}  // namespace

Result<HistoryNames> FolderFiles::names(const std::string& under) const {
  HistoryNames names;
  const std::string top = (folder_ / under).string();
  std::error_code code;
  if (!fs::exists(top, code)) return names;
  if (auto listed = list_files(top, under + "/", names); !listed) return std::unexpected(listed.error());
  std::ranges::sort(names.files);
  std::ranges::sort(names.others);
  return names;
}

bool FolderFiles::has(const std::string& name) const {
  std::error_code code;
  return fs::exists(folder_ / name, code);
}

Result<std::string> FolderFiles::read(const std::string& name) const { return read_file(folder_ / name); }

Status FolderFiles::read_all(std::span<const std::string> names,
                             const std::function<Status(const std::string& name, std::string text)>& take) const {
  for (const std::string& name : names) {
    auto text = read(name);
    if (!text) return std::unexpected(text.error());
    if (auto taken = take(name, *std::move(text)); !taken) return taken;
  }
  return {};
}

Status FolderFiles::write(std::vector<NewHistoryFile> files, const std::string& /*title*/) {
  std::vector<NewFile> written;
  written.reserve(files.size());
  for (const NewHistoryFile& file : files) {
    if (has(file.name)) continue;
    auto one = NewFile::create(folder_ / file.name);
    if (!one) return std::unexpected(one.error());
    if (auto done = one->append(file.text); !done) return done;
    written.push_back(*std::move(one));
  }
  if (written.empty()) return {};
  if (auto safe = sync_all(written, folder_); !safe) return safe;
  for (NewFile& one : written) {
    if (auto published = one.publish(); !published) return published;
  }
  return {};
}

Status FolderFiles::remove(std::span<const std::string> names, const std::string& /*title*/) {
  for (const std::string& name : names) {
    std::error_code code;
    fs::remove(folder_ / name, code);
    if (code) return fail(ErrorKind::io, "cannot be removed: " + code.message(), (folder_ / name).string());
  }
  return {};
}

}  // namespace tally
