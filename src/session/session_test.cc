/// A session and the far end of its socket: what it makes of a child's messages, output and end.
#include "session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tally {
namespace {

using protocol::Field;
using protocol::MessageType;
using protocol::Stage;
using testing::HasSubstr;
using testing::IsEmpty;

/// Takes the request as a host does, with the two descriptors that come with it.
class Child {
 public:
  explicit Child(int control) {
    std::array<char, 65536> bytes;
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> attached{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = attached.data();
    message.msg_controllen = attached.size();
    EXPECT_GT(::recvmsg(control, &message, MSG_CMSG_CLOEXEC), 0);
    int fds[2] = {-1, -1};
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) std::memcpy(fds, CMSG_DATA(header), sizeof fds);
    socket_.reset(fds[0]);
    output_.reset(fds[1]);
  }

  void write(std::string_view bytes) const {
    EXPECT_EQ(::write(socket_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void print(std::string_view text) const { std::ignore = ::write(output_.get(), text.data(), text.size()); }

  void say_ready(protocol::Phase phase) const {
    std::array<char, 1024> buffer;
    protocol::Writer ready(buffer, MessageType::ready, 1);
    write(ready.number(Field::phase, static_cast<std::uint64_t>(phase)).number(Field::threads, 1).finish());
  }
  void say_failed(Stage stage, std::string_view message) const {
    std::array<char, 1024> buffer;
    protocol::Writer failed(buffer, MessageType::failed, 1);
    write(failed.number(Field::stage, static_cast<std::uint64_t>(stage)).text(Field::message, message).finish());
  }
  void say_asked(std::string_view driver) const {
    std::array<char, 1024> buffer;
    protocol::Writer asked(buffer, MessageType::asked, 0);
    write(asked.text(Field::driver, driver).finish());
  }

 private:
  UniqueFd socket_;
  UniqueFd output_;
};

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    case_.language = Language::python;
    case_.stmt.parts = {{"x", {}}};
    SessionRequest request;
    request.rules.measured = &case_;
    request.rules.toolchain = &toolchain_;
    request.rules.mode = Mode::wall;
    request.rules.plan = case_plan({}, {});
    request.job = 1;
    request.loaded_by = [this](int) { return loaded_; };
    session_.emplace(std::move(request));
    SocketPair control = make_socket_pair().value();
    EXPECT_TRUE(session_->start(FrameStream(std::move(control.ours))));
    child_.emplace(control.theirs.get());
    session_->on_started(4711);
  }

  Status read() {
    bool closed = false;
    return session_->on_socket(closed);
  }
  CaseOutcome outcome() {
    CaseOutcome outcome;
    session_->deliver(outcome);
    return outcome;
  }
  CaseFailure failure() { return outcome().failure.value(); }

  Case case_;
  Toolchain toolchain_;
  std::vector<std::string> loaded_;
  std::optional<Session> session_;
  std::optional<Child> child_;
};

TEST_F(SessionTest, AChildThatSaysWhyItFailsIsQuotedWithWhatItPrinted) {
  child_->print("about to divide\n");
  child_->say_failed(Stage::setup, "ZeroDivisionError: division by zero");
  session_->on_exited(W_EXITCODE(0, 0), Stage::setup, false);
  EXPECT_EQ(session_->ending(), Ending::failed);
  const CaseFailure why = failure();
  EXPECT_EQ(why.stage, "setup");
  EXPECT_THAT(why.message, HasSubstr("division by zero"));
  EXPECT_EQ(why.output, "about to divide\n");
}

TEST_F(SessionTest, ASignalIsACrashAndAnExitCodeIsNone) {
  session_->on_exited(W_EXITCODE(0, SIGSEGV), Stage::region, false);
  EXPECT_EQ(session_->ending(), Ending::crashed);
  EXPECT_THAT(failure().message, HasSubstr("SIGSEGV"));
}

TEST_F(SessionTest, AnEndWithoutAWordBeforeAllIsMeasuredIsAFailure) {
  session_->on_exited(W_EXITCODE(0, 0), Stage::setup, false);
  EXPECT_EQ(session_->ending(), Ending::failed);
  EXPECT_THAT(failure().message, HasSubstr("exited with code 0 before it had a result"));
}

TEST_F(SessionTest, TheFirstReasonForItsEndCounts) {
  session_->on_stopped(Ending::timed_out, "took longer than 60 s");
  session_->on_exited(W_EXITCODE(0, SIGKILL), Stage::region, false);
  session_->on_stopped(Ending::host_lost, "its host was killed");
  EXPECT_EQ(session_->ending(), Ending::timed_out);
  EXPECT_EQ(failure().message, "took longer than 60 s");
}

TEST_F(SessionTest, WhatIsStoppedWithoutAStageStandsAtItsLastPhase) {
  session_->on_stopped(Ending::timed_out, "late");
  EXPECT_EQ(failure().stage, "setup");
}

TEST_F(SessionTest, OnceItsPhaseIsReadyAStoppedCaseWasBeingTimed) {
  child_->say_ready(protocol::Phase::baseline);
  EXPECT_TRUE(read());
  session_->on_stopped(Ending::timed_out, "late");
  EXPECT_EQ(failure().stage, "time");
}

TEST_F(SessionTest, WithoutItsHostNothingElseIsToBlame) {
  child_->say_ready(protocol::Phase::baseline);
  EXPECT_TRUE(read());
  session_->on_stopped(Ending::host_lost, "its host was killed", Stage::region);
  EXPECT_EQ(failure().stage, "host");
}

TEST_F(SessionTest, WhatIsNoFrameIsAFaultOfTheHost) {
  child_->write("this is not a frame, and longer than the head of one");
  EXPECT_FALSE(read());
}

TEST_F(SessionTest, AFrameInTwoPartsIsOne) {
  std::array<char, 1024> buffer;
  protocol::Writer ready(buffer, MessageType::ready, 1);
  const std::string_view frame = ready.number(Field::phase, 0).number(Field::threads, 1).finish();
  child_->write(frame.substr(0, 5));
  EXPECT_TRUE(read());
  child_->write(frame.substr(5));
  EXPECT_TRUE(read());
  session_->on_stopped(Ending::timed_out, "late");
  EXPECT_EQ(failure().stage, "time");
}

TEST_F(SessionTest, ADriverIsKnownByItsLibrarysNameOrByItsPath) {
  EXPECT_THAT(session_->asked_driver(), IsEmpty());
  child_->say_asked("/usr/lib/libcuda.so.1");
  EXPECT_TRUE(read());
  EXPECT_EQ(session_->asked_driver(), "libcuda.so.1");
  child_->say_asked("/dev/nvidiactl");
  EXPECT_TRUE(read());
  EXPECT_EQ(session_->asked_driver(), "/dev/nvidiactl");
}

TEST_F(SessionTest, ALibraryThatTheSetupLoadsIsADoubt) {
  loaded_ = {"/usr/lib/libextra.so"};
  child_->say_ready(protocol::Phase::statement);
  EXPECT_TRUE(read());
  session_->on_stopped(Ending::timed_out, "late");
  const CaseOutcome found = outcome();
  EXPECT_EQ(found.counted.doubt, "its setup loads libextra.so");
  EXPECT_EQ(found.loaded, std::vector<std::string>{"/usr/lib/libextra.so"});
}

TEST_F(SessionTest, OfAFloodHeadAndTailAreKept) {
  child_->print("first words\n");
  for (int i = 0; i < 40; ++i) {
    child_->print(std::string(8192, 'x'));
    EXPECT_TRUE(session_->on_output());
  }
  child_->print("last words\n");
  session_->on_stopped(Ending::timed_out, "late");
  const CaseFailure why = failure();
  EXPECT_LT(why.output.size(), 70'000U);
  EXPECT_TRUE(why.output.starts_with("first words\n"));
  EXPECT_TRUE(why.output.ends_with("last words\n"));
}

}  // namespace
}  // namespace tally
