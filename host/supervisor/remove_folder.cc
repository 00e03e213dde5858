#include "remove_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tally::supervisor {
namespace {

constexpr int kDeepest = 64;  // each level holds a descriptor

/// Empties the folder that is open as `fd`, and closes it.
void empty_folder(int fd, int depth) {
  DIR* const folder = fdopendir(fd);
  if (folder == nullptr) {
    close(fd);
    return;
  }
  while (const dirent* entry = readdir(folder)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (unlinkat(fd, entry->d_name, 0) == 0 || (errno != EISDIR && errno != EPERM)) continue;
    const int inner = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0 && depth < kDeepest) {
      empty_folder(inner, depth + 1);
    } else if (inner >= 0) {
      close(inner);
    }
    unlinkat(fd, entry->d_name, AT_REMOVEDIR);
  }
  closedir(folder);
}

}  // namespace

bool remove_folder(const char* path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT;
  empty_folder(fd, 0);
  return rmdir(path) == 0 || errno == ENOENT;
}

}  // namespace tally::supervisor
