/// The server between its clients and a run that is played: real sockets, virtual time, nothing measured.
#include "serve/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "json/text.h"
#include "process/testing/fake_runner.h"

namespace tally::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Milliseconds kIdle{60'000};

/// This process's signals, which tests raise.
class Signals final : public InterruptionSource {
 public:
  Signals() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    in_.reset(ends[0]);
    out_.reset(ends[1]);
  }
  void raise() {
    ++count_;
    EXPECT_EQ(::write(out_.get(), "x", 1), 1);
  }
  [[nodiscard]] int fd() const override { return in_.get(); }
  int count() override {
    char byte = 0;
    EXPECT_EQ(::read(in_.get(), &byte, 1), 1);
    return count_;
  }

 private:
  UniqueFd in_;
  UniqueFd out_;
  int count_ = 0;
};

/// The far end of a client's socket.
class Peer {
 public:
  explicit Peer(Clients& clients) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    socket_.reset(ends[0]);
    EXPECT_TRUE(clients.add(Channel(UniqueFd(ends[1]))));
  }

  void say(const std::string& line) {
    const std::string text = line + "\n";
    EXPECT_EQ(::write(socket_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void greet() { say(R"({"request":"hello","id":0,"protocol":1,"client":"test"})"); }
  void measure(int id, const std::string& members = "") {
    say(fmt::format(R"({{"request":"measure","id":{},"suite":{{"text":"schema = 1\n[[timer]]\nlabel = [\"{}\"]\n)"
                    R"(language = \"python\"\nstmt = \"1\"\n"}},"environment":{{}},"working_folder":"/"{}}})",
                    id, id, members));
  }
  void say_no_more() { EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0); }
  void leave() { socket_.reset(); }

  /// "EVENT ID", and what makes some of them differ, of all that has come since the last time.
  std::vector<std::string> received() {
    std::string text;
    std::array<char, 4096> block;
    for (ssize_t n = 0; (n = ::read(socket_.get(), block.data(), block.size())) > 0;)
      text.append(block.data(), static_cast<std::size_t>(n));
    std::vector<std::string> events;
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) continue;
      const json::Value event = json::parse(line).value();
      std::string shown = fmt::format("{} {}", event["event"].text_or("?"), json::to_text(event["id"]));
      if (event["event"] == "waiting") shown += " behind " + json::to_text(event["ahead"]);
      if (event["event"] == "error") {
        const Error error = error_in(event);
        shown +=
            fmt::format(" {}: {}", error.kind == ErrorKind::interrupted ? "interrupted" : "refused", error.message);
      }
      events.push_back(std::move(shown));
    }
    return events;
  }

 private:
  UniqueFd socket_;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    workspace_ = Workspace::open(runner_, {.libexec = "/libexec", .tool = {.version = "1", .commit = "c"}}, "").value();
    clients_ = Clients::make(signals_).value();
    options_ = {.idle = kIdle,
                .memory = std::uint64_t{1} << 40,
                .cores = {},
                .ends_with_last_client = false,
                .on_end = [this] { ++ends_; },
                .measure = [this](Workspace&, const RunRequest& request, RunObserver&) { return play(request); }};
    server_ = std::make_unique<Server>(*clients_, *workspace_, options_);
  }

  /// A run: what is to happen in its middle does, and the server attends to its clients as a real one would.
  Result<RunResult> play(const RunRequest& request) {
    runs_.push_back(request.plan->cases.front().id);
    const int before = clients_->count();
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    const int times = clients_->count() - before;
    interrupted_.push_back(times);
    RunResult result;
    result.interrupted = times > 0;
    return result;
  }

  /// Until the server has ended; returns how many seconds it took, of virtual time.
  double serve() {
    const Clock::time_point begin = runner_.now();
    EXPECT_TRUE(server_->run());
    return std::chrono::duration<double>(runner_.now() - begin).count();
  }

  Signals signals_;
  FakeProcessRunner runner_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Clients> clients_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
  std::function<void()> meanwhile_;  ///< In the middle of the next run.
  std::vector<std::string> runs_;
  std::vector<int> interrupted_;  ///< How often each was.
  int ends_ = 0;
};

