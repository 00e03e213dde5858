#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>

#include "base/contains.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "engine/hosts_estimate.h"

namespace tally {

namespace {

constexpr Milliseconds kLookAround{500};  // while work is queued, for whatever no event announces

std::optional<Milliseconds> most_wait(const Settings& settings) {
  if (!settings.max_wait_s) return std::nullopt;
  return std::chrono::duration_cast<Milliseconds>(std::chrono::duration<double>(*settings.max_wait_s));
}

/// Figures of a processor have no place under a device's name.
Ending without_its_device(const Case& measured, CaseOutcome& outcome) {
  outcome.failure =
      CaseFailure{"setup",
                  fmt::format("it is to run on {}, and has used no device: name it in the setup", measured.device),
                  {},
                  {}};
  outcome.counts.reset();
  outcome.wall.reset();
  outcome.allocations.reset();
  return Ending::failed;
}

/// It takes times of a device, or looks at what the device does: nothing else may use its card.
bool takes_times_of_device(const HostKind& kind, Mode mode) { return kind.on_device && !is_under_valgrind(mode); }

StopLadder::Reason cancelled() { return {Ending::cancelled, "cancelled"}; }

}  // namespace

Engine::Engine(ProcessRunner& runner, CpuLeases& leases, HostPool& pool, Builder& builder, ExecutionRequest request,
               ExecutionObserver& observer)
    : runner_(runner),
      pool_(pool),
      builder_(builder),
      request_(std::move(request)),
      observer_(observer),
      rules_(request_),
      book_(retries_of(request_)),
      builds_(runner, builder),
      placement_(
          leases, [this] { return cpus_in_use(); }, most_wait(request_.settings)),
      prepared_(builder, request_.toolchains, request_.surroundings, request_.settings),
      held_(book_, observer),
      turns_(request_.cards, observer),
      all_cpus_(leases.topology().allowed.size()),
      moved_to_device_(request_.cases.size()),
      looked_into_(request_.cases.size()),
      interruption_(runner.interruptions()) {
  // Nobody sees which files a command changes.
  if (request_.toolchains.contains(kCommandToolchain)) sharing_.take_turns(kCommandToolchain);
  pool_.begin_plan(retry_limits(request_.settings), host_deadlines(request_.settings));
}

Engine::~Engine() = default;

void Engine::queue_jobs(const std::vector<bool>& done) {
  const bool examining = !request_.examiner.empty();
  if (request_.settings.noise_floor && !examining) perturbations_ = standard_perturbations();
  std::vector<Job> jobs = examining ? examining_jobs(request_.cases, done)
                                    : measuring_jobs(request_.cases, request_.settings, perturbations_, done);
  if (!examining) {
    leave_out_times_of_carried(jobs, request_.cases, request_.toolchains, request_.settings.counts);
    add_probing_jobs(jobs, request_.cases, request_.toolchains, request_.probes, request_.settings.counts, done);
  }
  for (const Job& job : jobs) book_.add(kind_of(job, request_.cases[job.index]), job);
  for (const auto& [mode, sessions] : sessions_by_mode(jobs)) observer_.on_planned(mode, sessions);
}

ExecutionResult Engine::run(const std::vector<bool>& done) {
  queue_jobs(done);
  for (;;) {
    collect_builds();
    if (!interruption_.begun()) start_all();
    report_settled();
    if (!result_.stopped && builds_.done() && held_.judge([this](const HostKind& kind) { return is_undecided(kind); }))
      continue;
    end_unwanted_hosts();
    wake_observer_at_ = observer_.on_time(runner_.now());
    if (result_.stopped || (book_.nothing_left() && sessions_.empty() && !builds_.running() && !turns_.awaits_end()))
      break;
    for (const Event& event : runner_.wait(next_deadline())) handle(event);
    check_deadlines();
  }
  stop_everything();
  result_.interrupted = interruption_.begun();
  return std::move(result_);
}

void Engine::collect_builds() {
  auto news = builds_.collect();
  if (!news) {
    result_.stopped = news.error();
    return;
  }
  if (!*news) return;
  for (std::size_t i = 0; i < request_.cases.size(); ++i) {
    if (!book_.open(i) || !builder_.failure(i)) continue;
    const BuildFailure& failure = *builder_.failure(i);
    book_.fail(i, {failure.stage, failure.message, failure.log, {}}, Ending::failed);
  }
  for (const auto& [name, resolved] : request_.toolchains) {
    const BuildFailure* const failure = builder_.warm_up_failure(name);
    if (failure == nullptr || !warned_of_warm_up_.insert(name).second) continue;
    observer_.on_warning(
        fmt::format("the warm-up of toolchain '{}' is not built, and each of its cases in C++ takes longer: {}", name,
                    failure->message));
  }
  book_.release([this](std::size_t index) { return builder_.built(index).has_value(); });
}

/// Whatever may be started now.
void Engine::start_all() {
  next_due_ = book_.release_due(runner_.now());
  placement_.begin_round();
  while (!result_.stopped && start_work()) {
  }
  const Clock::time_point now = runner_.now();
  placement_.end_round(now);
  if (const std::string news = placement_.news(now); !news.empty()) observer_.on_waiting(news);
  if (auto given_up = placement_.gives_up(now); given_up && !result_.stopped) result_.stopped = std::move(given_up);
}

bool Engine::start_work() { return start_build() || start_session(); }

/// Cases of the same or another version of a program may share files; those of a toolchain, too.
std::string Engine::sharing_group(std::size_t index) const {
  const std::string& toolchain = request_.cases[index].toolchain;
  return is_own_host(request_.toolchains.at(toolchain).spec) ? std::string() : toolchain;
}

std::size_t Engine::cpus_in_use() const {
  std::size_t used = builds_.leased_cpus() + pool_.leased_cpus();
  for (const auto* const sessions : {&sessions_, &ended_}) {
    for (const RunningSession& session : *sessions) used += session.lease.cpus().size();
  }
  return used + turns_.leased_cpus();
}

/// Nothing when there is none now, or the run cannot continue.
std::optional<CpuLease> Engine::lease_for(Mode mode, int threads) {
  auto lease = is_alone(mode) ? placement_.alone(threads) : placement_.share();
  if (!lease) {
    result_.stopped = lease.error();
    return std::nullopt;
  }
  return *std::move(lease);
}

/// With all cards that the case may use, which are known: device_is_free().
std::optional<CpuLease> Engine::lease_for_device(const std::string& kind, int threads) {
  auto lease = placement_.alone(threads, turns_.locks(kind));
  if (!lease) {
    result_.stopped = lease.error();
    return std::nullopt;
  }
  return *std::move(lease);
}

/// As its definition names it. One that names none has looked for a driver; NVIDIA's are nearly all.
std::string Engine::device_kind(const Job& job) const {
  const std::string& named = request_.cases[job.index].device;
  return named.empty() ? "cuda" : named;
}

bool Engine::start_build() {
  if (!builds_.waiting()) return false;
  auto lease = lease_for(Mode::counts);
  if (!lease) return false;
  observer_.on_process(builds_.next().what, builds_.next().request.argv);
  if (auto started = builds_.start_next(*std::move(lease), pool_.scratch_to_remove()); !started)
    result_.stopped = started.error();
  collect_builds();
  return true;
}

bool Engine::start_session() {
  // First: what it holds, another one may wait for.
  if (start_turn()) return true;
  bool times_wait = false;
  for (const HostKind& kind : book_.kinds()) {
    const Job& job = book_.first(kind);
    if (moved_to_device_[job.index] && !kind.on_device) {
      book_.move_to_device(kind);
      return true;
    }
    if (moved_to_device_[job.index] && !builder_.built(job.index)) continue;
    if (is_alone(job.mode) && times_wait) continue;
    if ((is_alone(job.mode) || is_undecided(kind)) && !builds_.done()) continue;
    const auto host = prepared_.of(kind);
    if (host && *host == nullptr) continue;
    const auto broken = host ? pool_.broken((*host)->key) : std::optional(describe(host.error()));
    if (broken) {
      end_without_host(kind, job, *broken);
      return true;
    }
    if (!sharing_.may_begin(sharing_group(job.index))) continue;
    if (kind.on_device && !device_is_free(kind, job)) continue;
    if (const auto ready = pool_.ready((*host)->key)) {
      if (!is_undecided(kind)) {
        times_wait = is_alone(job.mode) || takes_times_of_device(kind, job.mode);
        if (start_session(kind, (*host)->spec, *ready)) return true;
        // Times may wait for another run; nothing else of this one does.
        if (result_.stopped || !times_wait) return false;
        continue;
      }
      if (announce(kind, (*host)->spec, *ready))
        held_.decide(kind, [this](std::size_t i) { return builder_.built(i) ? &*builder_.built(i) : nullptr; });
      return !result_.stopped;
    }
    if (!pool_.starting((*host)->key) && start_host(**host)) return true;
  }
  return false;
}

/// A case stands without what a probe or another process would add; one that nothing can measure has failed.
void Engine::end_without_host(const HostKind& kind, const Job& job, const std::string& why) {
  if (job.mode.probe == nullptr && !job.anew) return book_.fail(job.index, {"host", why, {}, {}}, Ending::failed);
  CaseOutcome& outcome = book_.outcome(job.index);
  if (job.anew) {
    without_another_process(outcome, why);
  } else {
    outcome.warnings.push_back(job.mode.probe->warning(why));
  }
  book_.end(kind, book_.take(kind), Ending::ok, false);
}

bool Engine::start_host(const PreparedHost& host) {
  auto lease = lease_for(Mode::counts);
  if (!lease) return false;
  if (const auto started = pool_.start(host.key, host.spec, *std::move(lease)))
    observer_.on_process(started->what, started->argv);
  return true;
}

SessionRequest Engine::request_for(const HostKind& kind, const Job& job, HostId host, const CpuLease& lease) const {
  SessionRequest request;
  request.rules = rules_.of(kind, job, book_.outcome(job.index));
  if (job.perturbation != nullptr) request.perturbation = *job.perturbation;
  request.built = *builder_.built(job.index);
  for (const CpuIndex cpu : lease.cpus().cpus()) request.cpus.push_back(cpu.value);
  request.folder = request_.surroundings.working_folder;
  request.examiner = request_.examiner;
  if (kind.counted || kind.probe != nullptr) request.dumps = pool_.dumps(host);
  if (job.counts_undisturbed() && !job.anew) {
    request.loaded_by = [this, before = pool_.mapped(host)](int pid) {
      std::vector<std::string> loaded;
      std::ranges::set_difference(runner_.mapped_files(pid), before, std::back_inserter(loaded));
      if (request_.surroundings.images) request_.surroundings.images->leave_out(loaded);
      return loaded;
    };
  }
  return request;
}

/// What takes times of a device, or looks at what it does, has it for itself; what counts the host's instructions may
/// share it.
bool Engine::device_is_free(const HostKind& kind, const Job& job) {
  if (turns_.busy()) return false;
  if (takes_times_of_device(kind, job.mode) && !turns_.knows_cards(device_kind(job))) return false;
  const auto takes_times = [](Mode mode) { return !is_under_valgrind(mode); };
  return std::ranges::none_of(sessions_, [&](const RunningSession& running) {
    return running.kind.on_device && (takes_times(job.mode) || takes_times(running.job.mode));
  });
}

bool Engine::is_undecided(const HostKind& kind) const {
  return request_.may_know_counts && kind.counted && !kind.on_device && book_.first(kind).mode == Mode::counts &&
         !held_.decided(kind);
}

/// Once of each host. False: the run cannot continue.
bool Engine::announce(const HostKind& kind, const HostSpec& spec, HostId host) {
  if (!prepared_.is_first_time(kind, host)) return true;
  const Status announced = observer_.on_host(kind, spec, {pool_.mapped(host), pool_.is_restored(host)});
  if (!announced) result_.stopped = announced.error();
  return announced.has_value();
}

/// Or its turn on a device, which comes first.
bool Engine::start_session(const HostKind& kind, const HostSpec& spec, HostId host) {
  const Job& job = book_.first(kind);
  const Case& measured = request_.cases[job.index];
  // Valgrind runs one thread at a time: counting needs one CPU, however many threads there are.
  // How many processes and threads a command has at once, nobody knows before.
  const int cpus = measured.command ? static_cast<int>(all_cpus_) : measured.threads;
  const bool of_device = takes_times_of_device(kind, job.mode);
  auto lease = of_device ? lease_for_device(device_kind(job), cpus) : lease_for(job.mode, cpus);
  if (!lease) return false;
  if (!of_device || job.mode != Mode::wall || !turns_.reads_cards())
    return begin_session(kind, spec, host, *std::move(lease), {});
  turns_.begin({.kind = kind, .index = job.index, .lease = *std::move(lease)}, device_kind(job));
  return true;
}

/// The session of the case whose turn it is. Where something has come between, the case waits for another turn.
bool Engine::start_turn() {
  auto turn = turns_.take();
  if (!turn || !contains(book_.kinds(), turn->kind) || book_.first(turn->kind).index != turn->index) return false;
  const auto host = prepared_.of(turn->kind);
  if (!host || *host == nullptr || pool_.broken((*host)->key)) return false;
  const auto ready = pool_.ready((*host)->key);
  if (!ready || !sharing_.may_begin(sharing_group(turn->index))) return false;
  return begin_session(turn->kind, (*host)->spec, *ready, std::move(turn->lease), *std::move(turn->cards));
}

/// `cards`: their state before it; none where it is not read.
bool Engine::begin_session(const HostKind& kind, const HostSpec& spec, HostId host, CpuLease lease,
                           std::vector<Card> cards) {
  if (!announce(kind, spec, host)) return false;
  const Job job = book_.take(kind);
  const Case& measured = request_.cases[job.index];
  SessionRequest request = request_for(kind, job, host, lease);
  request.job = pool_.next_job();
  // For temporary files: a program goes to its own folder by itself.
  if (request.rules.toolchain->own_host.python || request.rules.measured->command)
    request.folder = make_temporary_folder(pool_.dumps(host), request.job);
  request.to_come = spec.single_use ? 0 : book_.left(kind);
  CaseOutcome& outcome = book_.outcome(job.index);
  const int threads = measured.threads;
  if (is_alone(job.mode) && static_cast<int>(request.cpus.size()) < threads && outcome.warnings.empty()) {
    outcome.warnings.push_back(fmt::format("it has {} threads and only {} CPU{} may be used: they took turns",
                                           measured.threads, request.cpus.size(), request.cpus.size() == 1 ? "" : "s"));
  }
  observer_.on_session(job.index, job.mode, request.cpus);
  auto session = std::make_unique<Session>(std::move(request));
  const Clock::time_point now = runner_.now();
  if (auto sent = session->start(pool_.lend(host)); !sent) {
    request_refused(kind, job, host, sent.error());
    return true;
  }
  runner_.watch(session->socket());
  runner_.watch(session->output());
  sharing_.begin(session->request().job, sharing_group(job.index));
  sessions_.push_back({.job = job,
                       .kind = kind,
                       .session = std::move(session),
                       .lease = std::move(lease),
                       .host = host,
                       .started = now,
                       .ladder = StopLadder(now, host_deadlines(request_.settings).fork, rules_.deadline(job),
                                            time_to_clean_up(measured)),
                       .memory_limit = rules_.plan_of(job).memory_bytes,
                       .wait_limit = rules_.wait_limit(job),
                       .passes_signals_on = measured.command.has_value(),
                       .cards_before = std::move(cards)});
  return true;
}

/// Too long a text is the case's fault; anything else is a host that has just gone.
void Engine::request_refused(const HostKind& kind, const Job& job, HostId host, const Error& error) {
  pool_.give_back(host);
  observer_.on_session_end(job.index, job.mode);
  if (error.kind == ErrorKind::input) {
    return book_.fail_taken(job, {"host", error.message, {}, {}}, Ending::failed);
  }
  CaseOutcome& outcome = book_.outcome(job.index);
  outcome.failure = CaseFailure{"host", "the host is gone: " + error.message, {}, {}};
  book_.end(kind, job, Ending::host_lost, false);
  on_gone(pool_.drop(host, error.message));
}

void Engine::report_settled() {
  while (const auto index = book_.take_settled()) {
    if (const auto& built = builder_.built(*index)) book_.outcome(*index).built = *built;
    auto reported = observer_.on_case(*index, std::move(book_.outcome(*index)));
    // What it holds is the observer's now: thousands of cases would be gigabytes of samples and profiles.
    book_.outcome(*index) = {};
    if (!reported && !result_.stopped) result_.stopped = reported.error();
  }
}

void Engine::handle(const Event& event) {
  std::visit(Overloaded{[this](const Interrupted& interrupted) { on_interrupted(interrupted.count); },
                        [this](const FdReadable& readable) { on_fd(readable.fd, false); },
                        [this](const FdClosed& closed) { on_fd(closed.fd, true); },
                        [this](const Finished& finished) { on_finished(finished); }},
             event);
}

void Engine::on_interrupted(int count) {
  interruption_.note(count, runner_.now());
  placement_.leave();
  book_.interrupt();
  builds_.stop();
  turns_.leave();
  if (interruption_.is_urgent()) stop_everything();
}

void Engine::on_fd(int fd, bool closed) {
  if (pool_.listens_to(fd)) return handle(pool_.on_readable(fd, closed));
  for (auto session = sessions_.begin(); session != sessions_.end(); ++session) {
    if (session->session->socket() == fd) return on_case_socket(session, closed);
    if (session->session->output() != fd) continue;
    if (!session->session->on_output()) runner_.unwatch(fd);
    return;
  }
  runner_.unwatch(fd);
}

void Engine::on_case_socket(Running session, bool closed) {
  bool ended = closed;
  const auto read = session->session->on_socket(ended);
  if (ended || !read) runner_.unwatch(session->session->socket());  // its exit, which the host reports, says why
  // Its code wrote into a descriptor that is not its own: what it would say next cannot be distinguished from that.
  if (!read) {
    session->ladder.stop(runner_.now(),
                         {Ending::failed, "the case's process sent what is not a message of our protocol"});
  }
  note_files(*session);
  conclude_sessions();
  if (session->session->has_counted() && session->child) session->child->signal(SIGKILL);
}

void Engine::note_files(const RunningSession& session) {
  const std::uint32_t job = session.session->request().job;
  const std::string& file = session.session->changed_file();
  if (file.empty() && session.session->executed()) sharing_.executed(job);
  if (file.empty() || !sharing_.changes(job) || all_cpus_ == 1) return;
  observer_.on_warning(
      fmt::format("{} changes the file {}: cases that may share it are counted one at a time from now on",
                  request_.cases[session.job.index].id, file));
}

void Engine::on_finished(const Finished& finished) {
  if (turns_.on_finished(finished)) return conclude_sessions();
  if (!builds_.owns(finished.id)) return handle(pool_.on_finished(finished));
  if (auto built = builds_.on_finished(finished); !built) result_.stopped = built.error();
}

void Engine::handle(const std::vector<HostEvent>& events) {
  for (const HostEvent& event : events) {
    std::visit(Overloaded{[this](const ChildForked& forked) { on_forked(forked); },
                          [this](const ChildReaped& reaped) { on_reaped(reaped); },
                          [this](const HostGone& gone) { on_gone(gone); },
                          [this](const HostWarning& warning) { observer_.on_warning(warning.text); }},
               event);
  }
}

void Engine::on_forked(const ChildForked& forked) {
  const Running session = session_of(sessions_, forked.job);
  if (session == sessions_.end()) return;
  if (forked.pid <= 0) {
    const std::string why = fmt::format("the host cannot fork: {}", std::strerror(forked.error));
    session->ladder.give_up({Ending::host_lost, why});
    return pool_.kill(forked.host, why);
  }
  session->host_since = pool_.single_since(forked.host);
  session->session->on_started(forked.pid);
  session->child = runner_.hold(forked.pid, pool_.pid(forked.host));
  session->ladder.forked();
  if (!forked.in_host) return;
  if (session->child) session->queued = session->child->queued_time();  // of its host so far
  std::string warning = "it runs in its host's process, which has threads and is not forked";
  if (const auto& names = pool_.threads(forked.host); !names.empty()) warning += ": " + join(names, ", ");
  std::vector<std::string>& warnings = book_.outcome(session->job.index).warnings;
  if (!contains(warnings, warning)) warnings.push_back(std::move(warning));
}

void Engine::on_reaped(const ChildReaped& reaped) {
  const Running session = session_of(sessions_, reaped.job);
  if (session == sessions_.end()) return;
  if (const auto& reason = session->ladder.reason()) {
    session->session->on_stopped(reason->ending, reason->message, reaped.stage);
  } else {
    session->session->on_exited(reaped.wait_status, reaped.stage, reaped.cut_off);
  }
  end_session(session);
}

void Engine::give_up_cards() {
  turns_.give_up();
  conclude_sessions();
}

/// Its sessions are tried again in a fresh host, as often as the settings say.
void Engine::on_gone(const HostGone& gone) {
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    const Running current = session++;
    if (current->host != gone.host) continue;
    const StopLadder::Reason reason = current->ladder.reason().value_or(
        StopLadder::Reason{gone.stalled ? Ending::failed : Ending::host_lost, gone.why});
    current->session->on_stopped(reason.ending, reason.message);
    end_session(current);
  }
}

