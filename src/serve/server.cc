#include "serve/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include "discovery/programs.h"
#include "process/memory_state.h"
#include "record/json.h"
#include "records/record_files.h"
#include "report/json/comparison_json.h"
#include "serve/host_keeping.h"
#include "serve/run_events.h"
#include "serve/suite_of.h"

namespace tally::serve {

namespace {

constexpr Milliseconds kLookAround{1000};
constexpr Milliseconds kLastMessages{3000};

Status check_folder(const std::string& folder) {
  if (::access((folder + "/.").c_str(), X_OK) == 0) return {};
  Error error = errno_error("enter the working folder", folder);
  error.kind = ErrorKind::input;
  return std::unexpected(std::move(error));
}

Error ends() {
  return {ErrorKind::failed, "the server ends before this run's turn has come", {}, "start it again, and run again"};
}

Result<std::string> text_of(const RunResult& result) {
  std::string text;
  if (Status written = write_json(result,
                                  [&](std::string_view piece) {
                                    text += piece;
                                    return Status{};
                                  });
      !written)
    return std::unexpected(written.error());
  return text;
}

}  // namespace

Server::Server(Clients& clients, Workspace& workspace, ServerOptions options)
    : clients_(clients),
      workspace_(workspace),
      options_(std::move(options)),
      queue_(
          [this](const Work& work, std::size_t ahead) { clients_.send(work.client, waiting_event(work.id, ahead)); }),
      cores_(options_.cores),
      idle_since_(workspace.runner().now()) {
  clients_.handle_with(this);
  workspace_.keep_hosts_warm();
}

Status Server::run() {
  ProcessRunner& runner = workspace_.runner();
  while (!ending_) {
    runner.watch(clients_.fd());
    while (queue_.empty() && !ending_) pass_time();
    runner.unwatch(clients_.fd());
    // What is left of the last run must not be taken for the next one's.
    while (attend_to_hosts(runner.now())) {
    }
    if (!ending_) run_next();
  }
  end();
  return {};
}

/// Between two runs: the clients ask, and hosts may end.
void Server::pass_time() {
  clients_.count();
  if (!queue_.empty() || ending_) return;
  ProcessRunner& runner = workspace_.runner();
  HostPool& hosts = workspace_.hosts();
  const Clock::time_point now = runner.now();
  if (clients_.size() > 0) idle_since_ = now;
  if (now >= idle_since_ + options_.idle || (options_.ends_with_last_client && clients_.size() == 0)) {
    ending_ = true;
    return;
  }
  attend_to_hosts(std::min(now + kLookAround, hosts.next_deadline()));
  hosts.check_deadlines();
  hosts.end_unwanted([](const HostKey&) { return true; });  // that may not serve again
  keep_memory();
}

/// Whether something happened. An interruption that is still reported was of a run that has ended.
bool Server::attend_to_hosts(Clock::time_point until) {
  HostPool& hosts = workspace_.hosts();
  const std::vector<Event> events = workspace_.runner().wait(until);
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<Finished>(&event)) hosts.on_finished(*finished);
    if (const auto* readable = std::get_if<FdReadable>(&event); readable && hosts.listens_to(readable->fd))
      hosts.on_readable(readable->fd, false);
    if (const auto* closed = std::get_if<FdClosed>(&event); closed && hosts.listens_to(closed->fd))
      hosts.on_readable(closed->fd, true);
  }
  return !events.empty();
}

void Server::run_next() {
  auto work = queue_.take();
  if (!work) return;
  running_ = Running{.client = work->client, .id = work->id};
  auto record = record_of(*work);
  // Whatever went wrong with it, it was cancelled.
  if (!record && running_->interruptions > 0) record.error().kind = ErrorKind::interrupted;
  running_.reset();
  queue_.ended();
  ++served_;
  if (record) {
    clients_.send(work->client, *std::move(record));
  } else {
    refuse(work->client, work->id, record.error());
  }
  close_where_done(work->client);
  idle_since_ = workspace_.runner().now();
}

