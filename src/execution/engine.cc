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
      queue_(cases.size()),
      timer_overhead_s_(measure_timer_overhead()) {
  result_.outcomes.resize(cases.size());
  open_.resize(cases.size());
  settled_.resize(cases.size());
  cut_.resize(cases.size());
}

Engine::~Engine() = default;

HostKind Engine::kind_of(const Job& job) const {
  const Case& c = cases_[job.index];
  HostKind kind{.toolchain = c.toolchain, .language = c.language, .counted = job.mode == Mode::counts};
  if (job.perturbation != nullptr) {
    kind.hash_seed = job.perturbation->hash_seed;
    kind.environment_padding = job.perturbation->environment_padding;
  }
  return kind;
}

void Engine::queue_jobs(const std::vector<bool>& done) {
  std::map<Mode, std::size_t> planned;
  const auto add = [&](const Job& job) {
    queue_.add(kind_of(job), job);
    ++open_[job.index];
    ++planned[job.mode];
  };
  for (const auto& [mode, wanted] :
       {std::pair{Mode::counts, options_.counts}, {Mode::wall, options_.wall}, {Mode::result, options_.results}}) {
    if (!wanted) continue;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (done.empty() || !done[i]) order.push_back(i);
    }
    // Times of many threads need many CPUs at once: last, when the others no longer take turns on them.
    // (By index within a number of threads: std::stable_sort's buffer is deprecated in libstdc++ 12.)
    if (mode == Mode::wall)
      std::ranges::sort(order, {}, [this](std::size_t i) { return std::pair(cases_[i].threads, i); });
    // Pass after pass over the whole suite, so that what drifts on the machine falls on every case alike.
    for (int pass = 0; pass < options_.repeat * (mode == Mode::wall ? options_.wall_passes : 1); ++pass) {
      for (const std::size_t i : order) add({.index = i, .mode = mode});
    }
  }
  for (const Perturbation& perturbation : options_.perturbations) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!done.empty() && done[i]) continue;
      add({.index = i, .mode = Mode::counts, .perturbation = &perturbation});
    }
  }
  for (std::size_t i = 0; i < cases_.size(); ++i) settled_[i] = open_[i] == 0;
  for (const auto& [mode, sessions] : planned) observer_.on_planned(mode, sessions);
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
    wake_observer_at_ = observer_.on_time(runner_.now());
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
  if (!std::exchange(builds_changed_, false)) return {};
  auto tasks = builder_.take_ready();
  if (!tasks) return std::unexpected(tasks.error());
  for (BuildTask& task : *tasks) builds_.push_back(std::move(task));
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (settled_[i] || !builder_.failure(i)) continue;
    const BuildFailure& failure = *builder_.failure(i);
    fail_case(i, {failure.stage, failure.message, failure.log, {}}, Ending::failed);
  }
  queue_.release([this](std::size_t index) { return builder_.built(index).has_value(); });
  return {};
}

bool Engine::start_work() { return start_build() || start_session(); }

/// Every CPU that may be used is leased by this run already: asking the kernel again after every event would be half of
/// what a short case costs.
bool Engine::holds_all_cpus() const {
  std::size_t held = 0;
  for (const RunningSession& session : sessions_) held += session.lease.cpus().size();
  for (const auto& [id, build] : building_) held += build.lease.cpus().size();
  for (const auto& [id, lease] : starting_) held += lease.cpus().size();
  return held >= leases_.topology().allowed.size();
}

std::optional<CpuLease> Engine::try_lease(int count, bool whole_cores) {
  if (holds_all_cpus()) return std::nullopt;
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
    builds_changed_ = true;
    return true;
  }
  building_.emplace(*started, RunningBuild{task.id, *std::move(lease)});
  return true;
}

bool Engine::start_session() {
  for (const HostKind& kind : queue_.kinds()) {
    const Job& job = queue_.first(kind);
    if (job.mode == Mode::wall && !(builder_.done() && builds_.empty() && building_.empty())) continue;
    if (const auto broken = broken_.find(kind); broken != broken_.end()) {
      fail_case(job.index, {"host", broken->second, {}, {}}, Ending::failed);
      return true;
    }
    if (ready_host(kind) == hosts_.end()) {
      if (host_coming(kind) || !start_host(kind)) continue;
      return true;
    }
    return start_session(kind);
  }
  return false;
}

