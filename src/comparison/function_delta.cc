#include "comparison/function_delta.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "comparison/version_namespaces.h"
#include "profile/python_functions.h"
#include "profile/rules.h"

namespace tally {
namespace {

/// Different iterations divide differently in the last digit; that is no movement.
constexpr double kUnchanged = 1e-6;

/// Per iteration, under the names that two builds and two machines share.
FunctionCounts comparable(const FunctionCounts& standardized, std::uint64_t iterations) {
  return standardized.grouped(Grouping::function)
      .scaled(1.0 / static_cast<double>(std::max<std::uint64_t>(iterations, 1)));
}

struct Side {
  FunctionCounts own;
  FunctionCounts calls;
};

Side side_of(const StoredProfile& stored) {
  const std::size_t event = std::min(event_index(stored.profile, "Ir"), stored.profile.events.size() - 1);
  return {comparable(function_counts(stored.profile, event, Inclusion::exclusive, standardize), stored.iterations),
          comparable(function_calls(stored.profile, standardize), stored.iterations)};
}

}  // namespace

std::vector<FunctionDelta> function_deltas(const StoredProfile& before, const StoredProfile& after,
                                           const RenamedObject& renamed) {
  if (before.profile.events.empty() || after.profile.events.empty()) return {};
  const std::string old_name = standardize(FunctionKey{renamed.before, "", ""}).object;
  const std::string new_name = standardize(FunctionKey{renamed.after, "", ""}).object;
  const VersionNamespaces versions(before.profile, after.profile);
  const auto in_new_names = [&](FunctionKey key) {
    if (!renamed.before.empty() && key.object == old_name) key.object = new_name;
    key.name = versions.of(key.name);
    return key;
  };
  const Side as_it_was = side_of(before);
  const Side old_side = {as_it_was.own.renamed(in_new_names), as_it_was.calls.renamed(in_new_names)};
  const Side new_side = side_of(after);
  const PythonNames names = {&after.profile, &before.profile};
  const auto delta_of = [&](const FunctionKey& key) {
    return FunctionDelta{key.object,           names.of(key).name,     old_side.own.of(key),
                         new_side.own.of(key), old_side.calls.of(key), new_side.calls.of(key)};
  };
  std::vector<FunctionDelta> deltas;
  for (const auto& [key, change] : (new_side.own - old_side.own).sorted()) {
    const FunctionDelta delta = delta_of(key);
    if (std::abs(change) >= kUnchanged || delta.calls_changed()) deltas.push_back(delta);
  }
  // Those whose own counts are equal to the last digit.
  for (const auto& [key, change] : (new_side.calls - old_side.calls).sorted()) {
    const FunctionDelta delta = delta_of(key);
    if (delta.delta() == 0 && delta.calls_changed()) deltas.push_back(delta);
  }
  return deltas;
}

bool FunctionDelta::calls_changed() const { return std::abs(calls_after - calls_before) >= kUnchanged; }

std::vector<FunctionDelta> telling(std::vector<FunctionDelta> deltas, std::size_t most) {
  if (deltas.size() > most) deltas.resize(most);
  std::ranges::sort(deltas, {}, [](const FunctionDelta& one) {
    return std::tuple(!one.calls_changed(), -std::abs(one.delta()), one.object, one.name);
  });
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
