#include "private_tmp.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "files.h"

namespace tally::host {

namespace {

constexpr const char* kFolders[] = {"/tmp", "/var/tmp"};
constexpr std::size_t kMostNames = 5;

/// With all links followed; the path itself where there is nothing.
std::string real(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) == nullptr ? path : buffer;
}

/// What is directly below the folder, and holds the path; empty: nothing does. A path that is the folder itself, or
/// above it, needs nothing that is in it.
std::string holder_of(const std::string& path, const std::string& folder) {
  if (!path.starts_with(folder + "/")) return {};
  const std::size_t begin = folder.size() + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

std::vector<std::string> holders_of(const std::vector<std::string>& paths, const std::string& folder) {
  std::vector<std::string> names;
  const std::string real_folder = real(folder);
  for (const std::string& path : paths) {
    for (std::string name : {holder_of(path, folder), holder_of(real(path), real_folder)}) {
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

/// A folder or file that the caller has open shows at the path, too.
bool bind(int file, const std::string& path) {
  struct stat about{};
  if (::fstat(file, &about) != 0) return false;
  if (S_ISDIR(about.st_mode)) {
    if (::mkdir(path.c_str(), 0700) != 0) return false;
  } else {
    const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) return false;
    ::close(made);
  }
  return ::mount(("/proc/self/fd/" + std::to_string(file)).c_str(), path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) ==
         0;
}

}  // namespace

bool PrivateTmp::hides(const std::string& folder) {
  return std::ranges::any_of(kFolders, [&](const char* one) { return real(folder) == real(one); });
}

int PrivateTmp::make_ready() {
  // One of ours: only who has made a namespace may come back to it.
  if (::unshare(CLONE_NEWNS) != 0) return errno;
  if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return errno;
  outside_ = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  root_ = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return outside_ < 0 || root_ < 0 ? errno : 0;
}

bool PrivateTmp::enter(const std::vector<std::string>& needed) {
  if (::unshare(CLONE_NEWNS) != 0) return false;
  hidden_.clear();
  kept_.clear();
  bool is_hidden = ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  for (const char* const folder : kFolders) is_hidden = is_hidden && hide(folder, needed);
  if (is_hidden) return true;
  const int why = errno;
  leave();
  errno = why;
  return false;
}

bool PrivateTmp::hide(const std::string& folder, const std::vector<std::string>& needed) {
  struct stat about{};
  // A link to the other one is hidden with it.
  if (::stat(folder.c_str(), &about) != 0 || std::ranges::find(hidden_, real(folder)) != hidden_.end()) return true;
  struct Kept {
    std::string path;
    int file;
  };
  std::vector<Kept> kept;
  for (const std::string& name : holders_of(needed, folder)) {
    const std::string path = path_in(folder, name);
    // What is not there yet has nothing to be kept.
    if (const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC); file >= 0) kept.push_back({path, file});
  }
  hidden_.push_back(real(folder));
  bool is_done = ::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
  for (const Kept& one : kept) {
    is_done = is_done && bind(one.file, one.path);
    const int why = errno;
    ::close(one.file);
    errno = why;
    kept_.push_back(path_in(real(folder), one.path.substr(one.path.rfind('/') + 1)));
  }
  return is_done;
}

std::string PrivateTmp::leave() {
  std::vector<std::string> left;
  for (const std::string& folder : hidden_) {
    for (const std::string& name : names_in(folder)) left.push_back(path_in(folder, name));
  }
  std::erase_if(left, [&](const std::string& path) { return std::ranges::find(kept_, path) != kept_.end(); });
  ::setns(outside_, CLONE_NEWNS);
  std::ranges::sort(left);
  std::string text;
  for (std::size_t i = 0; i < left.size() && i < kMostNames; ++i) text += (i == 0 ? "" : ", ") + left[i];
  return left.size() > kMostNames ? text + ", …" : text;
}

int PrivateTmp::open_outside(const std::string& path, int flags, mode_t mode) const {
  return ::openat(root_, path.c_str() + (path.starts_with('/') ? 1 : 0), flags, mode);
}

std::vector<std::string> paths_in_variables() {
  std::vector<std::string> paths;
  for (const char* const name : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "TMPDIR"}) {
    const char* const value = ::getenv(name);
    std::string_view left = value == nullptr ? "" : value;
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end = left.find(':');
      paths.emplace_back(left.substr(0, end));
      if (end != std::string_view::npos) left.remove_prefix(end + 1);
    }
  }
  return paths;
}

}  // namespace tally::host