void Engine::end_session(Running session) {
  runner_.unwatch(session->session->socket());
  runner_.unwatch(session->session->output());
  session->ended = runner_.now();
  estimate_single_hosts(*session);
  pool_.give_back(session->host);
  if (session->session->ending() != Ending::host_lost) pool_.works(session->host);
  observer_.on_session_end(session->job.index, session->job.mode);
  note_files(*session);
  sharing_.end(session->session->request().job);
  ended_.splice(ended_.end(), sessions_, session);
  turns_.end(*session, device_kind(session->job));
  conclude_sessions();
}

/// Once, after the first case of a host that could not be forked: a minute for each of many is an hour that nobody
/// expects.
void Engine::estimate_single_hosts(const RunningSession& session) {
  const auto since = session.host_since;
  const std::size_t left = book_.left(session.kind);
  if (has_estimated_single_hosts_ || !since || left == 0 || session.session->ending() == Ending::cancelled) return;
  has_estimated_single_hosts_ = true;
  const std::size_t at_once = is_alone(session.job.mode) ? 1 : std::min(left, all_cpus_);
  const double each_s = std::chrono::duration<double>(session.ended - *since).count();
  observer_.on_warning(hosts_estimate(left, at_once, each_s));
}

/// Those that nothing can spoil any more.
void Engine::conclude_sessions() {
  for (auto next = ended_.begin(); next != ended_.end();) {
    const auto session = next++;
    if (session->reads_cards) continue;
    const std::uint32_t job = session->session->request().job;
    const FileSharing::Verdict verdict = sharing_.verdict(job);
    if (verdict == FileSharing::Verdict::not_known_yet) continue;
    sharing_.forget(job);
    RunningSessions one;
    one.splice(one.begin(), ended_, session);
    const Ending ending = session->session->ending();
    const bool again = ending != Ending::cancelled && ending != Ending::host_lost;
    if (again && wants_device(*session)) {
      measure_on_device(*session);
    } else if (verdict == FileSharing::Verdict::measure_again && again) {
      measure_again(*session);
    } else {
      conclude(*session);
    }
  }
}

