#include "serve/channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tally::serve {
namespace {

using testing::HasSubstr;

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() { open(Channel::kLongestPassed, Channel::kMostUnsent); }

  void open(std::uint64_t longest_passed, std::uint64_t most_unsent) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    theirs_ = UniqueFd(ends[0]);
    channel_.emplace(UniqueFd(ends[1]), longest_passed, most_unsent);
  }

  void write(std::string_view text, int file = -1) const {
    iovec part{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (file >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof file);
      std::memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    ASSERT_EQ(::sendmsg(theirs_.get(), &message, 0), static_cast<ssize_t>(text.size()));
  }

  /// What has come by now; an error as "error: …".
  std::vector<std::string> received() {
    std::vector<std::string> texts;
    for (const auto& one : channel_->receive()) texts.push_back(one ? *one : "error: " + describe(one.error()));
    return texts;
  }

  static UniqueFd file_with(std::string_view text) {
    UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return file;
  }

  UniqueFd theirs_;
  std::optional<Channel> channel_;
};

TEST_F(ChannelTest, LinesComeHoweverTheyAreCut) {
  write("one\ntw");
  EXPECT_THAT(received(), testing::ElementsAre("one"));
  write("o\n\n\nthree\nfour");
  EXPECT_THAT(received(), testing::ElementsAre("two", "three"));
  EXPECT_FALSE(channel_->ended());
  ::shutdown(theirs_.get(), SHUT_WR);
  EXPECT_THAT(received(), testing::ElementsAre("four")) << "a last line need not end";
  EXPECT_TRUE(channel_->ended());
}

TEST_F(ChannelTest, ALineThatIsTooLongIsRefusedAndTheNextOneTaken) {
  const std::string block(std::size_t{1} << 16, 'x');
  std::vector<std::string> all;
  for (int i = 0; i < 70; ++i) {
    write(block);
    for (std::string& text : received()) all.push_back(std::move(text));
  }
  write("\nnext\n");
  for (std::string& text : received()) all.push_back(std::move(text));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0], HasSubstr("a line of more than 4 MiB"));
  EXPECT_EQ(all[1], "next");
}

TEST_F(ChannelTest, ADocumentComesAsAFile) {
  const UniqueFd first = file_with("the first");
  const UniqueFd second = file_with("the second, and more");
  write("{\"passed\":9}\n", first.get());
  write("{\"passed\":10}\nplain\n", second.get());
  EXPECT_THAT(received(), testing::ElementsAre("the first", "the second", "plain"));
}

TEST_F(ChannelTest, AFileThatIsNotThereOrTooShortIsAnError) {
  write("{\"passed\":9}\n");
  EXPECT_THAT(received(), testing::ElementsAre(HasSubstr("no file came with this line")));
  const UniqueFd file = file_with("short");
  write("{\"passed\":9}\n", file.get());
  EXPECT_THAT(received(), testing::ElementsAre(HasSubstr("shorter than it should be")));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd in(ends[0]);
  const UniqueFd out(ends[1]);
  write("{\"passed\":9}\n", in.get());
  EXPECT_THAT(received(), testing::ElementsAre(HasSubstr("or is none"))) << "reading a pipe could take for ever";
  const UniqueFd large = file_with("x");
  write("{\"passed\":99999999999}\n", large.get());
  EXPECT_THAT(received(), testing::ElementsAre(HasSubstr("more than 256 MiB")));
}

TEST_F(ChannelTest, WhatTheClientDoesNotReadIsKept) {
  const std::string block(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 4; ++i) channel_->send(block);
  EXPECT_TRUE(channel_->has_unsent());
  EXPECT_FALSE(channel_->broken());
  std::string all;
  while (channel_->has_unsent() || all.size() < 4 * (block.size() + 1)) {
    std::string part(std::size_t{1} << 20, '\0');
    const ssize_t n = ::recv(theirs_.get(), part.data(), part.size(), 0);
    ASSERT_GT(n, 0);
    all.append(part, 0, static_cast<std::size_t>(n));
    channel_->flush();
  }
  EXPECT_EQ(all, block + "\n" + block + "\n" + block + "\n" + block + "\n");
}

