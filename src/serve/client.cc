#include "serve/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "json/text.h"
#include "record/json.h"
#include "serve/events.h"
#include "serve/pulse.h"
#include "serve/request.h"
#include "serve/run_events.h"
#include "serve/socket_place.h"

namespace tally::serve {

namespace fs = std::filesystem;

namespace {

constexpr Milliseconds kToGreet{5000};

Result<UniqueFd> connect_to(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof address.sun_path) return fail(ErrorKind::input, "no socket has so long a path", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return std::unexpected(errno_error("connect to the server", path));
  ucred peer{};
  socklen_t length = sizeof peer;
  // It would be given our whole environment.
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != ::geteuid())
    return fail(ErrorKind::input, "the server there is another user's", path, "start one of your own: tally serve");
  return socket;
}

std::string absolute(const std::string& path) {
  std::error_code code;
  return fs::absolute(path, code).lexically_normal().string();
}

void report_progress(const json::Value& event, RunObserver& observer) {
  const std::string kind = event["kind"].text_or("");
  const auto number = [&](std::string_view key) {
    return event[key].whole() != nullptr ? static_cast<std::size_t>(*event[key].whole()) : 0;
  };
  Case measured;
  measured.id = event["case"].text_or("");
  const Mode mode = mode_named(event["mode"].text_or("")).value_or(Mode::counts);
  if (kind == "begin") observer.on_begin(number("cases"), number("finished"));
  if (kind == "process") observer.on_process(event["what"].text_or(""), json::texts_of(event["argv"]));
  if (kind == "planned") observer.on_planned(mode, number("sessions"));
  if (kind == "session") {
    std::vector<int> cpus;
    cpus.reserve(event["cpus"].size());
    for (std::size_t i = 0; i < event["cpus"].size(); ++i)
      cpus.push_back(static_cast<int>(event["cpus"][i].number().value_or(0)));
    observer.on_session(measured, mode, cpus);
  }
  if (kind == "session_end") observer.on_session_end(measured, mode);
  if (kind == "waiting") observer.on_waiting(event["text"].text_or(""));
  if (kind == "message") observer.on_message(event["text"].text_or(""));
  if (kind == "end") observer.on_end();
}

/// A run that has to wait for its turn at the server.
class ServerWait {
 public:
  static constexpr Milliseconds kUnspoken{1000};
  static constexpr Milliseconds kLook{200};

  void ahead(double runs) {
    if (!since_) since_ = Clock::now();
    ahead_ = runs;
    said_ = said_ && runs == said_ahead_;
  }
  void over() { since_.reset(); }
  [[nodiscard]] bool is_running() const { return since_.has_value(); }
  [[nodiscard]] bool longer_than(std::optional<double> seconds) const {
    return since_ && seconds && std::chrono::duration<double>(Clock::now() - *since_).count() >= *seconds;
  }
  /// Once a second has passed, and when the number changes.
  void report(RunObserver& observer) {
    if (!since_ || said_ || Clock::now() < *since_ + kUnspoken) return;
    said_ = true;
    said_ahead_ = ahead_;
    observer.on_waiting("waiting for the server: " + text());
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{:.0f} {} first", ahead_, ahead_ == 1 ? "run goes" : "runs go");
  }

