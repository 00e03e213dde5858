/// `tally check`: a gate for CI. Holds a new record against a base and limits.
///
/// Exit codes: 0 pass; 1 a case failed or is gone; 2 wrong usage, a baseline that is missing, unreadable or stale, or
/// something that was not judged (a case, or all that a limit is for): never a pass; 3 a regression beyond a limit. Of
/// several 3 comes first, then 1, then 2.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/option_set.h"
#include "cli/remeasure.h"
#include "cli/table_style.h"
#include "record/record.h"

namespace tally::cli {

struct CheckCommandOptions {
  std::string base;
  std::string next;
  std::vector<std::string> cases;       ///< Ids; the others are left out. None: all.
  std::vector<std::string> limits;      ///< None: "instructions=+1%" for cases that no `limits_for` is about.
  std::vector<std::string> soft;        ///< As limits; only warn.
  std::vector<std::string> limits_for;  ///< "GLOB:LIMIT"
  std::string accept;                   ///< Path of the accept file, or empty.
  bool allow_uncompared = false;        ///< Cases that were not compared are no failure.
  bool any_environment = false;
  double max_age_days = 90;                    ///< Of the base; 0: any.
  std::string confirm;                         ///< A suite or a program to measure suspects with again, or empty.
  std::vector<std::string> program_args = {};  ///< Of that program.
  std::string rebase;                          ///< A command that builds the base's commit, or empty.
  std::string env_command;                     ///< For these two, as the three below: what a record does not say.
  std::string cxx;
  std::string python;
  std::string cores;
  bool denoise = false;
  bool functions = false;
  bool github = false;
  bool json = false;
  std::string markdown;
  std::string junit;
  std::string csv;
  std::string benchmark_json;
  TableStyle style;
};

void add_check_options(OptionSet& sub, CheckCommandOptions& options);
int run_check(const Context& context, const CheckCommandOptions& options, std::ostream& out, std::ostream& err);

/// The same, where these measure what is to be measured.
int run_check(const Context& context, const CheckCommandOptions& options, const Remeasure& remeasure,
              const Rebase& rebase, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