/// One more where those of earlier sessions prove nothing yet, as where a perturbed count only has to be seen.
std::size_t Engine::replicates_of_next_session(const Job& job) const {
  const std::optional<CountSamples>& counts = result_.outcomes[job.index].counts;
  const Case& c = cases_[job.index];
  if (job.perturbation != nullptr || (counts && wants_another_replicate(*counts, c, options_))) return 1;
  return static_cast<std::size_t>(std::max(1, c.settings.replicates.value_or(options_.replicates)));
}

/// Where a forked process is known to go on otherwise than its parent would: of this case, or of one that is likely to
/// meet the same library (which spares this one a session). And the single replicate of a perturbed count must be of
/// the same kind as the first one of the undisturbed count.
bool Engine::forks_all_replicates(const HostKind& kind, const Job& job) const {
  return job.perturbation != nullptr || forks_differ_.contains({kind, cases_[job.index].autograd});
}

/// The first job of this kind, in a host that is ready.
bool Engine::start_session(const HostKind& kind) {
  const Case& c = cases_[queue_.first(kind).index];
  const bool wall = queue_.first(kind).mode == Mode::wall;
  // Valgrind runs one thread at a time: counting needs one CPU, however many threads there are.
  auto lease = try_lease(wall ? c.threads : 1, wall);
  if (!lease) return false;
  Job job = queue_.take(kind);
  const auto host = ready_host(kind);
  host->set_used();
  SessionPlan plan{.c = &c,
                   .toolchain = &toolchains_.at(c.toolchain).spec,
                   .built = *builder_.built(job.index),
                   .mode = job.mode,
                   .job = ++last_job_,
                   .perturbation = job.perturbation == nullptr ? Perturbation{} : *job.perturbation,
                   .replicates = replicates_of_next_session(job),
                   .forks_all = forks_all_replicates(kind, job),
                   .dumps = host->dumps(),
                   .timer_overhead_s = timer_overhead_s_};
  for (const CpuIndex cpu : lease->cpus().cpus()) plan.cpus.push_back(cpu.value);
  CaseOutcome& outcome = result_.outcomes[job.index];
  if (wall && static_cast<int>(plan.cpus.size()) < c.threads && outcome.warnings.empty()) {
    outcome.warnings.push_back(fmt::format("it has {} threads and only {} CPU{} may be used: they took turns",
                                           c.threads, plan.cpus.size(), plan.cpus.size() == 1 ? "" : "s"));
  }
  observer_.on_session(job.index, job.mode, plan.cpus);
  auto session = std::make_unique<Session>(std::move(plan), options_);
  const Clock::time_point now = runner_.now();
  if (auto sent = session->start(host->control()); !sent) {
    // Too long a text is the case's fault; anything else is a host that has just gone.
    const std::string& why = sent.error().message;
    if (sent.error().kind == ErrorKind::input) {
      --open_[job.index];
      fail_case(job.index, {"host", why, {}, {}}, Ending::failed);
    } else if (job.hosts_lost++ < options_.host_retries) {
      queue_.put_back(kind, job);
      lose_host(host, why);
    } else {
      --open_[job.index];
      fail_case(job.index, {"host", "the host is gone: " + why, {}, {}}, Ending::host_lost);
      lose_host(host, why);
    }
    return true;
  }
  runner_.watch(session->socket());
  runner_.watch(session->output());
  sessions_.push_back({.job = job,
                       .kind = kind,
                       .session = std::move(session),
                       .lease = *std::move(lease),
                       .host = host,
                       .started = now,
                       .deadline = now + deadline_of(job),
                       .fork_deadline = now + options_.fork_deadline,
                       .memory_limit = c.settings.memory_bytes.value_or(options_.memory_bytes)});
  return true;
}

Milliseconds Engine::deadline_of(const Job& job) const {
  const Milliseconds otherwise = job.mode == Mode::counts ? options_.counted_deadline : options_.native_deadline;
  return cases_[job.index].settings.timeout.value_or(otherwise);
}

void Engine::drop_jobs(std::size_t index) { open_[index] -= queue_.drop(index); }

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
  CaseOutcome& outcome = result_.outcomes[index];
  if (auto told = observer_.on_case(index, outcome); !told && !result_.stopped) result_.stopped = told.error();
  // The observer has made figures of them: thousands of cases would hold gigabytes of samples and profiles.
  outcome.counts.reset();
  outcome.perturbed.clear();
  outcome.wall.reset();
  outcome.profile = {};
}

}  // namespace tally