 private:
  std::optional<Clock::time_point> since_;
  double ahead_ = 0;
  double said_ahead_ = 0;
  bool said_ = false;
};

Result<RunResult> result_of(const json::Value& event) {
  auto record = record_from_json(json::to_text(event["record"]), "the server's record");
  if (!record) return std::unexpected(record.error());
  RunResult result{.record = *std::move(record), .interrupted = event["interrupted"] == true};
  if (!event["stopped"].is_null()) result.stopped = error_in(event["stopped"]);
  return result;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const EnvironmentVariables& environment, const std::string& which,
                                                const Tool& tool, const std::function<void(const std::string&)>& warn) {
  std::unique_ptr<Client> none;
  if (which == "off") return none;
  const bool is_named = which != "auto";
  const std::string path = is_named ? absolute(which) : default_socket(environment);
  std::error_code code;
  if (!is_named && !fs::exists(path, code)) return none;
  const auto without = [&](const Error& error) -> Result<std::unique_ptr<Client>> {
    if (is_named) return std::unexpected(error);
    warn("measuring without the server: " + describe(error));
    return std::unique_ptr<Client>();
  };
  if (Status safe = check_socket_folder(path, !is_named); !safe) return without(safe.error());
  auto socket = connect_to(path);
  if (!socket) {
    if (!is_named && socket.error().kind == ErrorKind::io) return none;  // a killed one's
    return without(socket.error());
  }
  std::unique_ptr<Client> client(new Client(path, *std::move(socket)));
  if (Status fine = client->greet(tool); !fine) return without(fine.error());
  return client;
}

Result<std::optional<FoundServer>> Client::look(const std::string& path, bool is_default) {
  std::error_code code;
  if (!fs::exists(path, code)) return std::nullopt;
  if (Status safe = check_socket_folder(path, is_default); !safe) return std::unexpected(safe.error());
  auto socket = connect_to(path);
  if (!socket && socket.error().kind == ErrorKind::io) return std::nullopt;  // a killed one's
  if (!socket) return std::unexpected(socket.error());
  ucred peer{};
  socklen_t length = sizeof peer;
  ::getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &peer, &length);
  FoundServer found{.pid = peer.pid};
  Client client(path, *std::move(socket));
  client.send("hello", {{"protocol", kProtocol}, {"client", "tally serve --status"}});
  // A busy one may be slow to answer, and one of another protocol says something else.
  const auto answer = client.next_event({}, nullptr, kToGreet);
  if (answer && *answer && (**answer)["event"] == json::Value("hello")) {
    found.version = (**answer)["version"].text_or("");
    found.commit = (**answer)["commit"].text_or("");
  }
  found.is_this_build = fs::equivalent(fmt::format("/proc/{}/exe", found.pid), "/proc/self/exe", code) && !code;
  return found;
}

Status Client::greet(const Tool& tool) {
  send("hello", {{"protocol", kProtocol}, {"client", fmt::format("tally {}", tool.version)}});
  const auto answer = next_event({}, nullptr, kToGreet);
  if (!answer) return std::unexpected(answer.error());
  if (!*answer) return fail(ErrorKind::failed, "the server does not answer", path_, "end it, and start another");
  const json::Value& hello = **answer;
  if (hello["event"] != json::Value("hello")) return std::unexpected(error_in(hello));
  const std::string version = hello["version"].text_or("");
  const std::string commit = hello["commit"].text_or("");
  if (version != tool.version || commit != tool.commit) {
    return fail(
        ErrorKind::input,
        fmt::format("it is another tally: {} ({}), this one is {} ({})", version, commit, tool.version, tool.commit),
        path_, "end it (tally serve --stop), and start this one: tally serve");
  }
  pid_ = static_cast<int>(hello["pid"].number().value_or(0));
  // Two builds of one commit may differ: by changes that are not committed, by flags.
  std::error_code code;
  if (!fs::equivalent(fmt::format("/proc/{}/exe", pid_), "/proc/self/exe", code) && !code) {
    return fail(ErrorKind::input, "it is another build of tally than this one", path_,
                "end it (tally serve --stop), and start this one: tally serve");
  }
  return {};
}

json::Value Client::send(std::string_view name, json::Object members) {
  const json::Value id(++last_id_);
  json::Object request{{"request", name}, {"id", id}};
  request.update(std::move(members));
  channel_.send(json::to_text(request));
  return id;
}

