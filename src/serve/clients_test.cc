#include "serve/clients.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/files.h"

namespace tally::serve {
namespace {

class NoSignals final : public InterruptionSource {
 public:
  NoSignals() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    in_ = UniqueFd(ends[0]);
    out_ = UniqueFd(ends[1]);
  }
  [[nodiscard]] int fd() const override { return in_.get(); }
  int count() override { return 0; }

 private:
  UniqueFd in_;
  UniqueFd out_;
};

class Handler final : public ClientHandler {
 public:
  void on_connected(ClientId) override { ++connected; }
  void on_document(ClientId, const std::string&) override {}
  void on_malformed(ClientId, const Error&) override {}
  void on_last_request(ClientId) override {}
  void on_gone(ClientId) override {}
  void on_signal(int) override {}
  int connected = 0;
};

bool is_readable(int fd) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

TEST(Clients, WhoCannotBeAcceptedForWantOfDescriptorsIsAcceptedLater) {
  const TemporaryFolder folder = TemporaryFolder::make().value();
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, (folder.path() / "s").c_str(), sizeof address.sun_path - 1);
  const auto* place = reinterpret_cast<const sockaddr*>(&address);
  const UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ASSERT_EQ(::bind(listening.get(), place, sizeof address), 0);
  ASSERT_EQ(::listen(listening.get(), 4), 0);
  NoSignals signals;
  Handler handler;
  const auto clients = Clients::make(signals).value();
  clients->handle_with(&handler);
  ASSERT_TRUE(clients->accept_from(listening.get()));
  const UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), place, sizeof address), 0);

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  clients->count();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(is_readable(clients->fd())) << "the server would come round here without a pause";
  EXPECT_EQ(handler.connected, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  clients->count();
  EXPECT_EQ(handler.connected, 1);
  clients->handle_with(nullptr);
}

}  // namespace
}  // namespace tally::serve
