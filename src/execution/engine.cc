// The engine's queue: what may start now, and where.
#include "execution/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace tally {

namespace {

/// The least time between two readings of the clock: what a timed block pays for being timed.
double measure_timer_overhead() {
  double least = 1;
  for (int i = 0; i < 1000; ++i) {
    timespec a{};
    timespec b{};
    clock_gettime(CLOCK_MONOTONIC, &a);
    clock_gettime(CLOCK_MONOTONIC, &b);
    least =
        std::min(least, static_cast<double>(b.tv_sec - a.tv_sec) + static_cast<double>(b.tv_nsec - a.tv_nsec) * 1e-9);
  }
  return std::max(least, 1e-9);
}

}  // namespace

Engine::Engine(ProcessRunner& runner, CpuLeases& leases, Builder& builder,
               const std::map<std::string, ToolchainHere>& toolchains, std::span<const Case> cases,
               const ExecutionOptions& options, ExecutionObserver& observer)
    : runner_(runner),
      leases_(leases),
      builder_(builder),
      toolchains_(toolchains),
      cases_(cases),
      options_(options),
      observer_(observer),
      timer_overhead_s_(measure_timer_overhead()) {
  result_.outcomes.resize(cases.size());
  open_.resize(cases.size());
  settled_.resize(cases.size());
}

Engine::~Engine() = default;

HostKind Engine::kind_of(const Job& job) const {
  const Case& c = cases_[job.index];
  return {c.toolchain, c.language, job.mode == Mode::counts};
}

void Engine::queue_jobs(const std::vector<bool>& done) {
  for (const Mode mode : {Mode::counts, Mode::wall}) {
    if (!(mode == Mode::counts ? options_.counts : options_.wall)) continue;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (done.empty() || !done[i]) order.push_back(i);
    }
    // Times of many threads need many CPUs at once: last, when the others no longer take turns on them.
    if (mode == Mode::wall) std::ranges::stable_sort(order, {}, [this](std::size_t i) { return cases_[i].threads; });
    // Pass after pass over the whole suite, so that what drifts on the machine falls on every case alike.
    for (int pass = 0; pass < options_.repeat * (mode == Mode::wall ? options_.wall_passes : 1); ++pass) {
      for (const std::size_t i : order) {
        queue_.push_back({.index = i, .mode = mode});
        ++open_[i];
      }
    }
  }
  for (std::size_t i = 0; i < cases_.size(); ++i) settled_[i] = open_[i] == 0;
}

ExecutionResult Engine::run(const std::vector<bool>& done) {
  queue_jobs(done);
  for (;;) {
    if (auto collected = collect_builds(); !collected) {
      result_.stopped = collected.error();
      stop_everything(true);
      break;
    }
    if (interruptions_ == 0 && !result_.stopped) {
      while (start_work()) {
      }
    }
    close_idle_hosts();
    if (queue_.empty() && sessions_.empty() && building_.empty()) break;
    for (const Event& event : runner_.wait(next_deadline())) handle(event);
    check_deadlines();
    if (result_.stopped) {
      stop_everything(true);
      break;
    }
  }
  stop_everything(true);
  result_.interrupted = interruptions_ > 0;
  return std::move(result_);
}

Status Engine::collect_builds() {
  auto tasks = builder_.take_ready();
  if (!tasks) return std::unexpected(tasks.error());
  for (BuildTask& task : *tasks) builds_.push_back(std::move(task));
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (settled_[i] || !builder_.failure(i)) continue;
    const BuildFailure& failure = *builder_.failure(i);
    fail_case(i, {failure.stage, failure.message, failure.log, {}}, Ending::failed);
  }
  return {};
}

bool Engine::start_work() { return start_build() || start_session(); }

std::optional<CpuLease> Engine::try_lease(int count, bool whole_cores) {
  const int allowed = static_cast<int>(leases_.topology().allowed.size());
  auto lease = leases_.try_lease({.count = std::min(count, allowed), .whole_cores = whole_cores});
  if (!lease) {
    result_.stopped = lease.error();
    return std::nullopt;
  }
  if (!*lease && building_.empty() && sessions_.empty() && starting_.empty()) {
    waiting_for_cpus_ = true;
    if (!announced_waiting_) {
      announced_waiting_ = true;
      std::string who;
      for (const std::string& holder : leases_.holders()) who += "\n  " + holder;
      observer_.on_waiting("waiting for CPUs that others hold:" + who);
    }
  } else if (*lease) {
    waiting_for_cpus_ = false;
  }
  return std::move(*lease);
}

bool Engine::start_build() {
  if (builds_.empty()) return false;
  auto lease = try_lease(1, false);
  if (!lease) return false;
  BuildTask task = std::move(builds_.front());
  builds_.pop_front();
  task.request.cpus = lease->cpus();
  observer_.on_process(task.what, task.request.argv);
  auto started = runner_.start(std::move(task.request));
  if (!started) {
    ProcessResult refused;
    refused.outcome = SpawnFailed{started.error()};
    if (auto told = builder_.finished(task.id, refused); !told) result_.stopped = told.error();
    return true;
  }
  building_.emplace(*started, RunningBuild{task.id, *std::move(lease)});
  return true;
}

