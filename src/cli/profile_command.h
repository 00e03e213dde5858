/// `tally profile`: which functions a case's counts are in, and exports for other tools.
///
/// Exit codes: 0 fine, 2 wrong usage or an unreadable profile.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/table_style.h"

namespace tally::cli {

/// What of a profile is shown.
enum class ProfileView { functions, python, lines, memory };

struct ProfileCommandOptions {
  std::string file;  ///< A Callgrind file, a stored profile, or RECORD#CASE.
  std::string base;  ///< The same, to subtract; or empty.
  bool inclusive = false;
  std::string by = "function";
  std::size_t top = 30;
  std::string event;
  bool denoise = false;
  bool keep_names = false;  ///< Do not standardize.
  bool full_names = false;
  bool list_rules = false;
  std::vector<std::string> ignore;  ///< More noise: globs over function names.
  ProfileView view = ProfileView::functions;
  bool natives = false;  ///< Of `python`: native functions apart.
  bool json = false;
  std::string export_as;  ///< "callgrind", "speedscope", "pprof" or "collapsed".
  std::string output = "-";
  TableStyle style;
};

void add_profile_options(OptionSet& sub, ProfileCommandOptions& options);
int run_profile(const Context& context, const ProfileCommandOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
