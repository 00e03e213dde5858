#include "hosts/host_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <tuple>

#include "base/overloaded.h"
#include "base/text.h"
#include "build/identity.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

namespace {

constexpr Milliseconds kToEnd{5000};           // for a host that has closed its control socket
constexpr Milliseconds kToBeRestored{10'000};  // for a host that is made of an image, which takes milliseconds
constexpr Milliseconds kToCompute{10'000};     // anything, for a host that is a case itself
constexpr int kLeastShare = 10;                // of that time, one in so many
constexpr std::string_view kNotReady = "it was not ready within ";

/// Valgrind begins its lines with the process: "==123== text".
std::string_view without_valgrind_prefix(std::string_view line) {
  if (!line.starts_with("==")) return line;
  const std::size_t end = line.find_first_not_of("0123456789", 2);
  return end != std::string_view::npos && end > 2 && line.substr(end).starts_with("==") ? trim(line.substr(end + 2))
                                                                                        : line;
}

/// " (a, b)"; nothing of none.
std::string in_parentheses(const std::vector<std::string>& names) {
  return names.empty() ? "" : " (" + join(names, ", ") + ")";
}

/// As waitpid(2) gives it.
int wait_status_of(const Outcome& outcome) {
  return std::visit(Overloaded{[](const Exited& exited) { return exited.code << 8; },
                               [](const Signaled& signaled) { return signaled.signal; },
                               [](const auto& /*cut short*/) { return SIGKILL; }},
                    outcome);
}

/// How a host ended, and the last line with a word in it of what it wrote before.
std::string last_words(const ProcessResult& result) {
  const std::string text = result.err.text();
  std::string_view said;
  for (const std::string_view line : split(text, '\n')) {
    if (const std::string_view words = without_valgrind_prefix(trim(line)); !words.empty()) said = words;
  }
  return said.empty() ? describe(result.outcome) : fmt::format("{}: {}", describe(result.outcome), said);
}

/// What helps where a program's own start says why it fails, or takes too long. AddressSanitizer's last line is one of
/// two.
std::string_view hint_of(std::string_view why) {
  if (why.starts_with(kNotReady)) return "; --host-timeout SECONDS gives it more";
  const bool is_sanitized = why.contains("ASan") || why.contains("End of process memory map");
  return is_sanitized ? "; Valgrind cannot run it: build it without -fsanitize=address" : "";
}

}  // namespace

void HostPool::begin_plan(RetryLimits retries, HostDeadlines deadlines) {
  retries_ = retries;
  deadlines_ = deadlines;
  broken_.clear();
  failed_starts_.clear();
  end_outdated();
}

/// A library that was built anew under its old name, say. What an interpreter has read is in the host's key.
void HostPool::end_outdated() {
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (!current->pid || current->sessions > 0) continue;
    if (current->mapped_state != state_of_all(current->mapped)) close(current);
  }
}

HostPool::Position HostPool::find(HostId id) { return std::ranges::find(hosts_, id, &Host::id); }

const HostPool::Host& HostPool::host(HostId id) const { return *std::ranges::find(hosts_, id, &Host::id); }

void HostPool::end_superseded(const HostKey& by) {
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (current->pid && current->sessions == 0 && current->key.lineage == by.lineage && current->key != by)
      close(current);
  }
}

bool HostPool::may_serve(const Host& host) const {
  const bool once = host.spec.single_use || single_use_.contains(host.key);
  return host.pid && !host.hung_up_at && !(once && host.used);
}

std::optional<HostId> HostPool::ready(const HostKey& key) const {
  const auto found = std::ranges::find_if(hosts_, [&](const Host& one) { return one.key == key && may_serve(one); });
  return found == hosts_.end() ? std::nullopt : std::optional(found->id);
}

bool HostPool::starting(const HostKey& key) const {
  return std::ranges::any_of(hosts_, [&](const Host& one) { return one.key == key && !one.pid; });
}

std::optional<std::string> HostPool::broken(const HostKey& key) const {
  const auto found = broken_.find(key);
  return found == broken_.end() ? std::nullopt : std::optional(found->second);
}

/// Of its image, where there is one; else it may leave one.
Result<ProcessRequest> HostPool::request_for(Host& host, UniqueFd control) {
  if (auto image = images_.begin(host.key, host.spec, host.image))
    return restore_request(host.spec, host.dumps, std::move(control), *std::move(image));
  return host_request(host.spec, host.dumps, std::move(control), host.image.new_image);
}

