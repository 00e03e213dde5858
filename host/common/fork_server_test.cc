/// The fork server over a real socket, with cases that only say how far they have come.
#include "fork_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "protocol/descriptors.h"
#include "shared_page.h"

namespace tally::host {
namespace {

using protocol::Field;
using protocol::MessageType;
using protocol::Stage;

Stage stage_of(std::uint32_t job) { return static_cast<Stage>(1 + job % 5); }

void enter_a_stage(void* /*context*/, Channel channel, const protocol::Message& request) {
  enter_stage(stage_of(request.job()));
  auto ready = channel.compose(MessageType::ready, request.job());
  channel.send(ready);
  for (;;) ::pause();
}

/// A host in a process of its own, and its control socket.
class ForkServerTest : public ::testing::Test {
 protected:
  ForkServerTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    host_ = ::fork();
    if (host_ == 0) {
      ::dup2(ends[1], protocol::kControlSocket);
      ::close_range(protocol::kControlSocket + 1, ~0U, 0);
      ::_exit(serve({"none", "1"}, enter_a_stage, nullptr));
    }
    ::close(ends[1]);
    control_ = Channel(ends[0]);
  }
  ~ForkServerTest() override {
    ::close(control_.fd());
    int status = -1;
    EXPECT_EQ(::waitpid(host_, &status, 0), host_);
    EXPECT_EQ(status, 0);
  }

  /// Its case socket, at the runner's end.
  int request_case(std::uint32_t job) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    auto request = control_.compose(MessageType::run_case, job);
    const std::string_view frame = request.finish();
    const int fds[2] = {ends[1], STDERR_FILENO};
    iovec part{const_cast<char*>(frame.data()), frame.size()};
    alignas(cmsghdr) char attached[CMSG_SPACE(sizeof fds)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = attached;
    message.msg_controllen = sizeof attached;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fds);
    std::memcpy(CMSG_DATA(header), fds, sizeof fds);
    EXPECT_EQ(::sendmsg(control_.fd(), &message, 0), static_cast<ssize_t>(frame.size()));
    ::close(ends[1]);
    return ends[0];
  }

  pid_t host_ = -1;
  Channel control_{-1};
};

TEST_F(ForkServerTest, MoreThan256LivingChildrenEachHaveAPlaceOfTheirOwn) {
  constexpr std::uint32_t kChildren = 260;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < kChildren + 100) GTEST_SKIP() << "needs as many descriptors";
  ASSERT_EQ(control_.receive().message.type(), MessageType::hello);
  std::map<std::uint32_t, pid_t> pids;
  std::vector<int> sockets;
  for (std::uint32_t job = 0; job < kChildren; ++job) {
    sockets.push_back(request_case(job));
    const Channel::Received started = control_.receive();
    ASSERT_EQ(started.message.type(), MessageType::started);
    pids[job] = static_cast<pid_t>(started.message.number(Field::pid));
    ASSERT_GT(pids[job], 0);
    ASSERT_EQ(Channel(sockets.back()).receive().message.type(), MessageType::ready);
  }
  for (const auto& [job, pid] : pids) ::kill(pid, SIGKILL);
  for (std::uint32_t n = 0; n < kChildren; ++n) {
    const Channel::Received exited = control_.receive();
    ASSERT_EQ(exited.message.type(), MessageType::exited);
    EXPECT_EQ(exited.message.number(Field::pid), static_cast<std::uint64_t>(pids[exited.message.job()]));
    EXPECT_EQ(exited.message.number(Field::stage), static_cast<std::uint64_t>(stage_of(exited.message.job())));
    EXPECT_EQ(exited.message.number(Field::cut_off), 0U);
  }
  for (const int socket : sockets) ::close(socket);
}

}  // namespace
}  // namespace tally::host