TEST_F(ChannelTest, ALongDocumentGoesAsAFile) {
  std::string document(std::size_t{5} << 20, 'x');
  document.back() = 'y';
  channel_->send(document);
  char line[64] = {};
  iovec part{line, sizeof line};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ASSERT_GT(::recvmsg(theirs_.get(), &message, MSG_CMSG_CLOEXEC), 0);
  EXPECT_STREQ(line, "{\"passed\":5242880}\n");
  ASSERT_NE(CMSG_FIRSTHDR(&message), nullptr);
  int file = -1;
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  const UniqueFd passed(file);
  std::string read(document.size(), '\0');
  EXPECT_EQ(::pread(passed.get(), read.data(), read.size(), 0), static_cast<ssize_t>(read.size()));
  EXPECT_EQ(read, document);
}

TEST_F(ChannelTest, WhoTrustsTheOtherSideTakesAnyLength) {
  const std::uint64_t length = Channel::kLongestPassed + 1;
  const UniqueFd file = file_with("x");
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(length)), 0);
  const std::string line = "{\"passed\":" + std::to_string(length) + "}\n";
  write(line, file.get());
  EXPECT_THAT(received(), testing::ElementsAre(HasSubstr("more than 256 MiB")));
  open(Channel::kAnyLength, Channel::kMostUnsent);
  write(line, file.get());
  const auto documents = channel_->receive();
  ASSERT_EQ(documents.size(), 1U);
  ASSERT_TRUE(documents[0]) << describe(documents[0].error());
  EXPECT_EQ(documents[0]->size(), length);
}

TEST_F(ChannelTest, FilesCountAsUnreadUntilTheyAreRead) {
  const std::string document(std::size_t{5} << 20, 'x');
  open(Channel::kLongestPassed, document.size() * 2);
  for (int i = 0; i < 10; ++i) {
    channel_->send(document);
    ASSERT_FALSE(channel_->broken()) << "who reads may have any number";
    char line[64];
    ASSERT_GT(::recv(theirs_.get(), line, sizeof line, 0), 0);
  }
  for (int i = 0; i < 10; ++i) channel_->send(document);
  EXPECT_TRUE(channel_->broken());
}

TEST_F(ChannelTest, AFileThatCannotBeMadeIsReportedBeforeItEnds) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "this sanitizer needs a descriptor to look whether memory is there";
#endif
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  channel_->send(std::string(std::size_t{5} << 20, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(channel_->broken());
  std::string line(1000, '\0');
  line.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::recv(theirs_.get(), line.data(), line.size(), MSG_DONTWAIT))));
  EXPECT_THAT(line, HasSubstr("cannot pass a document of 5242880 bytes as a file in memory: Too many open files"));
}

TEST_F(ChannelTest, AClientThatIsGoneBreaksIt) {
  theirs_.reset();
  channel_->send("text");
  EXPECT_TRUE(channel_->broken());
  EXPECT_THAT(received(), testing::IsEmpty());
  EXPECT_TRUE(channel_->ended());
}

TEST(ChannelOfPipes, TakesLinesOfAnyLength) {
  int in[2];
  int out[2];
  ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
  const UniqueFd ours_in(in[0]);
  UniqueFd theirs_out(in[1]);
  const UniqueFd theirs_in(out[0]);
  const UniqueFd ours_out(out[1]);
  Channel channel(ours_in.get(), ours_out.get());
  EXPECT_TRUE(channel.receive().empty()) << "and does not wait for one";
  ASSERT_EQ(::write(theirs_out.get(), "a\nb", 3), 3);
  EXPECT_EQ(channel.receive().size(), 1U);
  channel.send(std::string(std::size_t{1} << 20, 'x'));
  EXPECT_TRUE(channel.has_unsent()) << "more than a pipe takes, and nobody waits";
  theirs_out.reset();
  EXPECT_EQ(channel.receive().size(), 1U);
  EXPECT_TRUE(channel.ended());
}

}  // namespace
}  // namespace tally::serve