TEST_F(ServerTest, EndsOnceNobodyHasBeenThereForSoLong) {
  EXPECT_EQ(serve(), 60);
  EXPECT_EQ(ends_, 1) << "nobody may come in between";
}

TEST_F(ServerTest, AClientThatSaysNothingKeepsItUp) {
  Peer client(*clients_);
  runner_.after(Milliseconds(300'000), [&] { client.leave(); });
  EXPECT_GE(serve(), 359) << "it looks round once a second";
}

TEST_F(ServerTest, OnStandardInputItEndsWithItsClient) {
  server_.reset();
  options_.ends_with_last_client = true;
  server_ = std::make_unique<Server>(*clients_, *workspace_, options_);
  Peer client(*clients_);
  runner_.after(Milliseconds(5000), [&] { client.leave(); });
  EXPECT_LT(serve(), 10);
}

TEST_F(ServerTest, WhoDoesNotGreetInThisProtocolIsRefusedAndMayTryAgain) {
  Peer client(*clients_);
  client.measure(1);
  client.say(R"({"request":"hello","id":2,"protocol":99,"client":"test"})");
  client.say("no request");
  client.greet();
  client.measure(3);
  runner_.after(Milliseconds(1000), [&] { client.say(R"({"request":"shutdown","id":4})"); });
  serve();
  EXPECT_THAT(client.received(), ElementsAre("error 1 refused: the first request must be hello",
                                             "error 2 refused: this server speaks protocol 1, the client 99",
                                             HasSubstr("error null refused"), "hello 0", "record 3", "bye 4"));
}

TEST_F(ServerTest, ASecondClientWaitsForTheFirstOnesRun) {
  Peer first(*clients_);
  Peer second(*clients_);
  first.greet();
  second.greet();
  first.measure(1);
  meanwhile_ = [&] {
    second.measure(7);
    second.say(R"({"request":"status","id":8})");
    runner_.after(Milliseconds(1000), [&] { second.say(R"({"request":"shutdown","id":9})"); });
  };
  serve();
  EXPECT_THAT(runs_, ElementsAre("1 [python]", "7 [python]"));
  EXPECT_THAT(first.received(), ElementsAre("hello 0", "record 1"));
  EXPECT_THAT(second.received(), ElementsAre("hello 0", "waiting 7 behind 1", "status 8", "record 7", "bye 9"));
}

TEST_F(ServerTest, ARunWhoseClientGoesIsCutOffAndTheNextOneIsNot) {
  Peer first(*clients_);
  Peer second(*clients_);
  first.greet();
  second.greet();
  first.measure(1);
  first.measure(2);
  meanwhile_ = [&] {
    second.measure(7);
    first.leave();
    runner_.after(Milliseconds(1000), [&] { second.say(R"({"request":"shutdown","id":9})"); });
  };
  serve();
  EXPECT_THAT(runs_, ElementsAre("1 [python]", "7 [python]")) << "nobody waits for 2";
  EXPECT_THAT(interrupted_, ElementsAre(2, 0));
  EXPECT_THAT(second.received(), testing::Contains("record 7"));
}

TEST_F(ServerTest, ACancelledRunEndsEarlyAndOneThatWaitsDoesNotBegin) {
  Peer client(*clients_);
  client.greet();
  client.measure(1);
  client.measure(2);
  meanwhile_ = [&] {
    client.say(R"({"request":"cancel","id":3,"of":1})");
    client.say(R"({"request":"cancel","id":4,"of":2})");
    client.say(R"({"request":"cancel","id":5,"of":77})");
    runner_.after(Milliseconds(1000), [&] { client.say(R"({"request":"shutdown","id":6})"); });
  };
  serve();
  EXPECT_THAT(interrupted_, ElementsAre(1));
  EXPECT_THAT(client.received(),
              ElementsAre("hello 0", "waiting 2 behind 1", "cancelled 3", "cancelled 4",
                          "error 2 interrupted: cancelled before it began", "cancelled 5", "record 1", "bye 6"));
}

TEST_F(ServerTest, AnErrorOfACancelledRunIsItsCancellation) {
  server_.reset();
  options_.measure = [this](Workspace&, const RunRequest& request, RunObserver&) -> Result<RunResult> {
    std::ignore = play(request);
    return fail(ErrorKind::failed, "its host was killed");
  };
  server_ = std::make_unique<Server>(*clients_, *workspace_, options_);
  Peer client(*clients_);
  client.greet();
  client.measure(1);
  meanwhile_ = [&] { client.say(R"({"request":"cancel","id":2,"of":1})"); };
  runner_.after(Milliseconds(1000), [&] { client.measure(3); });
  runner_.after(Milliseconds(2000), [&] { client.say(R"({"request":"shutdown","id":4})"); });
  serve();
  EXPECT_THAT(client.received(), ElementsAre("hello 0", "cancelled 2", "error 1 interrupted: its host was killed",
                                             "error 3 refused: its host was killed", "bye 4"));
}

TEST_F(ServerTest, ARequestThatCannotBeMetCostsNobodyElseAnything) {
  Peer client(*clients_);
  client.greet();
  client.measure(1, R"(,"cores":"99999")");
  client.say(R"({"request":"measure","id":2,"suite":{"text":"schema = 1"},"environment":{},"working_folder":"/none"})");
  client.say(R"({"request":"measure","id":3,"suite":{"text":"wrong"},"environment":{},"working_folder":"/"})");
  client.say(R"({"request":"profile","id":4,"of":1,"case":"1 [python]"})");
  client.measure(5);
  client.measure(5);
  runner_.after(Milliseconds(1000), [&] { client.say(R"({"request":"shutdown","id":6})"); });
  serve();
  EXPECT_THAT(runs_, ElementsAre("5 [python]"));
  const std::vector<std::string> received = client.received();
  EXPECT_THAT(received, testing::Contains(HasSubstr("error 1 refused")));
  EXPECT_THAT(received, testing::Contains(HasSubstr("error 2 refused: cannot enter the working folder")));
  EXPECT_THAT(received, testing::Contains(HasSubstr("error 3 refused")));
  EXPECT_THAT(received, testing::Contains("error 4 refused: no profiles of that measure are kept"));
  EXPECT_THAT(received, testing::Contains("error 5 refused: a request with this id is not finished yet"));
  EXPECT_THAT(received, testing::Contains("record 5"));
}

TEST_F(ServerTest, AskedToEndItCutsItsRunOffAndRefusesThoseThatWait) {
  Peer first(*clients_);
  Peer second(*clients_);
  first.greet();
  second.greet();
  first.measure(1);
  meanwhile_ = [&] {
    second.measure(7);
    second.say(R"({"request":"shutdown","id":8})");
  };
  serve();
  EXPECT_THAT(interrupted_, ElementsAre(2));
  EXPECT_THAT(first.received(), ElementsAre("hello 0", "record 1"));
  EXPECT_THAT(second.received(), ElementsAre("hello 0", "waiting 7 behind 1", "bye 8",
                                             "error 7 refused: the server ends before this run's turn has come"));
}

TEST_F(ServerTest, ASignalIsForItsRunToo) {
  Peer client(*clients_);
  client.greet();
  client.measure(1);
  client.measure(2);
  meanwhile_ = [&] { signals_.raise(); };
  serve();
  EXPECT_THAT(interrupted_, ElementsAre(1));
  EXPECT_THAT(client.received(), ElementsAre("hello 0", "waiting 2 behind 1", "record 1",
                                             "error 2 refused: the server ends before this run's turn has come"));
  EXPECT_EQ(ends_, 1);
}

TEST_F(ServerTest, WhoRequestsNothingMoreGetsWhatIsOutstandingAndIsClosed) {
  Peer client(*clients_);
  client.greet();
  client.measure(1);
  client.say_no_more();
  serve();
  EXPECT_THAT(client.received(), ElementsAre("hello 0", "record 1"));
  EXPECT_EQ(clients_->size(), 0U);
  EXPECT_THAT(interrupted_, ElementsAre(0));
}

}  // namespace
}  // namespace tally::serve
