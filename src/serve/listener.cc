#include "serve/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cpu/lock_file.h"
#include "serve/socket_place.h"

namespace tally::serve {

namespace {

constexpr std::chrono::seconds kForAnother{5};

/// The path is short enough.
sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

std::string lock_path(const std::string& path) { return path + ".lock"; }

bool answers(const std::string& path) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Held for as long as the descriptor is open. A server that is about to begin, or to end, is waited for.
Result<UniqueFd> take_lock(const std::string& path) {
  const auto give_up = std::chrono::steady_clock::now() + kForAnother;
  for (;;) {
    UniqueFd lock(::open(lock_path(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return std::unexpected(errno_error("create the lock of the server's socket", lock_path(path)));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      if (!answers(path) && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      return fail(ErrorKind::failed, "another server has this socket", path,
                  "use that one, end it (the request shutdown), or give --socket another path");
    }
    // One that has just ended took its lock's file away.
    if (is_named(lock.get(), AT_FDCWD, lock_path(path))) return lock;
  }
}

}  // namespace

Result<Listener> Listener::open(const std::string& path, bool in_default_place) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return fail(ErrorKind::input,
                fmt::format("a socket's path has at most {} characters", sizeof(sockaddr_un::sun_path) - 1), path,
                "give --socket a shorter one");
  }
  const auto folder = std::filesystem::path(path).parent_path();
  if (in_default_place && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return std::unexpected(errno_error("create the socket's folder", folder.string()));
  if (Status safe = check_socket_folder(path, in_default_place); !safe) return std::unexpected(safe.error());
  auto lock = take_lock(path);
  if (!lock) return std::unexpected(lock.error());
  Listener listener(path, *std::move(lock));
  if (Status bound = listener.bind_and_listen(); !bound) return std::unexpected(bound.error());
  return listener;
}

Status Listener::bind_and_listen() {
  struct stat about{};
  if (::lstat(path_.c_str(), &about) == 0) {
    if (!S_ISSOCK(about.st_mode))
      return fail(ErrorKind::input, "there is something that is no socket", path_,
                  "remove it, or give --socket another path");
    if (answers(path_))
      return fail(ErrorKind::input, "another program listens there", path_, "give --socket another path");
    ::unlink(path_.c_str());  // a killed server's: its lock is ours
  }
  socket_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_of(path_);
  const mode_t before = ::umask(0177);
  const int bound = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0 || ::listen(socket_.get(), 64) != 0) return std::unexpected(errno_error("listen", path_));
  return {};
}

Listener::Listener(Listener&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), socket_(std::move(other.socket_)) {}

void Listener::close() {
  // Only what is ours: the name may have been taken away and given to another meanwhile.
  if (socket_ && is_named(lock_.get(), AT_FDCWD, lock_path(path_))) ::unlink(path_.c_str());
  socket_.reset();
}

Listener::~Listener() {
  if (path_.empty() || !lock_) return;
  close();
  if (is_named(lock_.get(), AT_FDCWD, lock_path(path_))) ::unlink(lock_path(path_).c_str());
}

}  // namespace tally::serve
