/// Which changes of a history were agreed to, by the accept file (comparison/accept.h). Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "comparison/accept.h"
#include "history/commits.h"
#include "history/course.h"

namespace tally {

/// What agrees to it, or null: instructions of a case that matches, of a commit among the candidates where it names
/// one, up to its limit, and not expired. `today` as "2026-01-31".
const Acceptance* acceptance_of(const CountStep& step, std::span<const CommitName> candidates,
                                const std::vector<Acceptance>& accepted, std::string_view today);

/// The same of a drift, of any commit.
const Acceptance* acceptance_of(const Drift& drift, const std::vector<Acceptance>& accepted, std::string_view today);

}  // namespace tally
