#include "history/epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.h"

namespace tally {
namespace {

/// Of one environment, by their places.
using Epoch = std::map<std::size_t, std::vector<const PlacedRun*>>;
using Epochs = std::map<std::string, Epoch, std::less<>>;

Epochs::iterator measured_last(Epochs& epochs) {
  return std::ranges::max_element(
      epochs, {}, [](const auto& one) { return std::pair(one.second.rbegin()->first, one.second.size()); });
}

/// The one that reaches furthest towards `first`, the first commit of what came after it.
Epochs::iterator epoch_before(Epochs& epochs, std::size_t first) {
  const auto reach = [&](const auto& one) {
    const auto after = one.second.upper_bound(first);
    const std::size_t runs = std::distance(one.second.begin(), after);
    return runs == 0 ? std::tuple(false, std::size_t{0}, runs) : std::tuple(true, std::prev(after)->first, runs);
  };
  const auto found = std::ranges::max_element(epochs, {}, reach);
  return found != epochs.end() && std::get<0>(reach(*found)) ? found : epochs.end();
}

}  // namespace

Result<ChosenRuns> choose_runs(std::span<const PlacedRun> runs, const std::string& environment) {
  ChosenRuns chosen;
  Epochs epochs;
  for (const PlacedRun& run : runs) {
    std::vector<const PlacedRun*>& same = epochs[std::string(run.environment)][run.place];
    if (!same.empty()) ++chosen.earlier_of_same_commit;
    same.push_back(&run);
  }
  auto at = environment.empty()
                ? measured_last(epochs)
                : std::ranges::find_if(epochs, [&](const auto& one) { return one.first.starts_with(environment); });
  if (at == epochs.end()) {
    std::vector<std::string> names;
    for (const auto& [name, epoch] : epochs) names.push_back(name);
    return fail(ErrorKind::input, fmt::format("no environment's name begins with '{}'", environment), "--environment",
                "there are " + join(names, ", "));
  }
  std::vector<PlacedRun> newest_first;
  std::optional<std::size_t> until;
  while (at != epochs.end()) {
    const auto end = until ? at->second.upper_bound(*until) : at->second.end();
    for (auto of_commit = std::make_reverse_iterator(end); of_commit != at->second.rend(); ++of_commit) {
      std::vector<const PlacedRun*>& same = of_commit->second;
      // All of it is turned around below.
      std::ranges::sort(same, {}, [](const PlacedRun* run) { return std::pair(run->started, ~run->run); });
      for (const PlacedRun* const run : same) newest_first.push_back(*run);
    }
    until = at->second.begin()->first;
    epochs.erase(at);
    at = epoch_before(epochs, *until);
  }
  chosen.runs.assign(newest_first.rbegin(), newest_first.rend());
  for (const auto& [name, epoch] : epochs) chosen.other_epochs.push_back(name);
  return chosen;
}

}  // namespace tally
