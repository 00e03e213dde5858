/// Stands for a host that is no process of the runner's: a fork of a program that runs already under the counter
/// (`tally exec`), which listens at a socket.
///
///   tally-here --callgrind-out-file=DUMPS/%p SOCKET
///
/// It gives that process the control socket that a host has, and the name of its dumps, and lives as long as the host
/// does: the runner sees one process begin and end.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "protocol/descriptors.h"

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "the process that requested the measurement does not answer: %s: %s\n", what,
               std::strerror(errno));
  return 1;
}

int connected_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return -1;
  std::strcpy(address.sun_path, path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket >= 0 && ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return -1;
  return socket;
}

bool send(int socket, const char* text, int descriptor) {
  iovec piece{const_cast<char*>(text), std::strlen(text)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(piece.iov_len);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr char kDumps[] = "--callgrind-out-file=";
  if (argc != 3 || std::strncmp(argv[1], kDumps, sizeof kDumps - 1) != 0) return 2;
  const int socket = connected_to(argv[2]);
  if (socket < 0) return fail(argv[2]);
  if (!send(socket, argv[1] + sizeof kDumps - 1, tally::protocol::kControlSocket)) return fail("send");
  ::close(tally::protocol::kControlSocket);
  char byte = 0;
  while (::read(socket, &byte, 1) < 0 && errno == EINTR) {
  }
  return 0;
}
