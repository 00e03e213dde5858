/// Rules about function names: which make counts of two builds comparable, which subtract known noise, which warn.
///
/// Each rule is data with a name and a reason, so that a user can list them and add others. What is noise is a
/// toolchain's to say. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/function_rule.h"
#include "profile/function_counts.h"

namespace tally {

bool matches(const FunctionRule& rule, const FunctionKey& key);

/// `counts` without what any rule matches.
FunctionCounts denoise(const FunctionCounts& counts, std::span<const FunctionRule> rules);

/// What should not run inside a measured region: clocks, random devices, input and output, new threads.
std::vector<FunctionRule> builtin_lint();

struct LintFinding {
  std::string rule;
  std::string function;
  double count = 0;  ///< Of the event that the counts are of.
};

/// One finding for each rule and function, costly ones first.
std::vector<LintFinding> lint(const FunctionCounts& exclusive, std::span<const FunctionRule> rules);

/// Names that two builds and two machines share: objects by base name and without version ("libtorch_cpu.so"), files
/// without what stands before a known source root, functions demangled, without clone suffixes (".constprop.0") and
/// recursion marks; nameless code, which Callgrind calls by its address, as "???"; compiled statements, whose names are
/// digests, as "statement".
FunctionKey standardize(const FunctionKey& key);

}  // namespace tally
