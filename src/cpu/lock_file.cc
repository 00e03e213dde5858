#include "cpu/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

namespace tally {

Result<UniqueFd> open_lock_file(int folder, const std::string& path, const std::string& name) {
  // Two tries: between not finding it and making it another process may have made it. Opening first without O_CREAT
  // also serves fs.protected_regular, which refuses O_CREAT on other users' files in a sticky folder.
  for (int i = 0; i < 2; ++i) {
    UniqueFd there(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (there || errno != ENOENT) {
      if (there) return there;
      break;
    }
    UniqueFd made(openat(folder, name.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (made) fchmod(made.get(), 0644);
    if (made) return made;
    if (errno != EEXIST) break;
  }
  return std::unexpected(errno_error("open a CPU lock", fmt::format("{}/{}", path, name)));
}

bool is_named(int file, int folder, const std::string& name) {
  struct stat held{};
  struct stat named{};
  return fstat(file, &held) == 0 && fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace tally
