#include "run/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "measurement/statistics.h"

namespace tally {

namespace {

CaseStatus status_of(Ending ending) {
  switch (ending) {
    case Ending::ok:
      return CaseStatus::ok;
    case Ending::timed_out:
      return CaseStatus::timeout;
    case Ending::crashed:
      return CaseStatus::crashed;
    case Ending::cancelled:
      return CaseStatus::skipped;
    case Ending::failed:
    case Ending::host_lost:
      break;
  }
  return CaseStatus::failed;
}

std::string failure_text(const CaseFailure& failure) {
  // A compiler's output begins with the very line that is the message.
  std::string text = failure.detail.starts_with(failure.message) ? failure.detail : failure.message;
  if (!failure.detail.empty() && text != failure.detail) text += "\n" + failure.detail;
  if (!failure.output.empty()) text += "\noutput of the case:\n" + failure.output;
  return text;
}

/// Whether the replicates agree, and of what that is the proof.
void add_proof(CaseRecord& record, const CaseOutcome& outcome) {
  Counts& counts = *record.counts;
  // Each execution of a command is one of processes of its own.
  const bool differs_by_clock = outcome.counted.other_sessions > 0 && counts.spread > 0;
  const bool are_apart = outcome.counted.hosts.size() > 1 || differs_by_clock ||
                         (!outcome.processes.empty() && counts.replicates.size() > 1);
  counts.proven = are_apart ? kTwoProcesses : kOneProcess;
  if ((outcome.counted.hosts.size() < 2 && !differs_by_clock) || counts.spread == 0) return;
  const auto [low, high] = std::ranges::minmax(counts.replicates);
  const auto iterations = static_cast<double>(counts.iterations);
  record.flags.emplace_back("processes_differ");
  record.warnings.push_back(
      fmt::format("processes differ: {:.1f} to {:.1f} instructions{}; a comparison takes that for noise",
                  (static_cast<double>(low) - counts.baseline) / iterations,
                  (static_cast<double>(high) - counts.baseline) / iterations,
                  outcome.counted.doubt.empty() ? "" : " (" + outcome.counted.doubt + ")"));
}

/// What another process has counted the same in another second does not follow from the second.
void note_time_of_day(CaseRecord& record, const CountedProcesses& counted) {
  const bool was_counted_again = counted.hosts.size() > 1 || counted.other_sessions > 0;
  if (!counted.reads_time_of_day || (was_counted_again && record.counts->spread == 0)) return;
  record.warnings.emplace_back(
      "it reads the time of day: what it computes of that, such as a random seed, is another in each run");
}

/// What a comparison of counts makes of a longer string instruction is nothing like the time that it takes.
void note_repetitions(CaseRecord& record) {
  if (!is_mostly_repetitions(*record.counts)) return;
  record.flags.emplace_back("string_repetitions");
  record.warnings.emplace_back(
      "more than half of its instructions only repeat a string instruction (rep movs, rep stos), which a processor "
      "counts once: time it, too");
}

void add_counts(CaseRecord& record, const Case& measured, const CaseOutcome& outcome) {
  record.counts = summarize_counts(*outcome.counts);
  if (outcome.allocations) {
    const double iterations = static_cast<double>(outcome.allocations->iterations);
    record.counts->allocations = static_cast<double>(outcome.allocations->count) / iterations;
    record.counts->allocated_bytes = static_cast<double>(outcome.allocations->bytes) / iterations;
  }
  note_repetitions(record);
  add_proof(record, outcome);
  note_time_of_day(record, outcome.counted);
  if (!outcome.perturbed.empty()) {
    std::vector<std::pair<std::string, double>> samples;
    samples.reserve(outcome.perturbed.size());
    for (const auto& [name, perturbed] : outcome.perturbed)
      samples.emplace_back(name, summarize_counts(perturbed).per_iteration);
    record.counts->floor = noise_floor(record.counts->per_iteration, std::move(samples));
  }
  // An empty statement is nobody's to remove.
  if (looks_optimised_away(*record.counts) && !measured.stmt.empty() && measured.language == Language::cpp) {
    record.flags.emplace_back("optimised_away");
    record.warnings.emplace_back("nothing is left of the statement: give its result to tally::keep(…)");
  }
  if (record.counts->per_iteration < 0) {
    record.flags.emplace_back("negative_count");
    record.warnings.push_back(fmt::format("its count is {:g}: the empty loop executes more than it does{}",
                                          record.counts->per_iteration,
                                          outcome.counted.paused ? "; pause less often, or not at all" : ""));
  }
  if (!replicates_agree(record.counts->replicates, record.counts->iterations)) record.flags.emplace_back("counts_vary");
}

/// Rates want a time: without one they are left out.
void add_report(CaseRecord& record, const CaseReport& report) {
  if (!report.note.empty()) record.note = report.note;
  std::map<std::string, double> counters;
  for (const ReportedCounter& counter : report.counters) {
    double value = counter.value;
    if (counter.is_rate && (!record.wall || record.wall->median_s <= 0)) continue;
    if (counter.is_rate) value /= record.wall->median_s;
    if (counter.inverted) value = 1 / value;
    if (std::isfinite(value)) counters[counter.name] = value;
  }
  if (!counters.empty()) record.counters = std::move(counters);
  if (report.used) record.used = *report.used;
  if (report.figure) record.reported = *report.figure;
}

/// A command reads files, which the system keeps from its first execution on.
void add_cold_start(CaseRecord& record, const Case& measured, const WallSamples& samples) {
  constexpr double kMuchLonger = 1.2;
  constexpr std::size_t kLeastOthers = 3;
  if (!measured.command || samples.by_child.empty() || samples.by_child.front().empty()) return;
  const double first = samples.by_child.front().front();
  std::vector<double> others(samples.by_child.front().begin() + 1, samples.by_child.front().end());
  for (const auto& child : std::span(samples.by_child).subspan(1))
    others.insert(others.end(), child.begin(), child.end());
  if (others.size() < kLeastOthers) return;
  const double usual = median(others);
  if (first < kMuchLonger * usual || first <= std::ranges::max(others)) return;
  record.flags.emplace_back("slow_first_run");
  record.warnings.push_back(
      fmt::format("its first execution took {:.1f} times as long as the others{}", first / usual,
                  measured.command->warm_up > 0 ? "" : ": what it reads was not in memory; --warmup 1 leaves it out"));
}

}  // namespace

CaseDescription describe_case(const Case& measured) {
  CaseDescription record;
  record.id = measured.id;
  record.label = measured.label;
  record.language = std::string(to_string(measured.language));
  record.runtime = measured.runtime;
  record.autograd = std::string(to_string(measured.autograd));
  if (!measured.device.empty()) record.device = measured.device;
  record.threads = measured.threads;
  record.params = measured.params;
  record.tags = measured.tags;
  record.toolchain = measured.toolchain;
  if (const auto& command = measured.command; command && (command->own_numbers || command->private_tmp)) {
    record.own.emplace();
    if (command->own_numbers) record.own->emplace_back("process_numbers");
    if (command->private_tmp) record.own->emplace_back("tmp");
  }
  if (measured.settings.entropy) record.entropy = std::string(to_string(*measured.settings.entropy));
  record.definition = {measured.stmt.text(), measured.setup.text(), measured.global_setup.text(), measured.digest};
  if (!measured.load.empty()) record.definition.load = measured.load.text();
  return record;
}

CaseRecord assemble(const Case& measured, const CaseOutcome& outcome, double precision, const std::string& reproduce) {
  CaseRecord record{describe_case(measured)};
  record.status = status_of(outcome.ending);
  record.warnings = outcome.warnings;
  for (const CaseAttempt& attempt : outcome.attempts) {
    record.attempts.push_back({status_of(attempt.ending), attempt.seconds, attempt.started_s, attempt.cpus});
  }
  if (!outcome.left_behind.empty())
    record.warnings.push_back("left in its own /tmp, and gone with it: " + outcome.left_behind);
  if (outcome.failure && outcome.failure->skipped) {
    record.status = CaseStatus::skipped;
    record.warnings.push_back("skipped by itself: " + outcome.failure->message);
  } else if (outcome.failure && outcome.ending != Ending::cancelled) {
    record.failure =
        Failure{.stage = outcome.failure->stage, .message = failure_text(*outcome.failure), .reproduce = reproduce};
  }
  if (!outcome.device.empty()) {
    record.flags.emplace_back("device");
    record.on_device = OnDevice{.name = outcome.device};
    if (!outcome.device_settings.empty()) record.on_device->settings = outcome.device_settings;
    if (const auto& times = outcome.device_times) {
      if (times->wait_s > 0) record.on_device->wait_s = times->wait_s;
      if (times->flushed) {
        record.flags.emplace_back("cold");
        record.on_device->flush = "l2";
      }
      if (!times->cards.empty()) record.on_device->cards = times->cards;
      record.on_device->launch = device_time(times->launch_s);
      record.on_device->time = device_time(times->device_s);
    }
  }
  if (!outcome.built.making.empty()) record.artifact = outcome.built.making;
  if (outcome.counts) add_counts(record, measured, outcome);
  if (outcome.wall) {
    record.wall = summarize_wall(*outcome.wall);
    for (std::string& flag : wall_flags(*outcome.wall, precision)) record.flags.push_back(std::move(flag));
    add_cold_start(record, measured, *outcome.wall);
  }
  if (!outcome.processes.empty()) record.processes = outcome.processes;
  add_report(record, outcome.report);
  return record;
}

void judge_cards(CaseRecord& record) {
  if (!record.on_device || !record.on_device->cards) return;
  OnDevice& device = *record.on_device;
  if (device.work && device.work->devices) device.cards = used_cards(*std::move(device.cards), *device.work->devices);
  const std::string slowed = describe_slowdown(*device.cards);
  if (slowed.empty()) return;
  record.flags.emplace_back("device_throttled");
  record.warnings.push_back(slowed);
}

}  // namespace tally
