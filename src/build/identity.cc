#include "build/identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "base/digest.h"
#include "base/unique_fd.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// The folders behind all links, each looked up once: thousands of headers lie in a few of them.
class RealFolders {
 public:
  /// fs::canonical(path); empty where nothing is there.
  fs::path canonical(const fs::path& path) {
    std::error_code code;
    const fs::path name = path.filename();
    const bool is_plain = !name.empty() && name != "." && name != "..";
    if (!is_plain || fs::is_symlink(path, code)) return of(path);
    const fs::path& folder = known(path.parent_path());
    return folder.empty() ? fs::path() : folder / name;
  }

 private:
  static fs::path of(const fs::path& path) {
    std::error_code code;
    fs::path real = fs::canonical(path, code);
    return code ? fs::path() : real;
  }
  const fs::path& known(const fs::path& folder) {
    const auto [entry, is_new] = folders_.try_emplace(folder.string());
    if (is_new) entry->second = of(folder.empty() ? fs::path(".") : folder);
    return entry->second;
  }

  std::unordered_map<std::string, fs::path> folders_;
};

std::string identity_of(const fs::path& path, RealFolders& folders) {
  const fs::path real = folders.canonical(path);
  struct stat info{};
  if (real.empty() || ::stat(real.c_str(), &info) != 0) return path.string() + " missing";
  return fmt::format("{} {} {}.{:09}", real.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

std::string file_identity(const fs::path& path) {
  RealFolders folders;
  return identity_of(path, folders);
}

Result<std::string> file_digest(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open", path.string()));
  Digest digest;
  std::string block(std::size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t n = ::read(fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno_error("read", path.string()));
    if (n == 0) return digest.hex();
    digest.add_raw({block.data(), static_cast<std::size_t>(n)});
  }
}

std::vector<std::string> parse_dependencies(std::string_view depfile) {
  std::vector<std::string> paths;
  const std::size_t colon = depfile.find(": ");
  if (colon == std::string_view::npos) return paths;
  std::string path;
  const auto flush = [&] {
    if (!path.empty()) paths.push_back(std::move(path));
    path.clear();
  };
  const std::string_view rest = depfile.substr(colon + 2);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    const char following = i + 1 < rest.size() ? rest[i + 1] : '\n';
    if (c == '\\' && (following == ' ' || following == '#')) {
      path += following;
      ++i;
    } else if (c == '\\' && following == '\n') {
      ++i;
      flush();
    } else if (c == '$' && following == '$') {
      path += '$';
      ++i;
    } else if (c == ' ' || c == '\n') {
      flush();
    } else {
      path += c;
    }
  }
  flush();
  return paths;
}

std::string identity_of_all(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  Digest digest;
  RealFolders folders;
  for (const std::string& path : paths) digest.add(identity_of(path, folders));
  return digest.hex();
}

std::string content_of_all(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  Digest digest;
  for (const std::string& path : paths) digest.add(path).add(file_digest(path).value_or("missing"));
  return digest.hex();
}

std::string state_of_all(std::span<const std::string> paths) {
  Digest digest;
  for (const std::string& path : paths) {
    digest.add(path);
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
      digest.add("missing");
      continue;
    }
    digest.add(fmt::format("{} {} {} {} {} {} {}", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                           info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec));
  }
  return digest.hex();
}

std::optional<std::chrono::system_clock::time_point> last_change(std::span<const std::string> paths) {
  using std::chrono::system_clock;
  std::optional<system_clock::time_point> last;
  for (const std::string& path : paths) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) continue;
    const auto at = system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(
        std::chrono::seconds(info.st_ctim.tv_sec) + std::chrono::nanoseconds(info.st_ctim.tv_nsec)));
    if (!last || at > *last) last = at;
  }
  return last;
}

}  // namespace tally
