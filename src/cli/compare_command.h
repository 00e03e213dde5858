/// `tally compare`: two records into a verdict for each case.
///
/// Exit codes: 0 compared, whatever was found (`tally check` judges); 1 a case failed or is gone; 2 wrong usage or an
/// unreadable record.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/table_style.h"
#include "comparison/comparison.h"

namespace tally::cli {

struct CompareCommandOptions {
  std::string base;
  std::string next;
  bool all = false;
  bool denoise = false;
  bool functions = false;
  std::size_t top = 10;
  bool json = false;
  std::string csv;
  std::string markdown;
  bool gone_is_failure = true;  ///< False where a side may lack what the other has.
  TableStyle style;
};

void add_compare_options(OptionSet& sub, CompareCommandOptions& options);
int run_compare(const Context& context, const CompareCommandOptions& options, std::ostream& out, std::ostream& err);

/// What compare and ab print of a finished comparison: text or JSON on `out`, and the files that were requested.
int report_comparison(const Comparison& comparison, const CompareCommandOptions& options, const RenderOptions& render,
                      std::ostream& out, std::ostream& err);

}  // namespace tally::cli
