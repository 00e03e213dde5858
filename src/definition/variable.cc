#include "definition/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "definition/lexical.h"

namespace tally {
namespace {

// What src/hosts/environment.h lists, where that is not for toolchains to say; a test there holds the two together.
// The loader's would reach the supervisor and Valgrind too.
constexpr auto kReserved =
    std::to_array<std::string_view>({"CONDA_PREFIX", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "LC_ALL", "LD_*", "MKL_DYNAMIC",
                                     "OMP_DYNAMIC", "OMP_WAIT_POLICY", "OPENBLAS_NUM_THREADS", "PATH", "PYTHONHASHSEED",
                                     "PYTHONPATH", "PYTHONSAFEPATH", "TALLY_*", "TZ", "VIRTUAL_ENV"});

}  // namespace

Status check_variable(const std::string& name, const std::string& value) {
  if (!is_identifier(name)) {
    return fail(ErrorKind::input, fmt::format("'{}' cannot be the name of an environment variable", name), {},
                "use letters, digits and '_', and no digit in front");
  }
  if (std::ranges::any_of(kReserved, [&](std::string_view pattern) { return glob_match(pattern, name); })) {
    return fail(ErrorKind::input, fmt::format("'{}' is not for a toolchain to set: tally does, or the user", name), {},
                "take it out; --keep-env lets a variable of the user's through");
  }
  if (value.contains('\0'))
    return fail(ErrorKind::input, fmt::format("the value of '{}' has a null character in it", name), {}, "take it out");
  return {};
}

}  // namespace tally
