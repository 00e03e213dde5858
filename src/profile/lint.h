/// What a measured region should not do: functions in its profile that make a count or a time depend on the world
/// outside.
///
/// Pure; by the names of the C library's functions, so it sees what a library calls on the statement's behalf too. The
/// names are looked for in libc (and libpthread, libm of older systems) only: a class may well have a member `read`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tally {

struct LintFinding {
  std::string function;  ///< "clock_gettime"
  std::string why;       ///< "reads a clock"
  std::uint64_t calls = 0;
};

/// In order of the rules below, then by name. `calls` is 0 where the function has costs but its calls were not
/// recorded.
std::vector<LintFinding> lint_region(const Profile& profile);

}  // namespace tally
