#include "engine/testing/fake_host.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "build/resolve.h"
#include "protocol/descriptors.h"
#include "protocol/hidden_drivers.h"
#include "session/frame_stream.h"

namespace tally {

using protocol::Field;
using protocol::kControlSocket;
using protocol::Message;
using protocol::MessageType;
using protocol::Stage;
using protocol::Writer;

namespace {

constexpr std::string_view kDumps = "--callgrind-out-file=";

const PassedFd* control_of(const ProcessRequest& request) {
  const auto found = std::ranges::find(request.pass_fds, kControlSocket, &PassedFd::target);
  return found == request.pass_fds.end() ? nullptr : &*found;
}

/// The folder of "--callgrind-out-file=FOLDER/%p", which who restores a host is given alone; empty for a native host.
std::string dumps_of(const ProcessRequest& request) {
  if (request.argv.front().ends_with("/tally-restore")) return request.argv[1].substr(0, request.argv[1].rfind('/'));
  for (const std::string& argument : request.argv) {
    if (argument.starts_with(kDumps)) return argument.substr(kDumps.size(), argument.rfind('/') - kDumps.size());
  }
  return {};
}

std::string joined(const Message& message, Field field) {
  std::string text;
  for (std::size_t i = 0; const auto part = message.nth(field, i); ++i) {
    if (i > 0) text += '\n';
    text += *part;
  }
  return text;
}

FakeRequest read_request(const Message& message) {
  FakeRequest request{.job = message.job(),
                      .statement = joined(message, message.count(Field::symbol) > 0 ? Field::symbol : Field::stmt_part),
                      .setup = joined(message, Field::setup_part),
                      .snippet = std::string(message.text(Field::snippet).value_or("")),
                      .examined = message.count(Field::examiner) > 0,
                      .heap_padding = message.number(Field::heap_padding),
                      .stack_padding = message.number(Field::stack_padding),
                      .memory = message.number(Field::memory),
                      .to_come = message.number(Field::to_come)};
  for (std::size_t i = 0; i < message.count(Field::cpu); ++i) {
    request.cpus.push_back(static_cast<int>(message.number(Field::cpu, 0, i)));
  }
  return request;
}

}  // namespace

class FakeHost final : public FakePeer {
 public:
  FakeHost(FakeHosts& hosts, FakeProcessRunner& runner, ProcessId id, UniqueFd control, std::string dumps,
           bool hides_drivers, FakeHostScript script)
      : hosts_(&hosts),
        runner_(&runner),
        id_(id),
        number_(hosts.started - 1),
        pid_(++hosts.last_pid_),
        control_(std::move(control)),
        dumps_(std::move(dumps)),
        hides_drivers_(hides_drivers),
        script_(std::move(script)) {
    if (script_.dies_after >= Milliseconds(0)) {
      runner.after(script_.dies_after, [this, life = std::weak_ptr(life_)] {
        if (!life.expired()) runner_->end(id_, script_.end);
      });
    }
    if (script_.says_hello) {
      runner.after(script_.hello_after, [this, life = std::weak_ptr(life_)] {
        if (!life.expired()) say_hello();
      });
    }
  }
  ~FakeHost() override { ++hosts_->ended; }

  void pump() override {
    receive();
    const std::map<std::uint32_t, std::shared_ptr<FakeCaseChild>> all = children_;
    for (const auto& [job, child] : all) child->pump();
  }

 private:
  void say_hello() {
    if (!script_.first_words.empty()) {
      ::send(control_.get(), script_.first_words.data(), script_.first_words.size(), MSG_NOSIGNAL);
      return;
    }
    std::array<char, 512> buffer;
    Writer hello(buffer, MessageType::hello, 0);
    hello.number(Field::pid, static_cast<std::uint64_t>(pid_))
        .number(Field::threads, script_.threads)
        .number(Field::under_valgrind, dumps_.empty() ? 0 : 1)
        .text(Field::language, "python")
        .text(Field::version, "3.11.2");
    // Where the header has the version; send() fills in the rest.
    std::memcpy(buffer.data() + sizeof protocol::kMagic, &script_.version, sizeof script_.version);
    send(hello);
  }

