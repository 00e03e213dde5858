/// What names mean: rules that make counts of two builds comparable, take known noise away, or warn.
///
/// Each rule is data with a name and a reason, so that a user can list the built-in ones and add others. Patterns are
/// globs over whole texts; an empty pattern matches anything. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/function_counts.h"

namespace tally {

struct FunctionRule {
  std::string name;                    ///< "dict-probing"
  std::string reason;                  ///< One sentence for a list.
  std::vector<std::string> functions;  ///< Any of these globs, over the demangled name.
  std::string object;                  ///< Glob over the object's base name.
};

bool matches(const FunctionRule& rule, const FunctionKey& key);

/// Interpreter work that depends on addresses and history rather than on the statement.
std::vector<FunctionRule> builtin_noise();

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
FunctionCounts standardize(const FunctionCounts& counts);

}  // namespace tally
