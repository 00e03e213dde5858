/// The fake host held to the protocol: what it answers is what a real one would.
#include "engine/testing/fake_host.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <filesystem>

#include "base/files.h"
#include "profile/callgrind.h"
#include "session/frame_stream.h"

namespace tally {
namespace {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Stage;
using protocol::Writer;
using ::testing::ElementsAre;

/// What a message said; a Message itself is valid only while it is read.
struct Received {
  MessageType type{};
  std::uint64_t pid = 0;
  std::uint64_t status = 0;
  std::uint64_t stage = 0;
  std::uint64_t phase = 0;
  std::uint64_t dump = 0;
  std::uint64_t iterations = 0;
  std::string message;
  std::size_t samples = 0;
};

/// The runner's side: a host's control socket and one case's.
class FakeHostTest : public ::testing::Test {
 protected:
  FakeHostTest() : folder_(::testing::TempDir() + "fake_host_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    runner_.play = [this](const ProcessRequest& request) { return hosts_.play(request); };
  }
  ~FakeHostTest() override { std::filesystem::remove_all(folder_); }

  ProcessId start_host() {
    SocketPair pair = make_socket_pair().value();
    ProcessRequest request;
    request.argv = {"valgrind", "--callgrind-out-file=" + folder_ + "/%p", "host"};
    request.pass_fds.push_back({3, std::move(pair.theirs)});
    EXPECT_TRUE(FakeHosts::is_host(request));
    control_ = FrameStream(std::move(pair.ours));
    runner_.watch(control_.fd());
    return runner_.start(std::move(request)).value();
  }

  void request_case(std::uint32_t job) {
    SocketPair pair = make_socket_pair().value();
    int output[2];
    ASSERT_EQ(pipe2(output, O_CLOEXEC), 0);
    output_.reset(output[0]);
    const UniqueFd theirs(output[1]);
    if (case_.fd() >= 0) runner_.unwatch(case_.fd());
    case_ = FrameStream(std::move(pair.ours));
    runner_.watch(case_.fd());
    const int attached[2] = {pair.theirs.get(), theirs.get()};
    Writer request(buffer_, MessageType::run_case, job);
    request.text(Field::setup_part, "x = 1").text(Field::stmt_part, "x += 1");
    ASSERT_TRUE(control_.send(request.finish(), attached));
  }

  void say(MessageType type, std::uint64_t iterations = 10, bool last = false) {
    Writer command(buffer_, type, 1);
    command.number(Field::iterations, iterations).number(Field::last, last ? 1 : 0).number(Field::children, 2);
    ASSERT_TRUE(case_.send(command.finish()));
  }

  /// The next message on either socket.
  Received receive() {
    while (received_.empty()) {
      const std::vector<Event> events = runner_.wait(runner_.now() + std::chrono::hours(1));
      if (events.empty()) return {};
      for (const Event& event : events) {
        const auto* readable = std::get_if<FdReadable>(&event);
        if (readable == nullptr) continue;
        bool closed = false;
        FrameStream& stream = readable->fd == control_.fd() ? control_ : case_;
        EXPECT_TRUE(stream.read([this](const Message& message) { keep(message); }, closed));
      }
    }
    Received first = std::move(received_.front());
    received_.pop_front();
    return first;
  }
  void keep(const Message& message) {
    received_.push_back({.type = message.type(),
                         .pid = message.number(Field::pid),
                         .status = message.number(Field::status),
                         .stage = message.number(Field::stage),
                         .phase = message.number(Field::phase),
                         .dump = message.number(Field::dump),
                         .iterations = message.number(Field::iterations),
                         .message = std::string(message.text(Field::message).value_or("")),
                         .samples = message.text(Field::samples).value_or("").size() / sizeof(double)});
  }

  std::vector<std::uint64_t> counted_in(const Received& counted) {
    const auto text = read_file(folder_ + "/" + std::to_string(counted.pid) + "." + std::to_string(counted.dump));
    return callgrind_totals(text.value()).value().values;
  }