Result<HostPool::Host> HostPool::launch(const HostKey& key, const HostSpec& spec, CpuLease lease) {
  Host host{.id = HostId{++last_id_}, .key = key, .spec = spec};
  host.dumps = fmt::format("{}/{:04}", scratch_, last_id_);
  std::error_code code;
  std::filesystem::create_directories(host.dumps, code);
  auto pair = make_socket_pair();
  if (!pair) return std::unexpected(pair.error());
  auto request = request_for(host, std::move(pair->theirs));
  if (!request) return std::unexpected(request.error());
  request->cpus = lease.cpus();
  request->scratch = scratch_to_remove();
  auto process = runner_.start(*std::move(request));
  if (!process) return std::unexpected(process.error());
  host.process = *process;
  host.control = FrameStream(std::move(pair->ours));
  if (spec.late_variables) {
    // Where it has ended already, that is what is reported.
    std::ignore = host.control.send(late_variables_frame(*spec.late_variables));
  }
  host.started = runner_.now();
  host.started_at = std::chrono::system_clock::now();
  host.due = host.started + (host.image.is_restored ? std::min(deadlines_.start, kToBeRestored) : deadlines_.start);
  host.lease = std::move(lease);
  return host;
}

std::optional<HostProcess> HostPool::start(const HostKey& key, const HostSpec& spec, CpuLease lease) {
  end_superseded(key);
  auto host = launch(key, spec, std::move(lease));
  if (!host) {
    broken_[key] = fmt::format("the {} does not start: {}", spec.name, describe(host.error()));
    return std::nullopt;
  }
  runner_.watch(host->control.fd());
  hosts_.push_back(*std::move(host));
  if (hosts_.back().image.is_restored) return HostProcess{spec.name + ", of its image", {spec.restorer}};
  const std::string why = images_.why_started(key);
  return HostProcess{why.empty() ? spec.name : fmt::format("{} ({})", spec.name, why), spec.argv};
}

const FrameStream& HostPool::lend(HostId id) {
  Host& lent = *find(id);
  lent.used = true;
  lent.used_at = runner_.now();
  ++lent.sessions;
  return lent.control;
}

void HostPool::give_back(HostId id) {
  const Position position = find(id);
  if (position == hosts_.end()) return;
  --position->sessions;
  position->used_at = runner_.now();
  // What a case left behind must not run beside the next one.
  runner_.sweep(position->process);
}

void HostPool::works(HostId id) {
  if (const Position position = find(id); position != hosts_.end()) failed_starts_.erase(position->key);
}

int HostPool::pid(HostId id) const { return *host(id).pid; }

const std::string& HostPool::dumps(HostId id) const { return host(id).dumps; }

const std::vector<std::string>& HostPool::threads(HostId id) const { return host(id).threads; }

const std::vector<std::string>& HostPool::mapped(HostId id) const { return host(id).mapped; }

void HostPool::kill(HostId id, const std::string& why) {
  const Position position = find(id);
  if (position == hosts_.end()) return;
  if (position->killed_because.empty()) position->killed_because = why;
  runner_.cancel(position->process, CancelMode::at_once);
}

HostGone HostPool::drop(HostId id, const std::string& why) {
  if (const Position position = find(id); position != hosts_.end()) close(position);
  return {id, why};
}

void HostPool::end_at_once(const Host& host) {
  runner_.unwatch(host.control.fd());
  runner_.cancel(host.process, CancelMode::at_once);
  ImageUse::discard(host.image);
}

void HostPool::close(Position position) {
  runner_.unwatch(position->control.fd());
  position->control.close();
  runner_.cancel(position->process, CancelMode::graceful);
  ImageUse::discard(position->image);
  hosts_.erase(position);
}

void HostPool::end_all() {
  for (const Host& one : hosts_) end_at_once(one);
  hosts_.clear();
}

void HostPool::end_unfinished() {
  if (!keep_warm_) return end_all();
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (current->pid && current->sessions == 0) continue;
    end_at_once(*current);
    hosts_.erase(current);
  }
}

std::vector<HostView> HostPool::view() const {
  std::vector<HostView> views;
  for (const Host& one : hosts_) {
    const bool busy = !one.pid || one.sessions > 0;
    views.push_back({one.id, one.spec.name, one.pid.value_or(0), one.pid ? one.used_at : one.started, busy});
  }
  return views;
}

void HostPool::end(HostId id) {
  const Position position = find(id);
  if (position != hosts_.end() && position->pid && position->sessions == 0) close(position);
}

