/// `tally history add | import | prune | rebuild | push | pull | log | show | site | accept | backfill | bridge`: what
/// commits did to counts, from records that are kept in a folder or on a branch.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/history_backfill.h"
#include "cli/history_site.h"
#include "cli/option_set.h"

namespace tally::cli {

/// Which history log and show are of, and in which form.
struct HistoryShow {
  enum class Form { text, json, csv };

  std::string suite;        ///< Empty: the only one.
  std::string environment;  ///< The first digits of its name; empty: the one that measured last along the line.
  std::string tip = "HEAD";
  std::string accept;  ///< Empty: tally-accept.toml at the top of the repository, where there is one.
  double drift = 0;    ///< Percent, of all cases; 0: as the accept file says.
  bool all = false;
  int top = 5;
  bool denoise = false;
  bool functions = false;
  Form form = Form::text;
  std::string fail_on;
  bool allow_uncompared = false;  ///< For `fail_on`.
};

/// An entry for the accept file, as it was requested.
struct HistoryAccept {
  std::string up_to;  ///< "+3%"
  std::string reason;
  std::string expires;  ///< Empty: in 90 days.
  std::string commit;   ///< Empty: that of the only change that is open.
  std::string owner;    ///< Empty: who commits here.
  std::string issue;
  std::string metric;  ///< Empty: that of the changes that are open, which must be of one.
};

/// What `import` adds.
struct ImportSources {
  std::vector<std::string> paths;  ///< Folders of records; with a format, files and folders of results.
  std::string format;              ///< Of another tool (exchange/import.h); empty: they are records.
  std::string suite;               ///< What the history calls them; empty: as the format is called.
  std::string commit;              ///< That all of them measured; empty: they say it.
  std::string expected = "0";      ///< Exit codes of commands that are no failure, or "any".
  bool with_stale = false;         ///< See exchange::ImportContext.
};

enum class HistoryTask { add, import, rebuild, prune, push, pull, log, show, site, accept, backfill, bridge };

struct HistoryOptions {
  std::string store = "tally-history";  ///< A folder, or "git:BRANCH".
  std::string remote = "origin";
  std::string repository;           ///< The folder whose commits order the runs; empty: the working folder's.
  std::optional<HistoryTask> task;  ///< Nothing: none is named.
  std::vector<std::string> records;
  ImportSources imported;
  std::string case_id;
  HistoryShow shown;
  SiteOptions site;
  HistoryAccept accepted;
  BackfillOptions filled;
};

void add_history_options(OptionSet& command, HistoryOptions& options);
/// Exit codes: 0, 1 what was meant to be added was not, 2 bad input, 3 --fail-on found something; and of --fail-on 1
/// where a case of the newest run failed or is gone, and 2 where one was not compared, or none was judged.
int run_history(const Context& context, const HistoryOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
