#include "comparison/call_delta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <queue>

#include "comparison/version_namespaces.h"
#include "profile/call_tree.h"
#include "profile/outer_frames.h"
#include "profile/python_functions.h"
#include "profile/rules.h"

namespace tally {
namespace {

struct Merged {
  CallDelta call;
  std::map<FunctionKey, std::size_t> children;
};

/// Far more than are shown: a call below the cut on one side only would look as if it were new.
constexpr TreeLimits kMerged = {.least_share = 0.0002, .most_nodes = 8000, .most_depth = 120};

FunctionKey key_of(const Profile& profile, std::uint32_t function) {
  const auto& f = profile.functions[function];
  return standardize(FunctionKey{profile.object_of(f), "", profile.name_of(f)});
}

/// What a thread of the statement's own begins with.
bool begins_thread(const Profile& profile, std::uint32_t function) {
  return std::ranges::any_of(std::array{"clone", "start_thread", "thread_start"}, [&](const char* name) {
    return profile.name_of(profile.functions[function]).starts_with(name);
  });
}

/// Adds one side's tree to the nodes, as CallDelta::before or CallDelta::after. Whether it is approximate.
/// `versions`: of the earlier side, whose functions go by the later one's names.
bool merge(const ProfiledSide& side, double CallDelta::* into, std::vector<Merged>& nodes,
           const VersionNamespaces* versions = nullptr) {
  nodes[0].call.*into = side.per_iteration;
  const std::vector<std::string>& events = side.profile->profile.events;
  if (events.empty()) return false;
  const std::size_t event = std::min(event_index(side.profile->profile, "Ir"), events.size() - 1);
  const Statement statement = without_outer_frames(side.profile->profile, event);
  const Profile& profile = statement.profile;
  const CallTree tree = call_tree(profile, event, kMerged);
  const double scale = 1.0 / static_cast<double>(std::max<std::uint64_t>(side.profile->iterations, 1));
  constexpr std::size_t none = SIZE_MAX;  // of a host
  std::vector<std::size_t> place(tree.nodes.size(), none);
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const TreeNode& node = tree.nodes[n];
    const bool is_root = node.parent == 0;
    const bool is_statement = statement.root ? node.function == *statement.root
                                             : is_python_statement(profile.functions[node.function], profile);
    if (is_root && is_statement) {
      place[n] = 0;
      continue;
    }
    if (is_root && statement.root && !begins_thread(profile, node.function)) continue;
    const std::size_t parent = is_root ? 0 : place[node.parent];
    if (parent == none) continue;
    FunctionKey key = key_of(profile, node.function);
    if (versions != nullptr) key.name = versions->of(key.name);
    const auto [it, fresh] = nodes[parent].children.try_emplace(key, nodes.size());
    place[n] = it->second;
    if (fresh) nodes.push_back({.call = {.function = key, .parent = parent}, .children = {}});
    nodes[place[n]].call.*into += node.total * scale;
  }
  return tree.approximate;
}

/// The costliest nodes of either side, parents always before and with their children.
std::vector<std::size_t> costliest(const std::vector<Merged>& nodes, std::size_t most) {
  const auto cost = [&nodes](std::size_t n) { return std::max(nodes[n].call.after, nodes[n].call.before); };
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

double cost_of(const StoredProfile& stored) {
  if (stored.profile.totals.empty()) return 0;
  return static_cast<double>(stored.profile.totals.front()) /
         static_cast<double>(std::max<std::uint64_t>(stored.iterations, 1));
}

CallTreeDelta call_tree_delta(const ProfiledSide& before, const ProfiledSide& after, std::size_t most) {
  std::vector<Merged> nodes(1);
  nodes[0].call.function.name = "statement";
  CallTreeDelta delta;
  delta.approximate = merge(after, &CallDelta::after, nodes);
  if (before.profile) {
    const VersionNamespaces versions(before.profile->profile, after.profile->profile);
    delta.approximate = merge(before, &CallDelta::before, nodes, &versions) || delta.approximate;
  }
  const PythonNames names = {after.profile ? &after.profile->profile : nullptr,
                             before.profile ? &before.profile->profile : nullptr};
  std::vector<std::size_t> place(nodes.size());
  for (const std::size_t n : costliest(nodes, most)) {
    place[n] = delta.calls.size();
    delta.calls.push_back(nodes[n].call);
    delta.calls.back().function = names.of(nodes[n].call.function);
    delta.calls.back().parent = place[nodes[n].call.parent];
  }
  return delta;
}

std::vector<CallDelta> path_of_change(const CallTreeDelta& tree) {
  constexpr double most_of = 0.5;
  std::vector<CallDelta> path;
  const auto most_changed_of = [&tree](std::size_t caller) {
    std::size_t found = caller;
    double part = most_of;
    for (std::size_t n = caller + 1; n < tree.calls.size(); ++n) {
      const double here = tree.calls[n].delta() / tree.calls[caller].delta();
      if (tree.calls[n].parent != caller || here <= part) continue;
      found = n;
      part = here;
    }
    return found;
  };
  if (tree.calls.empty() || tree.calls[0].delta() == 0) return path;
  for (std::size_t at = 0, next = 0;; at = next) {
    path.push_back(tree.calls[at]);
    next = most_changed_of(at);
    if (next == at) return path;
  }
}

}  // namespace tally