void Engine::measure_again(const RunningSession& session) {
  const bool queued = book_.end(session.kind, session.job, Ending::ok, true) == CaseBook::Next::another_session;
  if (queued) observer_.on_planned(session.job.mode, 1);
}

/// It looked for a driver in a host that hides them, and its definition does not say that it runs on none.
bool Engine::wants_device(const RunningSession& session) const {
  if (session.kind.on_device || !request_.cases[session.job.index].device.empty()) return false;
  return moved_to_device_[session.job.index] || !session.session->asked_driver().empty();
}

/// What it came to without the device is nobody's.
void Engine::measure_on_device(const RunningSession& session) {
  const std::size_t index = session.job.index;
  if (!moved_to_device_[index]) {
    moved_to_device_[index] = true;
    builds_.move_to_device(index);
    std::vector<std::string> warnings = std::move(book_.outcome(index).warnings);
    warnings.push_back(fmt::format("it asks for a device ({}), and is measured in a process that finds its driver",
                                   session.session->asked_driver()));
    book_.outcome(index) = {};
    book_.outcome(index).warnings = std::move(warnings);
  }
  Job job = session.job;
  job.on_device = true;
  if (book_.end(kind_of(job, request_.cases[index]), job, Ending::ok, true) == CaseBook::Next::another_session)
    observer_.on_planned(job.mode, 1);
}