bool HostPool::listens_to(int fd) const {
  return std::ranges::any_of(hosts_, [fd](const Host& one) { return one.control.fd() == fd; });
}

std::vector<HostEvent> HostPool::on_readable(int fd, bool closed) {
  const auto position = std::ranges::find_if(hosts_, [fd](const Host& one) { return one.control.fd() == fd; });
  std::vector<HostEvent> events;
  bool ended = closed;
  auto read = position->control.read([&](const Message& message) { on_message(*position, message, events); }, ended);
  if (!read) {
    const std::string why = describe(read.error());
    // Another version will not become ours by being started again.
    if (!position->used) {
      if (auto warning = start_failed(*position, why, !read.error().hint.empty())) events.emplace_back(*warning);
    }
    runner_.cancel(position->process, CancelMode::at_once);
    events.emplace_back(drop(position->id, why));
  } else if (ended) {
    // The reason is what the process wrote and how it ended: both come with its end, or it hangs.
    runner_.unwatch(fd);
    position->hung_up_at = runner_.now();
  }
  return events;
}

void HostPool::on_message(Host& host, const Message& message, std::vector<HostEvent>& events) {
  switch (message.type()) {
    case MessageType::hello:
      return on_hello(host, message, events);
    case MessageType::started:
      return on_started(host, message, events);
    case MessageType::exited:
      events.emplace_back(ChildReaped{host.id, message.job(), static_cast<int>(message.number(Field::status)),
                                      static_cast<protocol::Stage>(message.number(Field::stage)),
                                      message.number(Field::cut_off) != 0});
      return;
    default:
      return;
  }
}

void HostPool::on_hello(Host& host, const Message& message, std::vector<HostEvent>& events) {
  host.pid = static_cast<int>(message.number(Field::pid));
  host.mapped = runner_.mapped_files(*host.pid);
  images_.settle(host.key, host.spec, host.image, host.mapped);
  const auto changed = last_change(host.mapped);
  // Then nobody knows which of the two it has; an empty state is not a file's.
  host.mapped_state = changed && *changed >= host.started_at ? "" : state_of_all(host.mapped);
  host.lease.reset();
  host.used_at = runner_.now();
  const std::uint64_t threads = message.number(Field::threads);
  if (threads <= 1) return;
  host.threads = runner_.thread_names(*host.pid);
  serve_once(host,
             fmt::format("has {} threads{} and cannot be forked safely: each of its cases gets a host of its own",
                         threads, in_parentheses(host.threads)),
             events);
}

void HostPool::on_started(Host& host, const Message& message, std::vector<HostEvent>& events) {
  const int pid = static_cast<int>(message.number(Field::pid));
  const int error = static_cast<int>(message.number(Field::status));
  const bool in_host = message.number(Field::in_process) != 0;
  events.emplace_back(ChildForked{host.id, message.job(), pid, error, in_host});
  if (in_host) {
    host.runs_itself = message.job();
    host.seen = runner_.now();
    host.active = active_time(host);
  }
  if (pid > 0 && message.number(Field::threads) > 1) {
    if (host.threads.empty()) host.threads = runner_.thread_names(*host.pid);
    serve_once(host,
               fmt::format("has grown threads{} and cannot be forked safely any more: each further case gets a host of "
                           "its own",
                           in_parentheses(host.threads)),
               events);
  }
}

void HostPool::serve_once(const Host& host, const std::string& why, std::vector<HostEvent>& events) {
  if (single_use_.insert(host.key).second)
    events.emplace_back(HostWarning{fmt::format("the {} {}, which is slower", host.spec.name, why)});
}

std::vector<HostEvent> HostPool::on_finished(const Finished& finished) {
  const auto position = std::ranges::find(hosts_, finished.id, &Host::process);
  std::vector<HostEvent> events;
  if (position == hosts_.end()) return events;
  const std::string why =
      position->killed_because.empty() ? last_words(finished.result) : "was ended: " + position->killed_because;
  // Whatever ended it: the next one is started, so that no case fails for an image.
  if (position->image.is_restored) images_.give_up(position->key, position->spec, why);
  if (!position->used) {
    // What it decided itself (a module that is missing) it would decide again; a signal may have been bad luck.
    const bool for_good = !position->pid && std::holds_alternative<Exited>(finished.result.outcome);
    if (auto warning = start_failed(*position, why, for_good)) events.emplace_back(*warning);
  }
  if (finished.result.aslr_refused && !std::exchange(warned_of_aslr_, true)) {
    events.emplace_back(HostWarning{
        "address randomisation could not be switched off (a container's seccomp profile?): counts may vary"});
  }
  // What it ran itself ends with it, and is reported first.
  if (position->runs_itself) {
    events.emplace_back(ChildReaped{position->id, *position->runs_itself, wait_status_of(finished.result.outcome),
                                    protocol::Stage::region, false});
  }
  events.emplace_back(drop(position->id, "the host " + why));
  return events;
}

