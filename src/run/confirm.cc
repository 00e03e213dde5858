#include "run/confirm.h"

#include <fmt/format.h>

namespace tally {

namespace {

/// The same id may be another benchmark by now, or that of a program with other arguments.
Status check_same_definitions(const Record& next, const Plan& plan) {
  for (const Case& one : plan.cases) {
    const CaseRecord* const first = find_case(next, one.id);
    if (first == nullptr || first->definition.digest == one.digest) continue;
    return fail(ErrorKind::input, "its definition is not the one that the record has", one.id,
                "measure it again with the suite that it was measured with, and with the program's own arguments "
                "(after --)");
  }
  return {};
}

/// A second measurement judges the first only where it is of the same thing.
Status check_same_subject(const Record& next, const Record& again) {
  for (const auto& [name, environment] : again.environments) {
    const auto first = next.environments.find(name);
    if (first == next.environments.end() || first->second.fingerprint == environment.fingerprint) continue;
    const bool subject = first->second.subject != environment.subject;
    return fail(ErrorKind::input,
                fmt::format("measured again, the {} of {} is not the one that the record was measured in",
                            subject ? "subject" : "environment", name),
                {}, "measure again right after, with the same builds, environment, compiler and interpreter");
  }
  return {};
}

}  // namespace

Result<Record> measure_again(Workspace& workspace, const AgainRequest& request, RunObserver& observer) {
  RunRequest run{.plan = nullptr,
                 .caller = request.caller,
                 .settings = request.as.settings,
                 .tools = request.tools,
                 .suite = request.suite_path};
  run.settings.noise_floor = false;  // the first measurement's stands
  auto plan = make_plan(request.suite, {.selection = {.filters = request.ids}, .repeat = run.settings.repeat});
  if (!plan) return std::unexpected(plan.error());
  if (auto same = check_same_definitions(request.as, *plan); !same) return std::unexpected(same.error());
  run.plan = &*plan;
  auto again = measure(workspace, run, observer);
  if (!again) return std::unexpected(again.error());
  if (again->stopped) return std::unexpected(*again->stopped);
  if (again->interrupted) return fail(ErrorKind::input, "measuring again was interrupted");
  if (auto same = check_same_subject(request.as, again->record); !same) return std::unexpected(same.error());
  return std::move(again->record);
}

void replace_cases(Record& next, const Record& again) {
  for (CaseRecord& one : next.cases) {
    const CaseRecord* second = find_case(again, one.id);
    if (second == nullptr) continue;
    std::optional<std::string> profile = one.profile;
    std::optional<NoiseFloor> floor = one.counts ? one.counts->floor : std::nullopt;
    one = *second;
    if (one.counts && !one.counts->floor) one.counts->floor = std::move(floor);
    one.profile = std::move(profile);  // Beside the new record; the second measurement keeps none there.
    one.warnings.emplace_back("measured a second time to confirm a suspected regression");
  }
}

}  // namespace tally