  std::string folder_;
  FakeHosts hosts_;
  FakeProcessRunner runner_;
  FrameStream control_;
  FrameStream case_;
  UniqueFd output_;
  std::deque<Received> received_;
  std::array<char, 4096> buffer_{};
};

TEST_F(FakeHostTest, ItLeadsTheWholeConversationOfACountedCase) {
  hosts_.on_case = [](const FakeRequest& request) {
    EXPECT_EQ(request.statement, "x += 1");
    EXPECT_TRUE(request.counted);
    return FakeCase{.baseline = {100}, .counts = {700, 701}, .output = "hello"};
  };
  const ProcessId host = start_host();
  EXPECT_EQ(receive().type, MessageType::hello);
  request_case(1);
  const Received started = receive();
  EXPECT_EQ(started.type, MessageType::started);
  EXPECT_EQ(receive().phase, 0U);
  say(MessageType::count);
  const Received empty = receive();
  EXPECT_EQ(empty.pid, started.pid) << "an empty loop needs no process of its own";
  EXPECT_THAT(counted_in(empty), ElementsAre(100));
  say(MessageType::advance);
  const Received ready = receive();
  EXPECT_EQ(ready.type, MessageType::ready);
  EXPECT_EQ(ready.phase, 1U);
  say(MessageType::count);
  const Received forked = receive();
  EXPECT_NE(forked.pid, started.pid);
  EXPECT_EQ(forked.iterations, 10U);
  EXPECT_THAT(counted_in(forked), ElementsAre(700));
  say(MessageType::count, 10, true);
  const Received own = receive();
  EXPECT_EQ(own.pid, started.pid);
  EXPECT_EQ(own.dump, 4U) << "after those of both phases' starts, and of the empty loop";
  EXPECT_THAT(counted_in(own), ElementsAre(701));
  say(MessageType::advance);
  const Received exited = receive();
  EXPECT_EQ(exited.type, MessageType::exited);
  EXPECT_EQ(exited.pid, started.pid);
  EXPECT_EQ(exited.status, 0U);
  char text[8];
  EXPECT_EQ(read(output_.get(), text, sizeof text), 5);
  runner_.unwatch(control_.fd());
  control_.close();
  const std::vector<Event> end = runner_.wait();
  EXPECT_EQ(std::get<Finished>(end.back()).id, host);
  EXPECT_EQ(describe(std::get<Finished>(end.back()).result.outcome), "exited with code 0");
}

TEST_F(FakeHostTest, ATimedCaseAnswersForEachChild) {
  hosts_.on_case = [](const FakeRequest&) { return FakeCase{.region_takes = Milliseconds(30)}; };
  start_host();
  receive();
  request_case(1);
  receive();
  receive();
  say(MessageType::advance);
  receive();
  const Clock::time_point asked = runner_.now();
  say(MessageType::time, 0);
  for (int child = 0; child < 2; ++child) {
    const Received timed = receive();
    EXPECT_EQ(timed.type, MessageType::timed);
    EXPECT_EQ(timed.iterations, 1000U);
    EXPECT_EQ(timed.samples, 8U);
  }
  EXPECT_EQ(runner_.now() - asked, Milliseconds(30));
}

TEST_F(FakeHostTest, AChildThatHangsEndsByTheSignalThatItHeeds) {
  hosts_.on_case = [](const FakeRequest&) {
    return FakeCase{.ignores = {SIGINT},
                    .trouble = FakeTrouble{.kind = FakeTrouble::Kind::hangs, .at = Stage::warm_up}};
  };
  start_host();
  const Received hello = receive();
  request_case(7);
  const Received started = receive();
  EXPECT_TRUE(runner_.wait(runner_.now() + std::chrono::seconds(60)).empty());
  const auto child = runner_.hold(static_cast<int>(started.pid), static_cast<int>(hello.pid));
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(child->signal(SIGINT));
  EXPECT_TRUE(runner_.wait(runner_.now() + std::chrono::seconds(60)).empty());
  EXPECT_TRUE(child->signal(SIGTERM));
  const Received exited = receive();
  EXPECT_EQ(exited.status, static_cast<std::uint64_t>(SIGTERM));
  EXPECT_EQ(exited.stage, static_cast<std::uint64_t>(Stage::warm_up));
  EXPECT_FALSE(child->signal(SIGKILL));
}

TEST_F(FakeHostTest, ItSaysWhyACaseFailedBeforeItsEnd) {
  hosts_.on_case = [](const FakeRequest&) {
    return FakeCase{.trouble = FakeTrouble{.at = Stage::setup, .message = "NameError: y"}};
  };
  start_host();
  receive();
  request_case(1);
  EXPECT_EQ(receive().type, MessageType::started);
  const std::vector<Received> rest = {receive(), receive()};
  EXPECT_THAT(rest, ::testing::UnorderedElementsAre(::testing::Field(&Received::message, "NameError: y"),
                                                    ::testing::Field(&Received::type, MessageType::exited)));
}

TEST_F(FakeHostTest, OneOfAnotherVersionIsRefused) {
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.version = 9}; };
  start_host();
  const std::vector<Event> events = runner_.wait();
  ASSERT_EQ(events.size(), 1U);
  bool closed = false;
  const Status read = control_.read([](const Message&) {}, closed);
  ASSERT_FALSE(read);
  EXPECT_THAT(describe(read.error()), ::testing::HasSubstr("the host speaks protocol 9"));
}

TEST_F(FakeHostTest, OneThatDiesAtItsSecondRequestTakesItsCasesWithIt) {
  hosts_.on_host = [](const ProcessRequest&, std::size_t) { return FakeHostScript{.dies_at = 2}; };
  start_host();
  const Received hello = receive();
  request_case(1);
  const Received started = receive();
  EXPECT_EQ(receive().type, MessageType::ready);
  const auto child = runner_.hold(static_cast<int>(started.pid), static_cast<int>(hello.pid));
  request_case(2);
  std::vector<Event> end = runner_.wait();
  while (!std::holds_alternative<Finished>(end.back())) end = runner_.wait(runner_.now() + Milliseconds(1));
  EXPECT_EQ(describe(std::get<Finished>(end.back()).result.outcome), "killed by SIGKILL (killed)");
  EXPECT_FALSE(child->signal(SIGKILL));
  EXPECT_EQ(hosts_.ended, 1U);
}

}  // namespace
}  // namespace tally
