#include "report/html_profile.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

#include "profile/call_tree.h"
#include "profile/names.h"
#include "profile/rules.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

struct Merged {
  FunctionKey key;
  std::size_t parent = 0;
  double total = 0;
  double base = 0;
  std::map<FunctionKey, std::size_t> children;
};

double round_for_page(double value) { return std::round(value * 10) / 10; }

FunctionKey key_of(const Profile& profile, std::uint32_t function) {
  const auto& f = profile.functions[function];
  FunctionKey key = standardize({profile.object_of(f), "", profile.name_of(f)});
  key.name = shorten(key.name);
  return key;
}

/// Adds one side's tree; `into` is Merged::total or Merged::base.
bool merge(const StoredProfile& stored, double Merged::* into, std::vector<Merged>& nodes) {
  // Far more nodes than are shown: a node below the cut on one side only would look as if it were new.
  const CallTree tree =
      call_tree(stored.profile, std::min(event_index(stored.profile, "Ir"), stored.profile.events.size() - 1),
                {.least_share = 0.0002, .most_nodes = 8000, .most_depth = 120});
  const double scale = 1.0 / static_cast<double>(std::max<std::uint64_t>(stored.iterations, 1));
  std::vector<std::size_t> place(tree.nodes.size());
  nodes[0].*into += tree.nodes[0].total * scale;
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const std::size_t parent = place[tree.nodes[n].parent];
    const FunctionKey key = key_of(stored.profile, tree.nodes[n].function);
    const auto [it, fresh] = nodes[parent].children.try_emplace(key, nodes.size());
    const std::size_t at = it->second;
    if (fresh) nodes.push_back({.key = key, .parent = parent, .children = {}});
    nodes[at].*into += tree.nodes[n].total * scale;
    place[n] = at;
  }
  return tree.approximate;
}

/// The costliest nodes of either side, parents always before and with their children.
std::vector<std::size_t> costliest(const std::vector<Merged>& nodes, std::size_t most) {
  const auto cost = [&nodes](std::size_t n) { return std::max(nodes[n].total, nodes[n].base); };
  const auto less = [&cost](std::size_t a, std::size_t b) { return cost(a) != cost(b) ? cost(a) < cost(b) : a > b; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(less)> open(less);
  open.push(0);
  std::vector<std::size_t> chosen;
  while (!open.empty() && chosen.size() < most) {
    const std::size_t n = open.top();
    open.pop();
    chosen.push_back(n);
    for (const auto& [key, child] : nodes[n].children) open.push(child);
  }
  return chosen;
}

}  // namespace

std::size_t PageStrings::id(const std::string& text) {
  const auto [it, fresh] = ids_.try_emplace(text, all_.size());
  if (fresh) all_.push_back(text);
  return it->second;
}

json::Value flame_json(const StoredProfile& profile, const StoredProfile* base, std::size_t most_nodes,
                       PageStrings& strings) {
  std::vector<Merged> nodes(1);
  bool approximate = merge(profile, &Merged::total, nodes);
  if (base) approximate = merge(*base, &Merged::base, nodes) || approximate;
  Array names, objects, parents, totals, bases;
  std::map<std::size_t, std::size_t> place;
  for (const std::size_t n : costliest(nodes, most_nodes)) {
    place.emplace(n, place.size());
    names.push_back(strings.id(nodes[n].key.name));
    objects.push_back(strings.id(nodes[n].key.object));
    parents.push_back(place.at(nodes[n].parent));
    totals.push_back(round_for_page(nodes[n].total));
    if (base) bases.push_back(round_for_page(nodes[n].base));
  }
  Object json = {{"approximate", approximate},
                 {"names", std::move(names)},
                 {"objects", std::move(objects)},
                 {"parents", std::move(parents)},
                 {"totals", std::move(totals)}};
  if (base) json["bases"] = std::move(bases);
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
