#include "hosts/host_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/text.h"
#include "build/identity.h"
#include "hosts/host_end.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

namespace {

constexpr Milliseconds kToEnd{5000};           // for a host that has closed its control socket
constexpr Milliseconds kToBeRestored{10'000};  // for a host that is made of an image, which takes milliseconds
constexpr Milliseconds kToCompute{10'000};     // anything, for a host that is a case itself
constexpr int kLeastShare = 10;                // of that time, one in so many

/// " (a, b)"; nothing of none.
std::string in_parentheses(const std::vector<std::string>& names) {
  return names.empty() ? "" : " (" + join(names, ", ") + ")";
}

/// Of a host whose Python is not installed here.
Error no_image_of(const HostSpec& spec, const std::string& why) {
  if (!spec.counted)
    return {ErrorKind::missing,
            "its Python is not installed here, and an image of another machine only counts",
            {},
            "take --counts-only, or install it"};
  if (!spec.images)
    return {ErrorKind::missing,
            "its Python is not installed here, and such a host is made of no image",
            {},
            "leave out --images off, --aa and profiles, or install it"};
  return {ErrorKind::missing,
          fmt::format("its Python is not installed here, and no image of it was carried here that serves{}{}",
                      why.empty() ? "" : ": ", why),
          {},
          "export one where it is installed, with the same environment and folders: tally cache export "
          "--self-contained"};
}

}  // namespace

void HostPool::begin_plan(RetryLimits retries, HostDeadlines deadlines) {
  retries_ = retries;
  deadlines_ = deadlines;
  broken_.clear();
  failed_starts_.clear();
  end_outdated();
}

/// A library that was built anew under its old name, say, or a file of data that an import has read. What an
/// interpreter has read of modules is in the host's key. A host that takes times has no image that says what it has
/// read: one that counts, and imports the same, says it for both.
void HostPool::end_outdated() {
  const auto has_changed = [](const ImageFile& file) { return ImageFile::now(file.path) != file; };
  std::set<std::string> outdated;
  for (const auto& [family, files] : read_by_) {
    if (std::ranges::any_of(files, has_changed)) outdated.insert(family);
  }
  close_each([&](const Host& one) {
    const bool is_unknown = one.spec.program && !read_by_.contains(one.spec.family);
    return is_idle(one) &&
           (outdated.contains(one.spec.family) || is_unknown || one.mapped_state != state_of_all(one.mapped));
  });
  for (const std::string& family : outdated) read_by_.erase(family);
}

HostPool::Position HostPool::find(HostId id) { return std::ranges::find(hosts_, id, &Host::id); }

const HostPool::Host& HostPool::host(HostId id) const { return *std::ranges::find(hosts_, id, &Host::id); }

void HostPool::end_superseded(const HostKey& by) {
  close_each([&](const Host& one) { return is_idle(one) && one.key.lineage == by.lineage && one.key != by; });
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
    return restore_request(host.spec, host.dumps, std::move(control), *std::move(image), host.image.folders);
  if (host.spec.is_carried) return std::unexpected(no_image_of(host.spec, images_.why_started(host.key)));
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
  host.launched = runner_.now();
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

void HostPool::close_each(const std::function<bool(const Host&)>& chosen) {
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (chosen(*current)) close(current);
  }
}

void HostPool::end_all() {
  for (const Host& one : hosts_) end_at_once(one);
  hosts_.clear();
}

void HostPool::end_unfinished() {
  if (!keep_warm_) return end_all();
  for (auto position = hosts_.begin(); position != hosts_.end();) {
    const Position current = position++;
    if (is_idle(*current)) continue;
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
  if (position != hosts_.end() && is_idle(*position)) close(position);
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
    if (!position->used) start_failed(*position, {.why = why, .for_good = !read.error().hint.empty()}, events);
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
  if (!host.image.files.empty()) read_by_[host.spec.family] = host.image.files;
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

std::optional<Clock::time_point> HostPool::single_since(HostId id) const {
  const auto found = std::ranges::find(hosts_, id, &Host::id);
  if (found == hosts_.end() || !single_use_.contains(found->key)) return std::nullopt;
  return found->launched;
}

void HostPool::serve_once(const Host& host, const std::string& why, std::vector<HostEvent>& events) {
  if (single_use_.insert(host.key).second && warned_of_threads_.insert(host.spec.family).second)
    events.emplace_back(HostWarning{fmt::format("the {} {}, which is slower", host.spec.family, why)});
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
    start_failed(*position, {.why = why, .hint = hint_for_start(why), .for_good = for_good}, events);
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
void HostPool::start_failed(const Host& host, const StartFailure& failure, std::vector<HostEvent>& events) {
  ImageUse::discard(host.image);
  if (host.image.is_restored) return images_.give_up(host.key, host.spec, failure.why);
  if (failure.for_good || failed_starts_[host.key]++ >= retries_.after_lost_host) {
    broken_[host.key] = fmt::format("the {} does not start: {}{}", host.spec.name, failure.why, failure.hint);
    return;
  }
  events.emplace_back(
      HostWarning{fmt::format("the {} did not start, and is started again: {}", host.spec.name, failure.why)});
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
      const std::string why = fmt::format("it was not ready within {:.0f} s",
                                          std::chrono::duration<double>(now - current->started).count());
      start_failed(*current, {.why = why, .hint = "; --host-timeout SECONDS gives it more"}, events);
      runner_.cancel(current->process, CancelMode::at_once);
      events.emplace_back(drop(current->id, why));
    } else if (is_stalled(*current)) {
      const std::string why = fmt::format(
          "it waits, and nothing in its process computes: threads that its imports have started{} may hold what it "
          "waits for",
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
  close_each([&](const Host& one) {
    const bool spent = one.used && !one.hung_up_at && !may_serve(one);
    return one.sessions == 0 && (spent || (!keep_warm_ && !wanted(one.key)));
  });
}

std::size_t HostPool::leased_cpus() const {
  std::size_t count = 0;
  for (const Host& one : hosts_) {
    if (one.lease) count += one.lease->cpus().size();
  }
  return count;
}

}  // namespace tally
