#include "base/output_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;  // the kernel's own limit

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// The kernel's links to what a process has open lead there by themselves, and no text says where.
bool is_kernels_link(const fs::path& link) {
  struct statfs system{};
  return ::statfs(folder_of(link).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// The number of this process's descriptor; -1: the link is another's.
int own_descriptor(const fs::path& link) {
  const std::string name = link.filename().string();
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (name.empty() || name.size() > 9 || !std::ranges::all_of(name, is_digit)) return -1;
  std::error_code code;
  for (const char* own : {"/proc/self/fd", "/proc/thread-self/fd"}) {
    if (fs::equivalent(folder_of(link), own, code)) return std::atoi(name.c_str());
  }
  return -1;
}

std::unexpected<Error> is_folder(const fs::path& path) {
  return fail(ErrorKind::input, "this is a folder", path.string(), "give the path of a file");
}

Result<OutputPlace> place_of_descriptor(OutputPlace place, int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return std::unexpected(errno_error("write to this descriptor", place.path.string()));
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return fail(ErrorKind::input, "this descriptor is open for reading alone", place.path.string(),
                "open it for writing");
  }
  place.kind = OutputPlace::Kind::descriptor;
  place.descriptor = descriptor;
  return place;
}

Result<OutputPlace> place_of(OutputPlace place, const struct stat& about) {
  if (S_ISDIR(about.st_mode)) return is_folder(place.path);
  if (::faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0)
    return std::unexpected(errno_error("write", place.path.string()));
  place.kind = S_ISREG(about.st_mode) ? OutputPlace::Kind::file : OutputPlace::Kind::stream;
  place.mode = about.st_mode & 07777U;
  place.owner = about.st_uid;
  place.group = about.st_gid;
  return place;
}

}  // namespace

Result<OutputPlace> find_output_place(const fs::path& path) {
  OutputPlace place{.path = path};
  if (!path.has_filename()) return is_folder(path);
  for (int followed = 0; followed <= kMostLinks; ++followed) {
    struct stat about{};
    if (::lstat(place.path.c_str(), &about) != 0) {
      if (errno == ENOENT) return place;
      return std::unexpected(errno_error("write", place.path.string()));
    }
    if (!S_ISLNK(about.st_mode)) return place_of(std::move(place), about);
    if (is_kernels_link(place.path)) {
      if (const int own = own_descriptor(place.path); own >= 0) return place_of_descriptor({.path = path}, own);
      if (::stat(place.path.c_str(), &about) != 0) return std::unexpected(errno_error("write", path.string()));
      auto found = place_of({.path = path}, about);
      if (found) found->kind = OutputPlace::Kind::stream;
      return found;
    }
    std::error_code code;
    const fs::path target = fs::read_symlink(place.path, code);
    if (code) {
      errno = code.value();
      return std::unexpected(errno_error("follow the link", place.path.string()));
    }
    place.path = folder_of(place.path) / target;
  }
  errno = ELOOP;
  return std::unexpected(errno_error("write", path.string()));
}

Status make_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!code) return {};
  errno = code.value();
  return std::unexpected(errno_error("make the folder", folder.string()));
}

Status check_output(const fs::path& path) {
  const auto place = find_output_place(path);
  if (!place) return std::unexpected(place.error());
  if (place->kind != OutputPlace::Kind::nothing) return {};
  const fs::path folder = folder_of(place->path);
  if (Status made = make_folder(folder); !made) return made;
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return std::unexpected(errno_error("create", place->path.string()));
}

}  // namespace tally
