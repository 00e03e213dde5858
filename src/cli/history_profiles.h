/// Profiles on their way into a history, out of it, and away.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/history_command.h"
#include "git/repository.h"
#include "history/store.h"
#include "report/history/site.h"
#include "report/history/view.h"

namespace tally::cli {

/// What is kept beside the record at `path`.
ProfileReader profiles_of(const std::string& path);

/// Takes those away that explain nothing (history/profiles.h), on the line of `tip` in every environment; runs on other
/// lines keep theirs. How many files went. An error: the store cannot be read or written.
Result<std::size_t> prune_profiles(const Repository& repository, const std::string& tip, HistoryStore& store);

/// Those of both sides of the view's steps, for a site. The store outlives it. An error: the index cannot be read.
Result<PointProfiles> step_profiles(HistoryStore& store, const HistoryView& view);

/// Which functions moved, by the profiles that both sides of a step have kept. The store and the view outlive it.
StepFunctions step_functions(const HistoryStore& store, const HistoryView& view);

}  // namespace tally::cli