/// Once of each case that has turned out to work on one.
void Engine::look_into_device(const Job& job, const CaseOutcome& outcome) {
  if (request_.device_probe == nullptr || outcome.device.empty() || looked_into_[job.index]) return;
  looked_into_[job.index] = true;
  const Case& measured = request_.cases[job.index];
  if (!request_.device_probe->applies(measured, request_.toolchains.at(measured.toolchain).spec)) return;
  const Job look{.index = job.index, .mode = Mode(*request_.device_probe), .on_device = true};
  book_.add_next(kind_of(look, measured), look);
  observer_.on_planned(look.mode, 1);
}

/// Of several turns, from the first one's begin to the last one's end.
void Engine::note_cards(const RunningSession& session, CaseOutcome& outcome) const {
  if (!outcome.device_times) return;
  std::vector<CardWatch>& cards = outcome.device_times->cards;
  cards = pooled(std::move(cards), session.cards);
}

void Engine::conclude(RunningSession& session) {
  const Job job = session.job;
  const bool well = session.session->ending() == Ending::ok;  // of itself: a failure may be only a warning
  CaseOutcome& outcome = book_.outcome(job.index);
  Ending ending = deliver(session, outcome);
  note_cards(session, outcome);
  const Case& measured = request_.cases[job.index];
  if (ending == Ending::ok && job.mode.kind != Mode::probing && names_device(measured) && outcome.device.empty())
    ending = without_its_device(measured, outcome);
  if (outcome.counted.forks_differ) rules_.note_forks_differ(session.kind, job);
  const bool counted = well && job.counts_undisturbed();
  if (counted && job.of_same_host) ++outcome.counted.other_sessions;
  const std::uint32_t host = std::to_underlying(session.host);
  if (counted && !contains(outcome.counted.hosts, host)) outcome.counted.hosts.push_back(host);
  const bool wants_another =
      ending == Ending::ok && counted && !job.anew && wants_another_replicate(*outcome.counts, rules_.plan_of(job));
  if (ending == Ending::ok && !interruption_.begun()) look_into_device(job, outcome);
  if (ending == Ending::ok && !wants_another && !interruption_.begun()) {
    if (const auto another = job_of_another_process(job, outcome, rules_.plan_of(job), runner_.now())) {
      book_.add_next(kind_of(*another, measured), *another);
      observer_.on_planned(another->mode, 1);
    }
  }
  const std::string why = outcome.failure ? outcome.failure->message : std::string();
  switch (book_.end(session.kind, job, ending, wants_another)) {
    case CaseBook::Next::another_session:
      observer_.on_planned(job.mode, 1);
      break;
    case CaseBook::Next::try_again:
      // Its pool has reported a host that is lost.
      if (ending == Ending::timed_out) observer_.on_warning(rules_.retry_text(job, why));
      break;
    case CaseBook::Next::nothing:
      break;
  }
}

