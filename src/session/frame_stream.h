/// Frames over a non-blocking socket of the runner's: collects what arrives, sends what fits.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"
#include "protocol/frame.h"

namespace tally {

class FrameStream {
 public:
  FrameStream() = default;
  explicit FrameStream(UniqueFd fd) : fd_(std::move(fd)) {}

  [[nodiscard]] int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }

  /// Reads what is there and calls `each` for every whole frame; the message is valid during the call only. An error
  /// says that the peer does not speak our protocol; `closed` is set at the end of the stream.
  Status read(const std::function<void(const protocol::Message&)>& each, bool& closed);

  /// Sends one frame, with descriptors attached; waits while the socket is full (frames are small, peers read at once).
  Status send(std::string_view frame, std::span<const int> fds = {}) const;

 private:
  UniqueFd fd_;
  std::string pending_;
};

/// A pair of connected stream sockets, close-on-exec; the first is the runner's and does not block.
struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
Result<SocketPair> make_socket_pair();

}  // namespace tally
