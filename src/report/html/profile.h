/// A profile as the page's script reads it, both sides in one tree. Internal to src/report.
#pragma once

#include "comparison/call_delta.h"
#include "json/value.h"

namespace tally {

/// { "approximate": false,
///   "strings": [..],
///   "functions": { "name": [..], "object": [..], "own": [..], "all": [..], "calls": [..],
///                  "own_before": [..], "all_before": [..], "calls_before": [..] },
///   "tree": { "function": [..], "parent": [..], "total": [..], "before": [..] } }
///
/// Columns of equal length. Names and objects index strings, a tree's functions index functions; node 0 and function 0
/// are the statement. Figures are per iteration; "…before" only with a base. At most `most_nodes` nodes, the costliest;
/// functions are those of the nodes, and those with the most own cost or change. "all" is inclusive, and null of "???",
/// which are many functions.
json::Value profile_json(const ProfiledSide& before, const ProfiledSide& after, std::size_t most_nodes);

}  // namespace tally
