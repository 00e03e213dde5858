#include "execution/jobs.h"

#include <algorithm>

#include "execution/case_plan.h"

namespace tally {

namespace {

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
  const std::vector<std::size_t> open = open_cases(cases, done);
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
  if (settings.counts) {
    for (const Perturbation& perturbation : perturbations) add_pass(jobs, open, Mode::counts, &perturbation);
  }
  return jobs;
}

void add_site_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done) {
  add_pass(jobs, open_cases(cases, done), Mode::sites);
}

void add_function_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done) {
  std::vector<std::size_t> order = open_cases(cases, done);
  std::erase_if(order, [&](std::size_t i) { return cases[i].language != Language::python; });
  add_pass(jobs, order, Mode::functions);
}

void add_thread_jobs(std::vector<Job>& jobs, std::span<const Case> cases,
                     const std::map<std::string, ResolvedToolchain>& toolchains, const std::vector<bool>& done) {
  // One that serves with our library before its own runs no teams.
  const auto serves_itself = [&](const Case& one) {
    const Toolchain& toolchain = toolchains.at(one.toolchain).spec;
    return !toolchain.program.empty() && toolchain.program_preload.empty();
  };
  std::vector<std::size_t> order = open_cases(cases, done);
  std::erase_if(order, [&](std::size_t i) {
    return cases[i].threads < 2 || cases[i].threads > kMostLoneThreads || !serves_itself(cases[i]);
  });
  add_pass(jobs, order, Mode::threads);
}

void add_line_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done) {
  std::vector<std::size_t> order = open_cases(cases, done);
  std::erase_if(order, [&](std::size_t i) { return cases[i].language != Language::cpp; });
  add_pass(jobs, order, Mode::lines);
}

std::vector<Job> examining_jobs(std::span<const Case> cases, const std::vector<bool>& done) {
  std::vector<Job> jobs;
  add_pass(jobs, open_cases(cases, done), Mode::result);
  return jobs;
}

HostKind kind_of(const Job& job, const Case& measured) {
  HostKind kind{.toolchain = measured.toolchain,
                .language = measured.language,
                .counted = is_under_valgrind(job.mode),
                .runtime = measured.host_runtime,
                .allocation_sites = job.mode == Mode::sites,
                .python_functions = job.mode == Mode::functions,
                .instructions = job.mode == Mode::lines,
                .anew = job.anew};
  if (job.perturbation != nullptr) {
    // Nothing but Python has hashes that are seeded when it starts.
    if (kind.language == Language::python) kind.hash_seed = job.perturbation->hash_seed;
    kind.environment_padding = job.perturbation->environment_padding;
  }
  return kind;
}

}  // namespace tally
