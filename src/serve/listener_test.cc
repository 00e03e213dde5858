#include "serve/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/files.h"
#include "serve/socket_place.h"

namespace tally::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ListenerTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return (folder_.path() / "s.sock").string(); }
  [[nodiscard]] bool answers() const {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  TemporaryFolder folder_ = TemporaryFolder::make().value();
};

TEST_F(ListenerTest, ListensForThisUserAndLeavesNothing) {
  {
    const auto listener = Listener::open(path(), false);
    ASSERT_TRUE(listener) << describe(listener.error());
    EXPECT_TRUE(answers());
    EXPECT_EQ(fs::status(path()).permissions() & fs::perms::others_all, fs::perms::none);
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ListenerTest, OneServerForAPath) {
  const auto first = Listener::open(path(), false);
  const auto second = Listener::open(path(), false);
  ASSERT_FALSE(second);
  EXPECT_THAT(describe(second.error()), HasSubstr("another server has this socket; use that one, end it"));
  EXPECT_TRUE(answers());
}

TEST_F(ListenerTest, AKilledServersSocketIsReplaced) {
  if (const pid_t child = ::fork(); child == 0) {
    const auto listener = Listener::open(path(), false);
    ::_exit(listener ? 0 : 1);  // as if killed: no destructor
  } else {
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  ASSERT_TRUE(fs::exists(path()));
  EXPECT_FALSE(answers());
  const auto listener = Listener::open(path(), false);
  ASSERT_TRUE(listener) << describe(listener.error());
  EXPECT_TRUE(answers());
}

TEST_F(ListenerTest, AnotherProgramsSocketIsLeftAlone) {
  const UniqueFd agent(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(agent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(agent.get(), 4), 0);
  const auto listener = Listener::open(path(), false);
  ASSERT_FALSE(listener);
  EXPECT_THAT(describe(listener.error()), HasSubstr("another program listens there; give --socket another path"));
  EXPECT_TRUE(answers());
}

TEST_F(ListenerTest, WhatIsNoSocketIsLeftAlone) {
  ASSERT_TRUE(write_file(path(), "a letter"));
  const auto listener = Listener::open(path(), false);
  ASSERT_FALSE(listener);
  EXPECT_THAT(describe(listener.error()), HasSubstr("there is something that is no socket"));
  EXPECT_EQ(read_file(path()).value(), "a letter");
}

TEST_F(ListenerTest, AFolderThatOthersCouldUseIsRefused) {
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_write | fs::perms::others_write);
  const auto open = Listener::open(path(), false);
  ASSERT_FALSE(open);
  EXPECT_THAT(describe(open.error()), HasSubstr("has mode 0722: others could take the server's place"));
  // As /tmp: who may write there cannot take away what is another's.
  fs::permissions(folder_.path(), fs::perms::all | fs::perms::sticky_bit);
  EXPECT_TRUE(Listener::open(path(), false));
}

TEST_F(ListenerTest, TheDefaultPlaceIsMadeAndMustBePrivate) {
  const std::string place = (folder_.path() / "tallymark/serve.sock").string();
  {
    ASSERT_TRUE(Listener::open(place, true));
  }
  EXPECT_EQ(fs::status(folder_.path() / "tallymark").permissions(), fs::perms::owner_all);
  fs::permissions(folder_.path() / "tallymark", fs::perms::owner_all | fs::perms::others_read);
  const auto open = Listener::open(place, true);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::input);
  fs::remove_all(folder_.path() / "tallymark");
  fs::create_directory_symlink(folder_.path(), folder_.path() / "tallymark");
  EXPECT_THAT(describe(Listener::open(place, true).error()), HasSubstr("is not a folder")) << "a link may be turned";
}

TEST_F(ListenerTest, AnotherUsersFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  ASSERT_EQ(::chown(folder_.path().c_str(), 65534, 65534), 0);
  const auto open = Listener::open(path(), true);
  ASSERT_FALSE(open);
  EXPECT_THAT(describe(open.error()), HasSubstr("belongs to another user (uid 65534)"));
}

TEST(SocketPlace, IsInTheRuntimeFolderOrInTmp) {
  EXPECT_EQ(default_socket({{"XDG_RUNTIME_DIR", "/run/user/5"}}), "/run/user/5/tallymark/serve.sock");
  const std::string in_tmp = "/tmp/tallymark-" + std::to_string(::geteuid()) + "/serve.sock";
  EXPECT_EQ(default_socket({}), in_tmp);
  EXPECT_EQ(default_socket({{"XDG_RUNTIME_DIR", "relative"}}), in_tmp);
}

TEST(SocketPlace, APathThatNoSocketCanHaveIsRefused) {
  const auto listener = Listener::open("/tmp/" + std::string(200, 'x'), false);
  ASSERT_FALSE(listener);
  EXPECT_THAT(describe(listener.error()), HasSubstr("a socket's path has at most 107 characters"));
}

}  // namespace
}  // namespace tally::serve
