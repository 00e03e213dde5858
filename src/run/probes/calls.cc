/// Who calls whom in a case: the counter follows calls in a further region, in the host that counts the case. This
/// profile takes the place of that of the case's count, which has each function's own instructions alone.
#include <fmt/format.h>

#include "profile/subtract.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

using protocol::Followed;

/// Forked from the states that the case's count starts from: so the empty loop is executed once in the case child
/// itself, as it is there. The statement never is: some libraries begin anew in a forked process, and the count is of
/// forked ones.
ProbeStep next_region_with_calls(const ProbeState& state) {
  if (state.taken.empty()) return AskCount{.iterations = state.iterations, .followed = Followed::calls};
  if (state.taken.front().followed != Followed::calls)
    return fail(ErrorKind::failed, "the program was built with an earlier tallymark, which follows no calls");
  if (state.taken.size() == 1 && !state.of_statement && !state.in_process)
    return AskCount{.iterations = state.iterations};
  return std::nullopt;
}

Status keep_calls(const ProbeSample& found, ProbeContext& context) {
  if (context.profile == nullptr) return {};
  auto profile =
      profile_less(found.statement.front().dump, found.lead.empty() ? std::string_view() : found.lead.front().dump);
  if (!profile) return std::unexpected(profile.error());
  *profile = with_object_names(*profile, context.names);
  Profile& counted = context.profile->profile;
  profile->notes = std::move(counted.notes);
  if (profile->totals != counted.totals) {
    profile->notes.push_back(
        fmt::format("its functions with their calls have {} instructions, and its count {}: they were found by two "
                    "executions",
                    profile->totals.front(), counted.totals.front()));
  }
  counted = *std::move(profile);
  if (!found.baseline.empty()) context.baseline = found.baseline.front().dump;
  return {};
}

}  // namespace

constinit const KeptProbe kCalls = {
    .probe = {.name = "calls",
              .activity = "finding the calls of",
              .unknown = "who calls whom in it is not known",
              .next = next_region_with_calls},
    .field = "calls",
    .option = "--no-calls",
    .help = "For --profiles: leave out who calls whom, which needs an execution of its own",
    .keep = keep_calls,
};

}  // namespace tally::probes
