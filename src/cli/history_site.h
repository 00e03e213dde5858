/// The options of `tally history site`, and a history written as a folder of pages.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/option_set.h"
#include "report/history/site.h"

namespace tally::cli {

struct SiteOptions {
  std::string folder;
  std::string title;       ///< Empty: the suite's name.
  std::string url;         ///< Where it will be; may be empty.
  std::string commit_url;  ///< With "{commit}" in it; may be empty.
};

void add_site_options(OptionSet& command, SiteOptions& options);

/// An error (input): an address is none of http or https, or names no commit.
Status check_site_options(const SiteOptions& options);

/// The path of the page. `working_folder` is what a relative one is in. Errors: see site_folder.h.
Result<std::string> write_history_site(const HistoryView& view, const PointProfiles& profiles,
                                       const SiteOptions& options, const std::string& working_folder);

}  // namespace tally::cli
