/// What each thread of a benchmark program's team executes: a region for each, which is collected alone, in the host
/// that counts all of them at once.
#include <fmt/format.h>

#include <numeric>

#include "measurement/counts.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

/// A session takes as many regions as there are threads, all of which work in each: with more it would take too long.
constexpr int kMostLoneThreads = 16;

/// A program that serves with our library before its own runs no teams.
bool has_team(const Case& measured, const Toolchain& toolchain) {
  return measured.threads > 1 && measured.threads <= kMostLoneThreads && !toolchain.own_host.executable.empty() &&
         toolchain.own_host.preload.empty();
}

/// All of them forked from the state that the whole count starts from: so the empty loop is executed once in the case
/// child itself, as it is there.
ProbeStep next_thread(const ProbeState& state) {
  const auto threads = static_cast<std::size_t>(state.measured.threads);
  const std::size_t taken = state.taken.size();
  if (state.in_process) return fail(ErrorKind::failed, "others than its team's work in its process");
  if (taken > 0 && taken <= threads) {
    const RegionCounted& region = state.taken.back();
    if (region.thread != static_cast<int>(taken))
      return fail(ErrorKind::failed, "the program was built with an earlier tallymark, which counts no single thread");
    if (auto why = why_unusable(region)) return fail(ErrorKind::failed, *std::move(why));
  }
  if (taken < threads) return AskCount{.iterations = state.iterations, .thread = static_cast<int>(taken) + 1};
  if (taken == threads && !state.of_statement) return AskCount{.iterations = state.iterations};
  return std::nullopt;
}

/// Figures that do not add up are not those of the execution that was counted.
Status keep_threads(const ProbeSample& found, ProbeContext& context) {
  std::optional<Counts>& counts = context.record.counts;
  if (!counts) return {};
  CountSamples alone{.iterations = found.statement.front().iterations,
                     .events = (*found.statement.front().totals)->events};
  for (std::size_t i = 0; i < found.statement.size(); ++i) {
    alone.replicates.push_back((*found.statement[i].totals)->values);
    alone.baseline.push_back((*found.baseline[i].totals)->values);
  }
  std::vector<double> each = counts_by_thread(alone);
  if (!adds_up(each, *counts)) {
    return fail(ErrorKind::failed,
                fmt::format("counted one at a time they execute {:.0f} instructions, and all at once {:.0f}",
                            std::accumulate(each.begin(), each.end(), 0.0), counts->per_iteration));
  }
  counts->per_thread = std::move(each);
  return {};
}

}  // namespace

constinit const KeptProbe kThreads = {
    .probe = {.name = "threads",
              .activity = "counting each thread of",
              .unknown = "what each of its threads executes is not known",
              .applies = has_team,
              .next = next_thread},
    .asked = KeptProbe::Asked::always,
    .keep = keep_threads,
};

}  // namespace tally::probes
