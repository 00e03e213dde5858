#include "serve/socket_place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "build/resolve.h"

namespace tally::serve {

std::string default_socket(const EnvironmentVariables& environment) {
  const std::string_view runtime = value_of(environment, "XDG_RUNTIME_DIR");
  if (runtime.starts_with('/')) return fmt::format("{}/tallymark/serve.sock", runtime);
  return fmt::format("/tmp/tallymark-{}/serve.sock", ::geteuid());
}

Status check_socket_folder(const std::string& socket, bool private_to_us) {
  const std::string folder = std::filesystem::path(socket).parent_path().string();
  struct stat about{};
  // A link could be turned to another folder later; but a system's own /tmp may be one.
  const int found = private_to_us ? ::lstat(folder.c_str(), &about) : ::stat(folder.c_str(), &about);
  if (found != 0) return std::unexpected(errno_error("look at the socket's folder", folder));
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::input, why, folder, "remove it, or give --socket a path in a folder of your own");
  };
  if (!S_ISDIR(about.st_mode)) return refuse("the socket's folder is not a folder");
  const bool ours = about.st_uid == ::geteuid() || (!private_to_us && about.st_uid == 0);
  if (!ours) return refuse(fmt::format("the socket's folder belongs to another user (uid {})", about.st_uid));
  const unsigned others = about.st_mode & 077U;
  const bool open_to_others = private_to_us ? others != 0 : (others & 022U) != 0 && (about.st_mode & S_ISVTX) == 0;
  if (open_to_others) {
    return refuse(fmt::format("the socket's folder has mode {:04o}: others could take the server's place",
                              about.st_mode & 07777U));
  }
  return {};
}

}  // namespace tally::serve
