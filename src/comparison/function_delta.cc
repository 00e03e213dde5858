#include "comparison/function_delta.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "profile/rules.h"

namespace tally {
namespace {

FunctionCounts per_iteration(const StoredProfile& stored) {
  const std::size_t event = std::min(event_index(stored.profile, "Ir"), stored.profile.events.size() - 1);
  return standardize(function_counts(stored.profile, event, Inclusion::exclusive))
      .grouped(Grouping::function)
      .scaled(1.0 / static_cast<double>(std::max<std::uint64_t>(stored.iterations, 1)));
}

}  // namespace

std::vector<FunctionDelta> function_deltas(const StoredProfile& before, const StoredProfile& after,
                                           const RenamedObject& renamed) {
  if (before.profile.events.empty() || after.profile.events.empty()) return {};
  const std::string old_name = standardize(FunctionKey{renamed.before, "", ""}).object;
  const std::string new_name = standardize(FunctionKey{renamed.after, "", ""}).object;
  const FunctionCounts old_counts = per_iteration(before).renamed([&](FunctionKey key) {
    if (!renamed.before.empty() && key.object == old_name) key.object = new_name;
    return key;
  });
  const FunctionCounts new_counts = per_iteration(after);
  std::vector<FunctionDelta> deltas;
  for (const auto& [key, delta] : (new_counts - old_counts).sorted()) {
    // Different iterations divide differently in the last digit; that is no movement.
    if (std::abs(delta) < 1e-6) continue;
    deltas.push_back({key.object, key.name, old_counts.of(key), new_counts.of(key)});
  }
  return deltas;
}

double share_of_movement(const std::vector<FunctionDelta>& deltas,
                         const std::function<bool(const FunctionDelta&)>& belongs) {
  double all = 0;
  double part = 0;
  for (const FunctionDelta& delta : deltas) {
    all += std::abs(delta.delta());
    if (belongs(delta)) part += std::abs(delta.delta());
  }
  return all > 0 ? part / all : 0;
}

}  // namespace tally
