#include "report/html_profile.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "profile/names.h"
#include "profile/rules.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

double round_for_page(double value) { return std::round(value * 10) / 10; }

}  // namespace

std::size_t PageStrings::id(const std::string& text) {
  const auto [it, fresh] = ids_.try_emplace(text, all_.size());
  if (fresh) all_.push_back(text);
  return it->second;
}

json::Value flame_json(const CallTreeDelta& tree, bool compared, PageStrings& strings) {
  Array names, objects, parents, totals, bases;
  for (const CallDelta& call : tree.calls) {
    names.push_back(strings.id(shorten(call.function.name)));
    objects.push_back(strings.id(call.function.object));
    parents.push_back(call.parent);
    totals.push_back(round_for_page(call.after));
    if (compared) bases.push_back(round_for_page(call.before));
  }
  Object json = {{"approximate", tree.approximate},
                 {"names", std::move(names)},
                 {"objects", std::move(objects)},
                 {"parents", std::move(parents)},
                 {"totals", std::move(totals)}};
  if (compared) json["bases"] = std::move(bases);
  return json;
}

json::Value functions_json(const StoredProfile& profile, const StoredProfile* base, std::size_t most,
                           PageStrings& strings) {
  const auto counts = [](const StoredProfile& stored, Inclusion inclusion) {
    const std::size_t event = std::min(event_index(stored.profile, "Ir"), stored.profile.events.size() - 1);
    return standardize(function_counts(stored.profile, event, inclusion))
        .grouped(Grouping::function)
        .scaled(1.0 / static_cast<double>(std::max<std::uint64_t>(stored.iterations, 1)));
  };
  const FunctionCounts exclusive = counts(profile, Inclusion::exclusive);
  const FunctionCounts inclusive = counts(profile, Inclusion::inclusive);
  const FunctionCounts before = base ? counts(*base, Inclusion::exclusive) : FunctionCounts();
  std::set<FunctionKey> keys;
  for (const auto& [key, count] : exclusive.sorted()) {
    if (keys.size() == most) break;
    keys.insert(key);
  }
  if (base) {
    std::size_t movers = 0;
    for (const auto& [key, count] : (exclusive - before).sorted()) {
      if (movers++ == most / 2) break;
      keys.insert(key);
    }
  }
  Array rows;
  for (const FunctionKey& key : keys) {
    Array row = {strings.id(shorten(key.name)), strings.id(key.object), round_for_page(exclusive.of(key)),
                 round_for_page(inclusive.of(key))};
    if (base) row.push_back(round_for_page(before.of(key)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tally
