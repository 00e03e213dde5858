/// Which jobs a plan comes to, and in which order. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "execution/host_spec.h"
#include "execution/job_queue.h"
#include "expansion/case.h"
#include "measurement/settings.h"

namespace tally {

/// Counts first, pass after pass over the whole suite, so that what drifts on the machine falls on every case alike;
/// then times, in turns, those of many threads last, when others no longer take turns on the CPUs that they need at
/// once; then counts under each of `perturbations`. Cases that are `done` have none (empty: none is done).
std::vector<Job> measuring_jobs(std::span<const Case> cases, const Settings& settings,
                                std::span<const Perturbation> perturbations, const std::vector<bool>& done);

/// Where each case allocates, after all that measures.
void add_site_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done);

/// The Python functions of each case in Python, likewise.
void add_function_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done);

/// What each thread executes of a benchmark program's team, likewise. A session takes as many regions as there are
/// threads, all of which work in each: beyond this many it would take too long.
inline constexpr int kMostLoneThreads = 16;
void add_thread_jobs(std::vector<Job>& jobs, std::span<const Case> cases,
                     const std::map<std::string, ResolvedToolchain>& toolchains, const std::vector<bool>& done);
/// The source lines of each case in C++, likewise.
void add_line_jobs(std::vector<Job>& jobs, std::span<const Case> cases, const std::vector<bool>& done);

/// One execution of each statement that reports what it leaves.
std::vector<Job> examining_jobs(std::span<const Case> cases, const std::vector<bool>& done);

/// Which host a job needs.
HostKind kind_of(const Job& job, const Case& measured);

}  // namespace tally
