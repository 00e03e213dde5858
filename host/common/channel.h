/// Frames over a stream socket, without allocating: the receive and send buffers are static memory of the process.
///
/// A process has one channel at a time (a host its control socket, a case child its case's socket).
#pragma once

#include <cstdint>

#include "protocol/frame.h"

namespace tally::host {

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}

  [[nodiscard]] int fd() const { return fd_; }

  struct Received {
    bool open = false;  ///< False at the end of the stream, on an error and on a frame that is none.
    bool lost = false;  ///< Not open because the descriptor is no longer a socket: this process closed it.
    protocol::Message message;
    int fds[2] = {-1, -1};  ///< Descriptors that came with the frame; the receiver owns them.
  };

  /// Waits for one whole frame. The message's views are valid until the next receive.
  Received receive();

  /// Starts a frame in the send buffer. One frame at a time.
  protocol::Writer compose(protocol::MessageType type, std::uint32_t job) const;
  /// Sends it; false when the peer is gone. Safe in a signal handler.
  bool send(protocol::Writer& frame) const;

 private:
  int fd_;
};

}  // namespace tally::host
