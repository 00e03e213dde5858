/// Which changes of a history were acknowledged, by the accept file (comparison/accept.h). Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "comparison/accept.h"
#include "history/commits.h"
#include "history/course.h"

namespace tally {

/// What agrees to it, or null: an acceptance of its metric, of a case that matches, of a commit among the candidates
/// where it names one, up to its limit, and not expired. `today` as "2026-01-31".
const Acceptance* acceptance_of(std::string_view id, const CountStep& step, std::span<const CommitName> candidates,
                                const std::vector<Acceptance>& accepted, std::string_view today);

/// The same of a drift, by an acceptance that names no commit. One that does stands in the course itself: see below.
const Acceptance* acceptance_of(std::string_view id, const Drift& drift, const std::vector<Acceptance>& accepted,
                                std::string_view today);

/// What would agree to it if it had not expired, or null.
const Acceptance* expired_acceptance_of(std::string_view id, const CountStep& step,
                                        std::span<const CommitName> candidates, const std::vector<Acceptance>& accepted,
                                        std::string_view today);
const Acceptance* expired_acceptance_of(std::string_view id, const Drift& drift,
                                        const std::vector<Acceptance>& accepted, std::string_view today);

/// Those that name a commit of the line and have not expired, each at the first run of that commit or a later one.
std::vector<AgreedAt> agreed_along(const CommitLine& line, const std::vector<Acceptance>& accepted,
                                   std::string_view today);

/// Where no budget says anything else.
inline constexpr double kUsualDrift = 0.02;

/// What the case may drift: the last of the budgets that is about it, or the usual one.
double budget_of(std::string_view id, const std::vector<DriftBudget>& budgets);

}  // namespace tally
