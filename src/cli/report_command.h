/// `tally report`: a record, alone or against a base, as one self-contained page; or in another program's format.
///
/// Exit codes: 0 written, 2 wrong usage or an unreadable record.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct ReportCommandOptions {
  std::string record;
  std::string base;            ///< May be empty.
  std::string output;          ///< Default: the record's name with .html.
  std::string benchmark_json;  ///< Google Benchmark's JSON goes here, or nowhere.
  std::string title;           ///< Default: the record's file name.
};

void add_report_options(OptionSet& sub, ReportCommandOptions& options);
int run_report(const Context& context, const ReportCommandOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
