/// A tree of calls from the edges that Callgrind records, for flame graphs.
///
/// Callgrind keeps caller → callee sums, not stacks: when two callers of f make it call g, the file does not say on
/// whose behalf. Each node's costs are therefore its function's costs in proportion, and the tree is *approximate*,
/// except where every function has one caller or Callgrind kept callers apart (--separate-callers, names such as
/// "f'main").
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace tally {

struct TreeNode {
  std::uint32_t function = 0;  ///< Of the profile; unused in node 0.
  std::uint32_t parent = 0;
  double self = 0;
  double total = 0;
};

struct TreeLimits {
  double least_share = 0.0005;  ///< Of all costs; smaller calls stay in their caller as "self".
  std::size_t most_nodes = 20000;
  std::size_t most_depth = 200;
};

struct CallTree {
  std::vector<TreeNode> nodes;  ///< Node 0 is the root above all roots; parents before children; costly children first.
  bool approximate = false;     ///< Some function has several callers.
};

/// Of one event. A function that calls itself, directly or not, ends its branch.
CallTree call_tree(const Profile& profile, std::size_t event, const TreeLimits& limits);

}  // namespace tally