/// The event that ends a run.
Result<std::string> Server::record_of(const Work& work) {
  const MeasureRequest& wanted = work.request;
  if (Status usable = check_folder(wanted.caller.working_folder); !usable) return std::unexpected(usable.error());
  const auto suite = suite_of(wanted, program_lister(workspace_.runner(), workspace_.surroundings().libexec,
                                                     wanted.caller, wanted.tools, wanted.settings));
  if (!suite) return std::unexpected(suite.error());
  const auto plan = make_plan(*suite, {.selection = wanted.selection, .repeat = wanted.settings.repeat});
  if (!plan) return std::unexpected(plan.error());
  RunRequest request = run_request(wanted);
  request.plan = &*plan;
  if (Status ready = prepare(work, request); !ready) return std::unexpected(ready.error());
  RunEvents events(
      work.id, [&](std::string event) { clients_.send(work.client, std::move(event)); }, [this] { keep_memory(); });
  const auto measured = options_.measure(workspace_, request, events);
  if (!measured) return std::unexpected(measured.error());
  if (const auto conversation = conversations_.find(work.client); conversation != conversations_.end()) {
    for (const CaseRecord& one : measured->record.cases) {
      if (conversation->second.profiles) conversation->second.profiles->add(one);
    }
  }
  const auto text = text_of(*measured);
  if (!text) return std::unexpected(text.error());
  return record_event(work.id, *text, measured->interrupted, measured->stopped);
}

/// The CPUs and the profiles that this run is to have.
Status Server::prepare(const Work& work, RunRequest& request) {
  const MeasureRequest& wanted = work.request;
  if (const std::string& cores = wanted.cores.empty() ? options_.cores : wanted.cores; cores != cores_) {
    if (Status used = workspace_.use_cores(cores); !used) return used;
    cores_ = cores;
  }
  const auto conversation = conversations_.find(work.client);
  if (conversation == conversations_.end()) return {};
  conversation->second.profiles.reset();
  if (!wanted.keeps_profiles) return {};
  auto profiles = CaseProfiles::make(workspace_.scratch(), !wanted.functions_alone);
  if (!profiles) return std::unexpected(profiles.error());
  request.profiles = profiles->request();
  conversation->second.profiles.emplace(*std::move(profiles));
  conversation->second.profiles_of = work.id;
  return {};
}

void Server::keep_memory() {
  HostPool& hosts = workspace_.hosts();
  std::vector<KeptHost> kept;
  for (HostView& host : hosts.view()) {
    const std::uint64_t bytes = resident_anonymous_bytes(host.pid);
    kept.push_back({std::move(host), bytes});
  }
  for (const HostId id : hosts_to_end(std::move(kept), options_.memory, memory_state())) hosts.end(id);
}

void Server::end() {
  if (options_.on_end) options_.on_end();
  for (const Work& work : queue_.waiting()) refuse(work.client, work.id, ends());
  workspace_.hosts().end_all();
  ProcessRunner& runner = workspace_.runner();
  runner.watch(clients_.fd());
  const Clock::time_point give_up = runner.now() + kLastMessages;
  while (clients_.has_unsent() && runner.now() < give_up) runner.wait(give_up);
  runner.unwatch(clients_.fd());
}

void Server::on_connected(ClientId client) { conversations_[client]; }

void Server::on_malformed(ClientId client, const Error& error) { refuse(client, {}, error); }

void Server::on_document(ClientId client, const std::string& document) {
  const ParsedRequest parsed = parse_request(document);
  if (!parsed.request) return refuse(client, parsed.id, parsed.request.error());
  if (!conversations_[client].greeted && !std::holds_alternative<HelloRequest>(*parsed.request)) {
    return refuse(client, parsed.id,
                  {ErrorKind::input, "the first request must be hello", "request", "say which protocol you speak"});
  }
  std::visit([&](const auto& request) { answer(client, parsed.id, request); }, *parsed.request);
}

void Server::on_last_request(ClientId client) {
  conversations_[client].has_requested_all = true;
  close_where_done(client);
}

/// Nobody waits for its work any more.
void Server::on_gone(ClientId client) {
  conversations_.erase(client);
  queue_.remove_all(client);
  if (is_running(client)) interrupt_running(2);
}