void Engine::check_deadlines() {
  memory_.check(sessions_, runner_.now());
  queue_.check(sessions_, runner_.now());
  check_interruption();
  for (RunningSession& session : sessions_) {
    if (escalate(session, runner_.now())) {
      const auto& reason = session.ladder.reason();
      pool_.kill(session.host, fmt::format("{}: {}", request_.cases[session.job.index].id,
                                           reason ? reason->message : "it did not end"));
    }
  }
  handle(pool_.check_deadlines());
}

void Engine::check_interruption() {
  const Clock::time_point now = runner_.now();
  // A cleanup has time of its own, unless the user asks again.
  const auto waits = [](const RunningSession& session) { return session.ladder.waits_for_cleanup(); };
  if (interruption_.gives_up(now) && std::ranges::none_of(sessions_, waits)) return stop_everything();
  if (!interruption_.kills(now)) return;
  give_up_cards();
  for (RunningSession& session : sessions_) session.ladder.kill(now, cancelled());
}

std::optional<Clock::time_point> Engine::next_deadline() {
  Clock::time_point next = std::min(wake_observer_at_.value_or(Clock::time_point::max()), memory_.next(sessions_));
  for (const RunningSession& session : sessions_) next = std::min(next, session.ladder.next());
  next = std::min({next, queue_.next(sessions_), pool_.next_deadline()});
  const Clock::time_point now = runner_.now();
  if (interruption_.begun() && (!sessions_.empty() || turns_.awaits_end()))
    next = std::min(next, now + Milliseconds(50));
  if (const auto again = placement_.next(now)) next = std::min(next, *again);
  if (next_due_) next = std::min(next, *next_due_);
  if (!book_.nothing_left()) next = std::min(next, now + kLookAround);
  return next == Clock::time_point::max() ? std::nullopt : std::optional(next);
}

void Engine::end_unwanted_hosts() {
  const std::set<HostKey> wanted = prepared_.keys_of([this](const HostKind& kind) { return book_.wants(kind); });
  pool_.end_unwanted([&](const HostKey& key) { return wanted.contains(key); });
}

/// What still runs is cancelled: nothing of it becomes a result.
void Engine::stop_everything() {
  builds_.stop();
  give_up_cards();
  const bool cut_short = !sessions_.empty() || interruption_.begun() || result_.stopped;
  // First: a host whose session was ended by decree looks idle, and has the case's child still.
  if (cut_short) pool_.end_unfinished();
  while (!sessions_.empty()) {
    sessions_.front().session->on_stopped(Ending::cancelled, "cancelled");
    end_session(sessions_.begin());
  }
  book_.interrupt();
}

}  // namespace tally
