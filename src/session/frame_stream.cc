#include "session/frame_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tally {

using protocol::ParseState;

namespace {

Status refusal(const protocol::Parsed& parsed) {
  if (parsed.state == ParseState::bad_version) {
    return fail(ErrorKind::failed,
                fmt::format("the host speaks protocol {}, this tally {}", parsed.peer_version, protocol::kVersion), {},
                "tally and its libexec folder are of different builds: build or install both again");
  }
  return fail(ErrorKind::failed, "the host sent what is not a message of our protocol");
}

}  // namespace

Status FrameStream::read(const std::function<void(const protocol::Message&)>& each, bool& closed) {
  std::array<char, std::size_t{64} * 1024> block;
  for (;;) {
    const ssize_t n = ::recv(fd_.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (n <= 0) {
      closed = true;
      return {};
    }
    pending_.append(block.data(), static_cast<std::size_t>(n));
    std::string_view rest = pending_;
    for (;;) {
      const protocol::Parsed parsed = protocol::parse_frame(rest);
      if (parsed.state == ParseState::incomplete) break;
      if (parsed.state != ParseState::complete) return refusal(parsed);
      each(parsed.message);
      rest.remove_prefix(parsed.consumed);
    }
    pending_.erase(0, pending_.size() - rest.size());
  }
}

Status FrameStream::send(std::string_view frame, std::span<const int> fds) const {
  while (!frame.empty()) {
    iovec part{const_cast<char*>(frame.data()), frame.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
    }
    const ssize_t n = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd writable{fd_.get(), POLLOUT, 0};
      if (::poll(&writable, 1, 10'000) <= 0) return fail(ErrorKind::failed, "the host does not read its messages");
      continue;
    }
    if (n < 0) return std::unexpected(errno_error("send to a host", {}));
    fds = {};  // they went with the first byte
    frame.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<SocketPair> make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return std::unexpected(errno_error("create a socket pair", {}));
  }
  ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
  return SocketPair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace tally
