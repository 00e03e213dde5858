/// A running `tally serve`, as one that measures for a command.
///
/// Uses the protocol of docs/reference/serve.md; the server's events of a run reach the same observer as those of a run
/// in this process. An interruption (Ctrl-C) is passed on: the run ends as ours would, and a second one kills it. With
/// a third one a server that does not answer is left.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "json/value.h"
#include "process/interrupts.h"
#include "run/run.h"
#include "serve/channel.h"
#include "serve/request.h"

namespace tally::serve {

/// What a server reads instead of a plan.
struct ServedPlan {
  SuiteText suite;
  Selection selection;
};

/// A server that listens somewhere.
struct FoundServer {
  int pid = 0;
  std::string version = "of an unknown version";
  std::string commit = "?";
  bool is_this_build = false;
};

class Client {
 public:
  /// Whose socket that is, of whatever build; nothing where nobody listens. An error: it is another user's.
  static Result<std::optional<FoundServer>> look(const std::string& path, bool is_default);

  /// `which`: "auto", "off" or a socket's path. Nothing where no server is to be used: there is none, or `warn` got
  /// the reason. An error: the one that was named cannot be used. `tool` is what the server must be, too.
  static Result<std::unique_ptr<Client>> connect(const EnvironmentVariables& environment, const std::string& which,
                                                 const Tool& tool, const std::function<void(const std::string&)>& warn);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int pid() const { return pid_; }

  /// As measure() of run.h. `cores` are the CPUs that this process would use. The record has all samples.
  Result<RunResult> measure(const RunRequest& request, const ServedPlan& plan, const std::string& cores,
                            Interrupts& interrupts, RunObserver& observer);

 private:
  Client(std::string path, UniqueFd socket)
      : path_(std::move(path)), channel_(std::move(socket), Channel::kAnyLength) {}

  Status greet(const Tool& tool);
  json::Value send(std::string_view name, json::Object members);
  /// The next event; an interruption meanwhile, or since the last one, cancels `running`. Nothing after `within`.
  Result<std::optional<json::Value>> next_event(const json::Value& running, Interrupts* interrupts,
                                                std::optional<Milliseconds> within);
  Status pass_on(const json::Value& running, Interrupts& interrupts);
  [[nodiscard]] Error gone(const RunRequest& request) const;
  [[nodiscard]] Error silent(const RunRequest& request, Clock::duration time) const;

  std::string path_;
  Channel channel_;
  std::deque<std::string> received_;
  std::uint64_t last_id_ = 0;
  int passed_on_ = 0;  ///< Interruptions that were passed on to the server.
  int pid_ = 0;
};

}  // namespace tally::serve