bool Engine::start_session() {
  for (auto job = queue_.begin(); job != queue_.end(); ++job) {
    if (!builder_.built(job->index)) continue;
    if (job->mode == Mode::wall && !(builder_.done() && builds_.empty() && building_.empty())) continue;
    const HostKind kind = kind_of(*job);
    if (const auto broken = broken_.find(kind); broken != broken_.end()) {
      fail_case(job->index, {"host", broken->second, {}, {}}, Ending::failed);
      return true;
    }
    if (ready_host(kind) == hosts_.end()) {
      if (host_coming(kind) || !start_host(kind)) continue;
      return true;
    }
    return start_session(job);
  }
  return false;
}

std::list<Host>::iterator Engine::ready_host(const HostKind& kind) {
  return std::ranges::find_if(hosts_, [&](const Host& host) {
    return host.kind() == kind && host.ready() && !host.deaf_since() && !(single_use_.contains(kind) && host.used());
  });
}

bool Engine::host_coming(const HostKind& kind) const {
  return std::ranges::any_of(hosts_, [&](const Host& host) { return host.kind() == kind && !host.ready(); });
}

bool Engine::start_host(const HostKind& kind) {
  const ToolchainHere& toolchain = toolchains_.at(kind.toolchain);
  if (kind.language == Language::cpp && !builder_.warm_up_settled(kind.toolchain)) return false;
  if (kind.language == Language::python && !*toolchain.interpreter) {
    broken_[kind] = describe(toolchain.interpreter->error());
    return true;
  }
  auto lease = try_lease(1, false);
  if (!lease) return false;
  if (options_.process_isolation) single_use_.insert(kind);
  const std::string dumps = fmt::format("{}/{:04}", options_.scratch, ++host_count_);
  std::error_code code;
  std::filesystem::create_directories(dumps, code);
  auto host = Host::start(runner_, kind, toolchain, builder_.warm_up(kind.toolchain), options_, dumps, lease->cpus());
  if (!host) {
    broken_[kind] = fmt::format("the {} does not start: {}", describe(kind), describe(host.error()));
    return true;
  }
  observer_.on_process(describe(kind), host->argv());
  starting_.emplace(host->process(), *std::move(lease));
  hosts_.push_back(*std::move(host));
  return true;
}

bool Engine::start_session(std::list<Job>::iterator job) {
  const Case& c = cases_[job->index];
  // Valgrind runs one thread at a time: counting needs one CPU, however many threads there are.
  auto lease = try_lease(job->mode == Mode::wall ? c.threads : 1, job->mode == Mode::wall);
  if (!lease) return false;
  const auto host = ready_host(kind_of(*job));
  host->set_used();
  SessionPlan plan{.c = &c,
                   .toolchain = &toolchains_.at(c.toolchain).spec,
                   .built = *builder_.built(job->index),
                   .mode = job->mode,
                   .job = ++last_job_,
                   .dumps = host->dumps(),
                   .timer_overhead_s = timer_overhead_s_};
  for (const CpuIndex cpu : lease->cpus().cpus()) plan.cpus.push_back(cpu.value);
  observer_.on_session(job->index, job->mode, plan.cpus);
  auto session = std::make_unique<Session>(std::move(plan), options_);
  const Clock::time_point now = runner_.now();
  auto sent = session->start(host->control());
  RunningSession running{.job = *job,
                         .session = std::move(session),
                         .lease = *std::move(lease),
                         .host = host,
                         .started = now,
                         .deadline = now + deadline_of(*job)};
  queue_.erase(job);
  if (!sent) {
    // Too long a text is the case's fault; anything else is a host that has just gone, and its end is about to be told.
    if (sent.error().kind == ErrorKind::input) {
      fail_case(running.job.index, {"host", sent.error().message, {}, {}}, Ending::failed);
    } else {
      queue_.push_front(running.job);
      lose_host(host, sent.error().message);
    }
    return true;
  }
  runner_.watch(running.session->socket());
  runner_.watch(running.session->output());
  sessions_.push_back(std::move(running));
  return true;
}

Milliseconds Engine::deadline_of(const Job& job) const {
  const Milliseconds otherwise = job.mode == Mode::counts ? options_.counted_deadline : options_.native_deadline;
  return cases_[job.index].settings.timeout.value_or(otherwise);
}

void Engine::drop_jobs(std::size_t index) {
  open_[index] -= static_cast<int>(std::erase_if(queue_, [index](const Job& job) { return job.index == index; }));
}

void Engine::fail_case(std::size_t index, CaseFailure failure, Ending ending) {
  CaseOutcome& outcome = result_.outcomes[index];
  if (!outcome.failure) outcome.failure = std::move(failure);
  outcome.ending = ending;
  drop_jobs(index);
  settle_case(index);
}

void Engine::settle_case(std::size_t index) {
  if (settled_[index] || open_[index] > 0) return;
  settled_[index] = true;
  if (auto told = observer_.on_case(index, result_.outcomes[index]); !told) result_.stopped = told.error();
}

}  // namespace tally