Result<std::optional<json::Value>> Client::next_event(const json::Value& running, Interrupts* interrupts,
                                                      std::optional<Milliseconds> within) {
  if (interrupts != nullptr) {
    if (Status heeded = pass_on(running, *interrupts); !heeded) return std::unexpected(heeded.error());
  }
  while (received_.empty()) {
    if (channel_.ended() || channel_.broken()) return fail(ErrorKind::failed, "the server has gone", path_);
    const short wanted = channel_.has_unsent() ? POLLIN | POLLOUT : POLLIN;
    pollfd polled[] = {{channel_.in(), wanted, 0}, {interrupts == nullptr ? -1 : interrupts->fd(), POLLIN, 0}};
    const int ready = ::poll(polled, 2, within ? static_cast<int>(within->count()) : -1);
    if (ready == 0) return std::nullopt;
    channel_.flush();
    for (auto& document : channel_.receive()) {
      if (!document) return std::unexpected(document.error());
      received_.push_back(*std::move(document));
    }
    if (interrupts == nullptr) continue;
    if (Status heeded = pass_on(running, *interrupts); !heeded) return std::unexpected(heeded.error());
  }
  auto event = json::parse(received_.front());
  received_.pop_front();
  if (!event) return fail(ErrorKind::failed, "the server says what is not JSON: " + event.error().message, path_);
  return *std::move(event);
}

/// Cancels once for each interruption that has come, those between two runs too.
Status Client::pass_on(const json::Value& running, Interrupts& interrupts) {
  constexpr int kHeeded = 2;  // a server kills with the second one
  for (const int now = interrupts.count(); passed_on_ < now; ++passed_on_) {
    if (passed_on_ >= kHeeded)
      return fail(ErrorKind::interrupted, "the server does not heed interruptions", path_,
                  fmt::format("end it (process {})", pid_));
    send("cancel", {{"of", running}});
  }
  return {};
}

Error Client::gone(const RunRequest& request) const {
  return {ErrorKind::failed, "the server has gone in the middle of the run", path_,
          request.journal ? fmt::format("what was measured is in {}: run again with --resume", request.journal->path)
                          : "run again"};
}

Error Client::silent(const RunRequest& request, Clock::duration time) const {
  Error error = gone(request);
  error.message = fmt::format("the server (process {}) has sent nothing for {} s", pid_,
                              std::chrono::duration_cast<std::chrono::seconds>(time).count());
  error.hint = fmt::format("end it (kill {}), or let it continue (kill -CONT {}); {}", pid_, pid_, error.hint);
  return error;
}

Result<RunResult> Client::measure(const RunRequest& request, const ServedPlan& plan, const std::string& cores,
                                  Interrupts& interrupts, RunObserver& observer) {
  const json::Value id = send("measure", members_of(measure_request(request, plan.suite, plan.selection, cores)));
  ServerWait waiting;
  Pulse pulse(Clock::now());
  for (;;) {
    waiting.report(observer);
    if (waiting.longer_than(request.settings.max_wait_s)) {
      send("cancel", {{"of", id}});
      observer.on_end();
      return fail(ErrorKind::failed,
                  fmt::format("the run has waited for the server for {:g} s, which is the most: {}",
                              *request.settings.max_wait_s, waiting.text()),
                  path_, "let it wait longer (--max-wait), or measure without the server (--server off)");
    }
    auto event = next_event(id, &interrupts, waiting.is_running() ? ServerWait::kLook : Pulse::kToAnswer);
    const Clock::time_point now = Clock::now();
    if (event && !*event) {
      const Pulse::State state = pulse.feel(now);
      if (state == Pulse::State::to_be_asked) send("status", {});
      if (state != Pulse::State::lost) continue;
      observer.on_end();
      return std::unexpected(silent(request, pulse.silent(now)));
    }
    pulse.on_event(now);
    if (!event && (channel_.ended() || channel_.broken())) {
      observer.on_end();
      return std::unexpected(gone(request));
    }
    if (!event) {
      observer.on_end();
      return std::unexpected(event.error());
    }
    const json::Value& what = **event;
    const std::string name = what["event"].text_or("");
    // An error of no request is of this one: there is no other.
    if (what["id"] != id && !(name == "error" && what["id"].is_null())) continue;
    if (name == "progress") report_progress(what, observer);
    if (name == "waiting") waiting.ahead(what["ahead"].number().value_or(1));
    if (name != "waiting") waiting.over();
    if (name == "case") {
      if (const auto one = case_from_json(json::to_text(what["case"]), "the server's case")) observer.on_case(*one);
    }
    if (name == "record") return result_of(what);
    if (name == "error") {
      observer.on_end();
      return std::unexpected(error_in(what));
    }
  }
}

}  // namespace tally::serve
