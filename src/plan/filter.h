/// Selects cases of a suite: --filter and --exclude, and --shard of those.
///
/// A pattern is, in this order: an id, which matches itself whatever characters it holds; "key=value" where the key is
/// language, runtime, autograd, threads, tag or the name of a parameter, and the value is a glob; a glob (with '*', '?'
/// or '[') on the whole id; any other text, which matches ids that contain it. Several filters are alternatives: a case
/// is kept when one of them matches. Excludes are taken away afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "expansion/case.h"
#include "plan/shard.h"

namespace tally {

struct Selection {
  std::vector<std::string> filters = {};
  std::vector<std::string> excludes = {};
  std::optional<Shard> shard = {};           ///< Then only this part of what is selected.
  std::optional<LastTimes> last_times = {};  ///< What parts are dealt by; empty: by hash.
  std::string where = "--filter";            ///< Where the filters stand, for errors.
};

/// The cases that are meant, of all parts, in their order. A filter that matches nothing is an error that names near
/// ids; an exclude may match nothing.
Result<std::vector<Case>> select(std::vector<Case> cases, const Selection& selection);

}  // namespace tally
