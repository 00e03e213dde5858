/// Hosts for the fake runner: they speak src/protocol over the real sockets that the engine hands them, as the programs
/// under host/ do, and their cases do what a test says.
///
///   FakeHosts hosts;
///   FakeProcessRunner runner;
///   hosts.on_case = [](const FakeRequest& request) { return FakeCase{.counts = {request.attempt == 0 ? 5000U :
///   6000U}}; }; runner.play = [&](const ProcessRequest& request) { return hosts.play(request); };
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/testing/fake_case.h"
#include "process/testing/fake_runner.h"

namespace tally {

/// How a host behaves. Requests are counted from 1.
struct FakeHostScript {
  bool says_hello = true;
  Milliseconds hello_after{0};
  std::uint64_t threads = 1;
  std::uint16_t version = protocol::kVersion;
  std::string first_words;         ///< On its control socket instead of a hello, when not empty.
  std::size_t deaf_from = 0;       ///< This request and all later ones are never answered; 0: none.
  std::size_t dies_at = 0;         ///< It ends as `end` says when it is to fork for this request; 0: never.
  std::size_t cannot_fork_at = 0;  ///< It says that there are no processes left; 0: never.
  bool reaps = true;               ///< Otherwise it never says that a child has ended.
  ProcessResult end = {.outcome = Signaled{9}, .out = {}, .err = {}};
  Milliseconds dies_after{-1};  ///< From its start; negative: never.
};

/// What a host was asked to run.
struct FakeRequest {
  std::size_t host = 0;  ///< In order of their starts, from 0.
  bool counted = false;  ///< Its host runs under Valgrind.
  bool hides_drivers = false;
  std::uint32_t job = 0;
  std::string statement;    ///< Python: the parts of the text, joined. C++: the entry function.
  std::string setup;        ///< Python: likewise.
  std::string snippet;      ///< C++: the shared object.
  std::size_t attempt = 0;  ///< Earlier requests of hosts of this kind (counted or not) for the same statement.
  bool examined = false;
  std::uint64_t heap_padding = 0;
  std::uint64_t stack_padding = 0;
  std::uint64_t memory = 0;
  std::uint64_t to_come = 0;
  std::vector<int> cpus;
};

/// Must outlive the runner that plays them.
class FakeHosts {
 public:
  std::function<FakeCase(const FakeRequest&)> on_case;                                  ///< Null: all succeed.
  std::function<FakeHostScript(const ProcessRequest&, std::size_t nth_start)> on_host;  ///< Null: all serve.

  /// What FakeProcessRunner::play returns for a host.
  ScriptedProcess play(const ProcessRequest& request);

  /// Whether a process is handed a control socket.
  static bool is_host(const ProcessRequest& request);

  std::vector<FakeRequest> requests;  ///< In the order in which hosts took them.
  std::size_t started = 0;
  std::size_t ended = 0;

 private:
  friend class FakeHost;
  int last_pid_ = 1'000'000;
  std::map<std::pair<bool, std::string>, std::size_t> attempts_;
};

}  // namespace tally
