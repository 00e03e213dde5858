/// The data that the page of a history reads when it is opened. Internal to src/report.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "json/value.h"
#include "report/history/site.h"

namespace tally {

/// Names of files that the page loads later.
struct SiteFileNames {
  std::vector<std::string> cases;  ///< One for each case; empty: it was never counted.
  std::map<std::pair<std::size_t, std::size_t>, std::string> steps;  ///< By run and case: where functions are known.
};

/// { "name", "suite", "commit_url", "authors": [..],
///   "commits": { "id": [..], "author": [..], "title": [..] }, from the first that was measured to the tip;
///   "runs": { "commit": [..], "started": [..], "compared": [..], "mean": [..] },
///   "epochs": [ { "run", "environment", "bridged", "joined", "chained": { "case", "before", "after" } } ],
///   "cases": [ { "id", "label", "variant", "status", "count", "time": [median, low, high], "spark", "file" } ],
///   "steps": { "run", "since", "case", "before", "after", "agreed", "file" },
///   "times": { "run", "since", "case", "before", "after", "p", "provisional" }, in seconds, nominated;
///   "seams": [ { "run", "why", "cases": [..] } ], "failed": { "run", "case" },
///   "drifts": [ { "case", "since", "before", "after", "contributors", "agreed", "finding" } ],
///   "ledger": [ { "case", "metric", "up_to", "reason", "expires", "expired", "commit", "owner", "issue" } ] }
///
/// Runs, cases and lines of the ledger are named by their places. "commit" of runs and "run" of steps, times and failed
/// are differences, "since" says how many runs before.
json::Value site_data(const HistorySite& site, const SiteFileNames& files);

}  // namespace tally
