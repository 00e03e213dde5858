/// The jobs of a plan, and their order. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/job_queue.h"
#include "expansion/case.h"
#include "hosts/host_spec.h"
#include "measurement/settings.h"
#include "session/case_plan.h"
#include "session/probe.h"

namespace tally {

/// Counts first, pass after pass over the whole suite, so that what drifts on the machine falls on every case alike;
/// then times, in turns, those of many threads last, when others no longer take turns on the CPUs that they need at
/// once; then the figures of cases that report one, whatever is measured of others; then counts under each of
/// `perturbations`. Cases that are `done` have none (empty: none is done).
std::vector<Job> measuring_jobs(std::span<const Case> cases, const Settings& settings,
                                std::span<const Perturbation> perturbations, const std::vector<bool>& done);

/// Then those of `probes`, one after the other, each for the cases that it applies to; none of those that count where
/// nothing is counted.
void add_probing_jobs(std::vector<Job>& jobs, std::span<const Case> cases,
                      const std::map<std::string, ResolvedToolchain>& toolchains, std::span<const Probe* const> probes,
                      bool counts, const std::vector<bool>& done);

/// Takes out what wants a Python that is not installed here, where another machine's image stands for it: times, of
/// cases that are counted, too. Their count is their result.
void leave_out_times_of_carried(std::vector<Job>& jobs, std::span<const Case> cases,
                                const std::map<std::string, ResolvedToolchain>& toolchains, bool counts);

/// One execution of each statement that reports what it leaves.
std::vector<Job> examining_jobs(std::span<const Case> cases, const std::vector<bool>& done);

/// Replicates that are forks of one process agree about it, and say nothing of another one: where something speaks for
/// a difference, one more is taken of a host that was started anew. Where it reads a clock, another process of the same
/// host will do; and where the count differs with the clock, more follow, as many as the plan allows: their range is
/// the noise. `ended` is a job of the case, which ended `now`. A case that reads the time of day is counted in another
/// second: what it computes of that is something else then.
std::optional<Job> job_of_another_process(const Job& ended, const CaseOutcome& outcome, const CasePlan& plan,
                                          Clock::time_point now);

/// How many there are of each mode, in the order in which modes come.
std::vector<std::pair<Mode, std::size_t>> sessions_by_mode(std::span<const Job> jobs);

/// Its definition says that it runs on a device.
bool names_device(const Case& measured);

/// Which host a job needs.
HostKind kind_of(const Job& job, const Case& measured);

}  // namespace tally
