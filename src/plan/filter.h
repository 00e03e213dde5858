/// Which cases of a suite are meant: --filter, --exclude and --shard.
///
/// A pattern is, in this order: an id, which matches itself whatever characters it holds; "key=value" where the key is
/// language, runtime, autograd, threads, tag or the name of a parameter, and the value is a glob; a glob (with '*', '?'
/// or '[') on the whole id; any other text, which matches ids that contain it. Several filters are alternatives: a case
/// is kept when one of them matches. Excludes are taken away afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "expansion/case.h"

namespace tally {

/// One of `count` even parts of the cases. By rank among the sorted ids, round robin: parts differ by one case at most,
/// and the order of the suite and the number of replicates change nothing.
struct Shard {
  int index = 1;  ///< From 1.
  int count = 1;
};

/// "2/4".
Result<Shard> parse_shard(std::string_view text);

struct Selection {
  std::vector<std::string> filters = {};
  std::vector<std::string> excludes = {};
  Shard shard = {};
  std::string where = "--filter";  ///< Where the filters stand, for errors.
};

/// The cases that are meant, in their order. A filter that matches nothing is an error that names near ids; an exclude
/// may match nothing.
Result<std::vector<Case>> select(std::vector<Case> cases, const Selection& selection);

}  // namespace tally
