#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace tally::host {

namespace {

constexpr unsigned kModeBits = 07777;

/// With the reason of the moment.
std::string failure(const char* what, const std::string& path) {
  const int why = errno;
  return std::string(what) + " " + path + ": " + std::strerror(why);  // NOLINT(concurrency-mt-unsafe): one thread
}

std::string copy_file(const std::string& from, const std::string& to, const struct stat& about) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return failure("cannot read", from);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::string problem = out < 0 ? failure("cannot write", to) : "";
  char block[65536];
  for (ssize_t got = 0; problem.empty() && (got = ::read(in, block, sizeof block)) != 0;) {
    if (got < 0) problem = failure("cannot read", from);
    for (ssize_t done = 0; problem.empty() && done < got;) {
      const ssize_t written = ::write(out, block + done, static_cast<std::size_t>(got - done));
      if (written < 0) problem = failure("cannot write", to);
      done += written;
    }
  }
  if (out >= 0) {
    const timespec times[] = {about.st_atim, about.st_mtim};
    ::fchmod(out, about.st_mode & kModeBits);
    ::futimens(out, times);
    ::close(out);
  }
  ::close(in);
  return problem;
}

std::string copy_folder(const std::string& from, const std::string& to, const struct stat& about) {
  constexpr unsigned kOwn = 0700;  // until all is in it
  if (::mkdir(to.c_str(), kOwn) != 0 && errno != EEXIST) return failure("cannot create", to);
  errno = 0;
  const std::vector<std::string> names = names_in(from);
  if (names.empty() && errno != 0) return failure("cannot read", from);
  for (const std::string& name : names) {
    if (std::string problem = copy_all(path_in(from, name), path_in(to, name)); !problem.empty()) return problem;
  }
  const timespec times[] = {about.st_atim, about.st_mtim};
  ::chmod(to.c_str(), (about.st_mode & kModeBits) | kOwn);
  ::utimensat(AT_FDCWD, to.c_str(), times, 0);
  return {};
}

std::string copy_link(const std::string& from, const std::string& to) {
  char target[PATH_MAX + 1];
  const ssize_t length = ::readlink(from.c_str(), target, PATH_MAX);
  if (length < 0) return failure("cannot read", from);
  target[length] = 0;
  return ::symlink(target, to.c_str()) == 0 ? "" : failure("cannot create", to);
}

}  // namespace

std::string path_in(const std::string& folder, const std::string& name) {
  std::string path = folder;
  return name.empty() ? path : path.append("/").append(name);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const listing = ::opendir(folder.c_str());
  if (listing == nullptr) return names;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(listing);
  return names;
}

void empty_folder(const std::string& folder) {
  if (folder.empty()) return;
  for (const std::string& name : names_in(folder)) remove_all(path_in(folder, name));
}

void remove_all(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return;
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return;
  ::chmod(path.c_str(), 0700);
  empty_folder(path);
  ::rmdir(path.c_str());
}

std::string copy_named(const std::string& from, const std::string& to) {
  char real[PATH_MAX];
  if (::realpath(from.c_str(), real) == nullptr) return failure("cannot find", from);
  const std::string above = std::string(real) == "/" ? "/" : std::string(real) + "/";
  char target[PATH_MAX];
  if (::realpath(to.substr(0, to.rfind('/')).c_str(), target) != nullptr &&
      (std::string(target) + "/").starts_with(above))
    return "the folder holds the copies that are made of it (TMPDIR lies in it): " + from;
  return copy_all(real, to);
}

std::string copy_all(const std::string& from, const std::string& to) {
  struct stat about{};
  if (::lstat(from.c_str(), &about) != 0) return failure("cannot find", from);
  if (S_ISDIR(about.st_mode)) return copy_folder(from, to, about);
  if (S_ISLNK(about.st_mode)) return copy_link(from, to);
  if (S_ISREG(about.st_mode)) return copy_file(from, to, about);
  return "it is no file, folder or link: " + from;
}

bool make_folders(const std::string& path) {
  for (std::size_t end = 1; end != std::string::npos;) {
    end = path.find('/', end + 1);
    if (::mkdir(path.substr(0, end).c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return true;
}

}  // namespace tally::host
