#include "channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tally::host {

namespace {

char g_in[protocol::kMaxFrame];
char g_out[protocol::kMaxFrame];

/// Reads exactly `size` bytes; keeps the descriptors that arrive with the first of them. At the end of the stream errno
/// is 0.
bool read_all(int fd, char* to, std::size_t size, int fds[2]) {
  while (size > 0) {
    iovec part{to, size};
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) return false;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_type == SCM_RIGHTS)
        std::memcpy(fds, CMSG_DATA(header), std::min(header->cmsg_len - CMSG_LEN(0), 2 * sizeof(int)));
    }
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

Channel::Received Channel::receive() {
  Received received;
  if (!read_all(fd_, g_in, protocol::kHeaderSize, received.fds)) {
    received.lost = errno == EBADF || errno == ENOTSOCK;
    return received;
  }
  std::uint32_t length = 0;
  std::memcpy(&length, g_in + 12, sizeof length);
  if (length > protocol::kMaxFrame - protocol::kHeaderSize) return received;
  if (!read_all(fd_, g_in + protocol::kHeaderSize, length, received.fds)) return received;
  const protocol::Parsed parsed = protocol::parse_frame({g_in, protocol::kHeaderSize + length});
  if (parsed.state != protocol::ParseState::complete) return received;
  received.open = true;
  received.message = parsed.message;
  return received;
}

protocol::Writer Channel::compose(protocol::MessageType type, std::uint32_t job) const { return {g_out, type, job}; }

bool Channel::send(protocol::Writer& frame) const {
  std::string_view bytes = frame.finish();
  if (bytes.empty()) return false;
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace tally::host
