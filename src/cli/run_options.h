/// The options of everything that measures: `run`, `time`, and what re-measures for a comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/option_set.h"
#include "cli/table_style.h"
#include "discovery/toolchains.h"
#include "measurement/settings.h"
#include "plan/plan.h"
#include "report/text/run_table.h"
#include "report/text/table.h"

namespace tally::cli {

struct RunOptions {
  std::vector<std::string> filters;
  std::vector<std::string> excludes;
  std::string shard;
  std::string balance;  ///< A record by whose times parts are dealt.
  Settings settings;    ///< As far as an option is one of them as it stands; settings_of() has all.
  double precision_percent = 1;
  std::uint64_t iterations = 0;  ///< 0: by default.
  double timeout_s = 0;          ///< 0: by default.
  double host_timeout_s = 120;
  std::string max_wait;  ///< Empty: as long as it takes.
  std::string memory;
  int retries = -1;  ///< Below 0: by default.
  std::string entropy = "fixed";
  std::string time_of_day = "system";
  std::string images;  ///< Room for hosts' images; empty: by default, or by the environment.
  Tools tools;
  std::string cores;
  int reserved_cpus = 0;        ///< The lowest ones of these, left to others.
  std::string server = "auto";  ///< Who measures: "auto", "off", or a socket's path.
  bool denoise = false;         ///< What is shown; a record has both.
  std::string columns;          ///< Of the table, with commas between; empty: by default.
  std::string sort;
  std::string csv;  ///< Files besides; empty: none.
  std::string markdown;
  bool keep = false;
  bool quiet = false;
  bool verbose = false;
  TableStyle style;
};

/// Options of selection only: for `list` and `plan` too.
void add_selection_options(OptionSet& command, RunOptions& options);
/// What programs are found and started in: for `list` and `plan`, which have them list their benchmarks, too.
void add_environment_options(OptionSet& command, RunOptions& options);
void add_run_options(OptionSet& command, RunOptions& options);
/// How the table looks, of a command that prints it.
void add_column_options(OptionSet& command, RunOptions& options);
/// In which other forms it is written.
void add_table_files(OptionSet& command, RunOptions& options);
void add_server_option(OptionSet& command, RunOptions& options);

/// Reads the record of --balance.
Result<Selection> selection_of(const RunOptions& options);
/// What these options take of a suite.
Result<Plan> plan_of(const Suite& suite, const RunOptions& options);

/// How these options want a run to measure.
Result<Settings> settings_of(const RunOptions& options);

/// How they want its table to look. An error (input) names a column that there is not.
Result<RunTableView> view_of(const RunOptions& options);

/// "30 s", "500ms", "5 min", "1h", or a number of seconds.
Result<double> parse_seconds(const std::string& text, const std::string& where);

}  // namespace tally::cli
