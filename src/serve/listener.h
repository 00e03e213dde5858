/// The socket that a server listens on: one server for a path, and nothing left of it when the server ends.
///
/// A lock beside the socket (PATH.lock) says whose the path is; the kernel takes it back when its holder is killed, and
/// the next server then replaces the stale socket.
#pragma once

#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace tally::serve {

class Listener {
 public:
  /// Only this user may connect. `in_default_place`: the folder is made where it is missing, and must be private. An
  /// error: another server is there, the path is too long, or the folder is not safe.
  static Result<Listener> open(const std::string& path, bool in_default_place);
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] int fd() const { return socket_.get(); }
  /// Nobody finds it any more; the path stays this process's until the end.
  void close();

 private:
  Listener(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  Status bind_and_listen();

  std::string path_;  ///< Empty once moved from.
  UniqueFd lock_;
  UniqueFd socket_;
};

}  // namespace tally::serve
