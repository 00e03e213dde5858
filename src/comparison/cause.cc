#include "comparison/cause.h"

#include <algorithm>

#include "base/text.h"
#include "definition/builtin_toolchains.h"
#include "profile/rules.h"

namespace tally {
namespace {

constexpr double kMostOf = 0.6;

/// glibc's variants of one function by CPU: "__memmove_avx_unaligned_erms".
bool is_dispatched(const FunctionDelta& delta) {
  return std::ranges::any_of(std::array{"*_avx*", "*_sse*", "*_evex*", "*_erms*"},
                             [&](const char* glob) { return glob_match(glob, delta.name); });
}

/// What was started is the first process.
bool has_other_arguments(const CaseComparison& comparison) {
  if (comparison.base == nullptr || comparison.next == nullptr) return false;
  const auto& before = comparison.base->processes;
  const auto& after = comparison.next->processes;
  return before && after && !before->empty() && !after->empty() &&
         before->front().arguments != after->front().arguments;
}

}  // namespace

std::string likely_cause(const CaseComparison& comparison) {
  if (comparison.definition_changed) return "definition";
  const auto fact_changed = [&](std::string_view prefix) {
    return std::ranges::any_of(comparison.environment_changes,
                               [&](const std::string& change) { return change.starts_with(prefix); });
  };
  // A new PyTorch comes with a new interpreter: which of the two it was, only the functions can show.
  const auto blamed = [&](std::string_view word) {
    return (comparison.subject_changes.empty() ? "" : "code or ") + std::string(word);
  };
  const bool python = comparison.shown().language == "python";
  if (!python && fact_changed("compiler")) return blamed("compiler");
  if (python && fact_changed("python")) return blamed("interpreter");
  if (fact_changed("cpu") || fact_changed("glibc")) return blamed("library dispatch");
  if (!comparison.environment_changes.empty()) return blamed("environment");
  if (std::ranges::any_of(comparison.machine_changes, is_of_folder)) return blamed("folder");
  if (!comparison.functions.empty()) {
    if (share_of_movement(comparison.functions, is_dispatched) > kMostOf) return "library dispatch";
    const std::vector<FunctionRule> noise = language_noise(Language::python);
    const auto allocator = std::ranges::find(noise, "allocator", &FunctionRule::name);
    const auto allocates = [&](const FunctionDelta& delta) {
      return matches(*allocator, {delta.object, "", delta.name});
    };
    if (allocator != noise.end() && share_of_movement(comparison.functions, allocates) > kMostOf) return "allocator";
  }
  if (!comparison.subject_changes.empty()) return "code";
  if (comparison.shown().language != "command") return "unknown";
  return has_other_arguments(comparison) ? "arguments" : "input";
}

}  // namespace tally