void Server::on_signal(int count) {
  ending_ = true;
  interrupt_running(count - std::exchange(signals_, count));
}

void Server::refuse(ClientId client, const json::Value& id, const Error& error) {
  clients_.send(client, error_event(id, error));
}

void Server::interrupt_running(int times) {
  if (!running_) return;
  running_->interruptions += times;
  clients_.interrupt(times);
}

void Server::close_where_done(ClientId client) {
  const auto conversation = conversations_.find(client);
  if (conversation == conversations_.end() || !conversation->second.has_requested_all) return;
  if (!is_running(client) && !queue_.has_any(client)) clients_.close(client);
}

void Server::answer(ClientId client, const json::Value& id, const HelloRequest& hello) {
  if (hello.protocol != kProtocol) {
    return refuse(
        client, id,
        {ErrorKind::input, fmt::format("this server speaks protocol {}, the client {}", kProtocol, hello.protocol),
         "hello", "use the tally that belongs to the client"});
  }
  conversations_[client].greeted = true;
  clients_.send(client, hello_event(id, workspace_.surroundings().tool, ::getpid()));
}

void Server::answer(ClientId client, const json::Value& id, const MeasureRequest& measure) {
  if (queue_.has(client, id) || (is_running(client) && running_->id == id))
    return refuse(client, id, {ErrorKind::input, "a request with this id is not finished yet", "measure.id", {}});
  if (ending_) return refuse(client, id, ends());
  queue_.add({client, id, measure});
}

void Server::answer(ClientId client, const json::Value& id, const ProfileOfRequest& profile) {
  const Conversation& conversation = conversations_[client];
  if (!conversation.profiles || conversation.profiles_of != profile.of) {
    return refuse(client, id,
                  {ErrorKind::input, "no profiles of that measure are kept", "profile.of",
                   "measure with \"profiles\": true, and ask before this connection's next measure begins"});
  }
  auto counts = conversation.profiles->of(profile.case_id, profile.callgrind);
  if (!counts) return refuse(client, id, counts.error());
  clients_.send(client, profile_event(id, *std::move(counts)));
}

void Server::answer(ClientId client, const json::Value& id, const CompareRequest& two) {
  clients_.send(client, compared_event(id, to_json(compare(two.base, two.next, compare_options()), nullptr)));
}

void Server::answer(ClientId client, const json::Value& id, const CheckRequest& two) {
  const Comparison comparison = compare(two.base, two.next, compare_options());
  const CheckResult result = check(comparison, two.limits, {}, {}, {.allow_uncompared = two.allow_uncompared});
  clients_.send(client, checked_event(id, to_json(comparison, &result)));
}

void Server::answer(ClientId client, const json::Value& id, const CancelRequest& cancel) {
  const bool running = is_running(client) && running_->id == cancel.of;
  if (running) interrupt_running(1);
  clients_.send(client, cancelled_event(id, cancel.of, running));
  if (running || !queue_.remove(client, cancel.of)) return;
  refuse(client, cancel.of, {ErrorKind::interrupted, "cancelled before it began", {}, {}});
  close_where_done(client);
}

void Server::answer(ClientId client, const json::Value& id, const StatusRequest& /*status*/) {
  ServerStatus status{.clients = clients_.size(),
                      .running = running_ ? 1U : 0U,
                      .waiting = queue_.size(),
                      .served = served_,
                      .hosts = {}};
  const Clock::time_point now = workspace_.runner().now();
  for (const HostView& host : workspace_.hosts().view()) {
    const std::chrono::duration<double> idle = host.busy ? Clock::duration::zero() : now - host.used;
    status.hosts.push_back({host.name, resident_anonymous_bytes(host.pid), idle.count()});
  }
  clients_.send(client, status_event(id, status));
}

void Server::answer(ClientId client, const json::Value& id, const ShutdownRequest& /*shutdown*/) {
  clients_.send(client, bye_event(id));
  ending_ = true;
  interrupt_running(2);
}

}  // namespace tally::serve
