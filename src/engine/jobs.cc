#include "engine/jobs.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "hosts/probe_host.h"

namespace tally {

namespace {

constexpr Milliseconds kAnotherSecond{1000};

std::vector<std::size_t> open_cases(std::span<const Case> cases, const std::vector<bool>& done) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (done.empty() || !done[i]) open.push_back(i);
  }
  return open;
}

void add_pass(std::vector<Job>& jobs, std::span<const std::size_t> order, Mode mode,
              const Perturbation* perturbation = nullptr) {
  for (const std::size_t i : order) jobs.push_back({.index = i, .mode = mode, .perturbation = perturbation});
}

}  // namespace

std::vector<Job> measuring_jobs(std::span<const Case> cases, const Settings& settings,
                                std::span<const Perturbation> perturbations, const std::vector<bool>& done) {
  std::vector<std::size_t> open = open_cases(cases, done);
  std::vector<std::size_t> reporting;
  std::ranges::copy_if(open, std::back_inserter(reporting), [&](std::size_t i) { return cases[i].reports; });
  std::erase_if(open, [&](std::size_t i) { return cases[i].reports; });
  std::vector<Job> jobs;
  if (settings.counts) {
    for (int pass = 0; pass < settings.repeat; ++pass) add_pass(jobs, open, Mode::counts);
  }
  if (settings.wall) {
    std::vector<std::size_t> order = open;
    // (By index within a number of threads: std::stable_sort's buffer is deprecated in libstdc++ 12.)
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(cases[i].threads, i); });
    for (int turn = 0; turn < wall_turns(settings); ++turn) add_pass(jobs, order, Mode::wall);
  }
  add_pass(jobs, reporting, Mode::figure);
  if (settings.counts) {
    for (const Perturbation& perturbation : perturbations) add_pass(jobs, open, Mode::counts, &perturbation);
  }
  return jobs;
}

void add_probing_jobs(std::vector<Job>& jobs, std::span<const Case> cases,
                      const std::map<std::string, ResolvedToolchain>& toolchains, std::span<const Probe* const> probes,
                      bool counts, const std::vector<bool>& done) {
  for (const Probe* probe : probes) {
    if (probe->is_counted && !counts) continue;
    std::vector<std::size_t> order = open_cases(cases, done);
    std::erase_if(order, [&](std::size_t i) {
      if (cases[i].reports) return true;
      if (cases[i].command) return probe->command_host == nullptr;
      return probe->applies != nullptr && !probe->applies(cases[i], toolchains.at(cases[i].toolchain).spec);
    });
    add_pass(jobs, order, Mode(*probe));
  }
}

void leave_out_times_of_carried(std::vector<Job>& jobs, std::span<const Case> cases,
                                const std::map<std::string, ResolvedToolchain>& toolchains, bool counts) {
  if (!counts) return;
  std::erase_if(jobs, [&](const Job& job) {
    const Case& one = cases[job.index];
    return job.mode == Mode::wall && one.language == Language::python && toolchains.at(one.toolchain).carried;
  });
}

std::vector<Job> examining_jobs(std::span<const Case> cases, const std::vector<bool>& done) {
  std::vector<Job> jobs;
  add_pass(jobs, open_cases(cases, done), Mode::result);
  return jobs;
}

std::optional<Job> job_of_another_process(const Job& ended, const CaseOutcome& outcome, const CasePlan& plan,
                                          Clock::time_point now) {
  if (!ended.counts_undisturbed() || !outcome.counts) return std::nullopt;
  const CountedProcesses& counted = outcome.counted;
  const bool is_first =
      !ended.anew && !counted.doubt.empty() && counted.hosts.size() == 1 && counted.other_sessions == 0;
  const auto& replicates = outcome.counts->replicates;
  const bool wants_range = ended.anew && counted.reads_clock &&
                           replicates.size() < static_cast<std::size_t>(plan.max_replicates) &&
                           std::ranges::adjacent_find(replicates, std::not_equal_to()) != replicates.end();
  if (!is_first && !wants_range) return std::nullopt;
  Job another{.index = ended.index, .mode = Mode::counts, .anew = true, .of_same_host = counted.reads_clock};
  if (is_first && counted.reads_time_of_day) another.not_before = now + kAnotherSecond;
  return another;
}

std::vector<std::pair<Mode, std::size_t>> sessions_by_mode(std::span<const Job> jobs) {
  std::vector<std::pair<Mode, std::size_t>> modes;
  for (const Job& job : jobs) {
    const auto known = std::ranges::find(modes, job.mode, &std::pair<Mode, std::size_t>::first);
    (known == modes.end() ? modes.emplace_back(job.mode, 0) : *known).second += 1;
  }
  return modes;
}

bool names_device(const Case& measured) { return !measured.device.empty() && measured.device != "cpu"; }

HostKind kind_of(const Job& job, const Case& measured) {
  const Probe* const probe = job.mode.probe;
  const ProbeHost* const own = probe == nullptr ? nullptr : measured.command ? probe->command_host : probe->host;
  HostKind kind{.toolchain = measured.toolchain,
                .language = measured.language,
                .counted = is_under_valgrind(job.mode),
                .runtime = measured.host_runtime,
                .probe = own,
                .on_device = job.on_device || names_device(measured),
                .anew = job.anew && !job.of_same_host};
  if (job.perturbation != nullptr) {
    // Nothing but Python has hashes that are seeded when it starts.
    if (kind.language == Language::python) kind.hash_seed = job.perturbation->hash_seed;
    kind.environment_padding = job.perturbation->environment_padding;
  }
  return kind;
}

}  // namespace tally