  void send(Writer& frame) const {
    const std::string_view bytes = frame.finish();
    ::send(control_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  /// What has come: frames, and descriptors, which come with the first byte of theirs.
  void receive() {
    std::array<char, 64UZ * 1024> block;
    for (;;) {
      iovec part{block.data(), block.size()};
      alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> attached{};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = attached.data();
      message.msg_controllen = attached.size();
      const ssize_t n = ::recvmsg(control_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (n < 0) return;
      if (n == 0) return runner_->end(id_, {.outcome = Exited{0}, .out = {}, .err = {}});
      for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
        std::array<int, 2> fds{};
        std::memcpy(fds.data(), CMSG_DATA(one), sizeof fds);
        for (const int fd : fds) fds_.emplace_back(fd);
      }
      pending_.append(block.data(), static_cast<std::size_t>(n));
      take_frames();
    }
  }

  void take_frames() {
    for (;;) {
      const protocol::Parsed parsed = protocol::parse_frame(pending_);
      if (parsed.state != protocol::ParseState::complete) return;
      if (parsed.message.type() == MessageType::variables) {
        pending_.erase(0, parsed.consumed);
        continue;
      }
      if (fds_.size() < 2) return;
      UniqueFd socket = std::move(fds_[0]);
      UniqueFd output = std::move(fds_[1]);
      fds_.erase(fds_.begin(), fds_.begin() + 2);
      on_request(parsed.message, std::move(socket), std::move(output));
      pending_.erase(0, parsed.consumed);
    }
  }

  void on_request(const Message& message, UniqueFd socket, UniqueFd output) {
    FakeRequest request = read_request(message);
    request.host = number_;
    request.counted = !dumps_.empty();
    request.hides_drivers = hides_drivers_;
    request.attempt = hosts_->attempts_[{request.counted, request.snippet + request.statement}]++;
    hosts_->requests.push_back(request);
    const std::size_t nth = ++requests_;
    if (nth == script_.dies_at) return runner_->end(id_, script_.end);
    if (script_.deaf_from != 0 && nth >= script_.deaf_from) return;
    std::array<char, 512> buffer;
    Writer started(buffer, MessageType::started, request.job);
    started.number(Field::threads, script_.threads);
    if (nth == script_.cannot_fork_at) {
      return send(started.number(Field::pid, 0).number(Field::status, EAGAIN));
    }
    FakeCase script = hosts_->on_case ? hosts_->on_case(request) : FakeCase{};
    const auto child =
        std::make_shared<FakeCaseChild>(FakeCaseChild::Place{.runner = runner_,
                                                             .host_pid = pid_,
                                                             .last_pid = &hosts_->last_pid_,
                                                             .dumps = dumps_,
                                                             .examined = request.examined,
                                                             .on_end = [this](auto... how) { on_child_end(how...); }},
                                        std::move(script), request.job, std::move(socket), std::move(output));
    children_.emplace(request.job, child);
    send(started.number(Field::pid, static_cast<std::uint64_t>(child->pid())).number(Field::status, 0));
    child->begin();
  }

  void on_child_end(std::uint32_t job, int wait_status, Stage stage) {
    const auto child = children_.extract(job).mapped();
    if (script_.reaps) {
      std::array<char, 512> buffer;
      Writer exited(buffer, MessageType::exited, job);
      send(exited.number(Field::pid, static_cast<std::uint64_t>(child->pid()))
               .number(Field::status, static_cast<std::uint64_t>(wait_status))
               .number(Field::stage, static_cast<std::uint64_t>(stage)));
    }
    // Not now: it is the child that is calling.
    runner_->after(Milliseconds(0), [child] {});
  }

  FakeHosts* hosts_;
  FakeProcessRunner* runner_;
  ProcessId id_;
  std::size_t number_;
  int pid_;
  UniqueFd control_;
  std::string dumps_;  ///< Empty: not under Valgrind.
  bool hides_drivers_;
  FakeHostScript script_;
  std::shared_ptr<int> life_ = std::make_shared<int>();  ///< Ends with this host, for what is to be done later.
  std::string pending_;
  std::deque<UniqueFd> fds_;
  std::size_t requests_ = 0;
  std::map<std::uint32_t, std::shared_ptr<FakeCaseChild>> children_;
};

bool FakeHosts::is_host(const ProcessRequest& request) { return control_of(request) != nullptr; }

ScriptedProcess FakeHosts::play(const ProcessRequest& request) {
  FakeHostScript script = on_host ? on_host(request, started) : FakeHostScript{};
  ++started;
  ScriptedProcess process{.takes = std::nullopt};
  process.peer = [this, script = std::move(script)](FakeProcessRunner& runner, ProcessId id, ProcessRequest& asked) {
    UniqueFd control = std::move(std::ranges::find(asked.pass_fds, kControlSocket, &PassedFd::target)->fd);
    return std::make_unique<FakeHost>(*this, runner, id, std::move(control), dumps_of(asked),
                                      !value_of(asked.environment, protocol::kHiddenDriversVariable).empty(), script);
  };
  return process;
}

}  // namespace tally
