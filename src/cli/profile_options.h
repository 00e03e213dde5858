/// Whether a measuring command keeps profiles beside its record, and what belongs to them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/option_set.h"
#include "run/probes/table.h"
#include "run/run.h"

namespace tally::cli {

struct ProfileOptions {
  bool wanted = false;
  std::array<bool, probes::kTable.size()> probes{};  ///< Those whose option was given, by their places.
  bool no_sources = false;                           ///< No texts of source files.
};

/// `--profiles`.
void add_profiles_option(OptionSet& command, ProfileOptions& options);
/// Those that say what belongs to them.
void add_profile_contents_options(OptionSet& command, ProfileOptions& options);

/// An error (input): there is no record for them to lie beside, or something is asked of them and they are not wanted.
Status check(const ProfileOptions& options, const std::string& json);

/// Where the profiles of a record are kept.
ProfileRequest profiles_beside(const std::string& record);
/// The same, with what was requested; nothing where none are wanted.
std::optional<ProfileRequest> request_of(const ProfileOptions& options, const std::string& record);

}  // namespace tally::cli
