/// Who calls whom in a case: Callgrind follows calls, in hosts of its own. Its profile takes the place of that of the
/// case's count, which has each function's own instructions alone.
///
/// The count is not Callgrind's: its hosts know less of what keeps a start the same, and lie otherwise in memory.
#include <fmt/format.h>

#include "profile/subtract.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

constexpr ProbeHost kCallsHost{.description = "with calls", .valgrind_flags = valgrind_flags};

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
              .host = &kCallsHost},
    .field = "calls",
    .option = "--no-calls",
    .help = "For --profiles: leave out who calls whom, which needs a host of its own",
    .keep = keep_calls,
};

}  // namespace tally::probes