/// A host that did not come up is tried again, as often as a lost one, unless that is pointless. One that was made of
/// an image is started as usual, and nothing is wrong.
std::optional<HostWarning> HostPool::start_failed(const Host& host, const std::string& why, bool for_good) {
  ImageUse::discard(host.image);
  if (host.image.is_restored) {
    images_.give_up(host.key, host.spec, why);
    return std::nullopt;
  }
  if (for_good || failed_starts_[host.key]++ >= retries_.after_lost_host) {
    broken_[host.key] = fmt::format("the {} does not start: {}{}", host.spec.name, why, hint_of(why));
    return std::nullopt;
  }
  return HostWarning{fmt::format("the {} did not start, and is started again: {}", host.spec.name, why)};
}

/// Processor time that a host has used, or waited for: what hangs does neither.
Milliseconds HostPool::active_time(const Host& host) const {
  return runner_.busy_time(host.process) + runner_.queued_time(host.process);
}

/// A host that was active since is not: it gets as long again.
bool HostPool::is_late(Host& host) {
  const Clock::time_point now = runner_.now();
  if (host.pid || now < host.due) return false;
  if (!deadlines_.busy_start) return true;
  const Milliseconds active = active_time(host);
  if (active < host.active + deadlines_.start / 20 || runner_.busy_time(host.process) > *deadlines_.busy_start)
    return true;
  host.active = active;
  host.due = now + deadlines_.start;
  return false;
}

/// A case of a host with threads may wait for what one of them holds: Valgrind runs a thread until it waits, and one
/// that lets go of a lock and takes it again is never in between where another could have it.
bool HostPool::is_stalled(Host& host) {
  const Clock::time_point now = runner_.now();
  if (!host.runs_itself || now < host.seen + kToCompute) return false;
  const Milliseconds active = active_time(host);
  const bool stalled = active - host.active < kToCompute / kLeastShare;
  host.seen = now;
  host.active = active;
  return stalled;
}

std::vector<HostEvent> HostPool::check_deadlines() {
  std::vector<HostEvent> events;
  const Clock::time_point now = runner_.now();
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (is_late(*current)) {
      const std::string why =
          fmt::format("{}{:.0f} s", kNotReady, std::chrono::duration<double>(now - current->started).count());
      if (auto warning = start_failed(*current, why, false)) events.emplace_back(*warning);
      runner_.cancel(current->process, CancelMode::at_once);
      events.emplace_back(drop(current->id, why));
    } else if (is_stalled(*current)) {
      const std::string why = fmt::format(
          "it waits, and nothing in its process computes: threads that its imports have started{} may hold what it "
          "waits "
          "for",
          in_parentheses(current->threads));
      runner_.cancel(current->process, CancelMode::at_once);
      events.emplace_back(HostGone{.host = drop(current->id, why).host, .why = why, .stalled = true});
    } else if (current->hung_up_at && now >= *current->hung_up_at + kToEnd) {
      runner_.cancel(current->process, CancelMode::at_once);
    }
  }
  return events;
}

Clock::time_point HostPool::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const Host& one : hosts_) {
    if (!one.pid) next = std::min(next, one.due);
    if (one.runs_itself) next = std::min(next, one.seen + kToCompute);
    if (one.hung_up_at) next = std::min(next, std::max(*one.hung_up_at + kToEnd, runner_.now() + Milliseconds(100)));
  }
  return next;
}

void HostPool::end_unwanted(const std::function<bool(const HostKey&)>& wanted) {
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (current->sessions > 0) continue;
    const bool spent = current->used && !current->hung_up_at && !may_serve(*current);
    if (spent || (!keep_warm_ && !wanted(current->key))) close(current);
  }
}

std::size_t HostPool::leased_cpus() const {
  std::size_t count = 0;
  for (const Host& one : hosts_) {
    if (one.lease) count += one.lease->cpus().size();
  }
  return count;
}

}  // namespace tally
