#include "profile/call_tree.h"

#include <algorithm>

namespace tally {
namespace {

struct Edge {
  std::uint32_t callee = 0;
  double cost = 0;
};

/// A function's costs with its rows joined and calls to itself left out: they are inside its own.
struct Costs {
  double self = 0;
  double outgoing = 0;
  double incoming = 0;
  int callers = 0;
  std::vector<Edge> calls;
};

std::vector<Costs> costs_by_function(const Profile& profile, std::size_t event) {
  std::vector<Costs> costs(profile.functions.size());
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    costs[profile.rows[row].function].self += static_cast<double>(profile.row_cost(row)[event]);
  }
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const std::uint32_t caller = profile.rows[profile.calls[i].row].function;
    const std::uint32_t callee = profile.calls[i].callee;
    const auto cost = static_cast<double>(profile.call_cost(i)[event]);
    if (caller == callee || cost == 0) continue;
    costs[caller].outgoing += cost;
    costs[callee].incoming += cost;
    auto& calls = costs[caller].calls;
    const auto known = std::ranges::find(calls, callee, &Edge::callee);
    if (known == calls.end()) {
      calls.push_back({callee, cost});
      ++costs[callee].callers;
    } else {
      known->cost += cost;
    }
  }
  for (Costs& one : costs)
    std::ranges::sort(one.calls, {}, [](const Edge& edge) { return std::pair(-edge.cost, edge.callee); });
  return costs;
}

class Builder {
 public:
  Builder(std::vector<Costs> costs, const TreeLimits& limits, double least, CallTree& tree)
      : costs_(std::move(costs)), limits_(limits), least_(least), tree_(tree), on_path_(costs_.size()) {}

  void add(std::uint32_t function, std::uint32_t parent, double total, std::size_t depth) {
    const auto node = static_cast<std::uint32_t>(tree_.nodes.size());
    const Costs& costs = costs_[function];
    tree_.nodes.push_back({function, parent, total, total});
    if (costs.callers > 1) tree_.approximate = true;
    const double known = costs.self + costs.outgoing;
    if (known <= 0 || depth >= limits_.most_depth) return;
    on_path_[function] = true;
    double below = 0;
    for (const Edge& edge : costs.calls) {
      const double share = total * (edge.cost / known);
      if (share < least_ || tree_.nodes.size() >= limits_.most_nodes) break;
      if (on_path_[edge.callee]) continue;
      below += share;
      add(edge.callee, node, share, depth + 1);
    }
    tree_.nodes[node].self = std::max(0.0, total - below);
    on_path_[function] = false;
  }

  [[nodiscard]] const std::vector<Costs>& costs() const { return costs_; }

 private:
  std::vector<Costs> costs_;
  const TreeLimits& limits_;
  double least_;
  CallTree& tree_;
  std::vector<bool> on_path_;
};

}  // namespace

CallTree call_tree(const Profile& profile, std::size_t event, const TreeLimits& limits) {
  CallTree tree;
  tree.nodes.push_back({});
  if (event >= profile.events.size()) return tree;
  struct Root {
    std::uint32_t function;
    double cost;
  };
  std::vector<Costs> costs = costs_by_function(profile, event);
  std::vector<Root> roots;
  double total = 0;
  for (const Costs& one : costs) total += one.self;
  for (std::size_t f = 0; f < costs.size(); ++f) {
    // What a function cost beyond what its callers were charged for: it was running when the region began, or is the
    // bottom of a stack.
    const double unclaimed = costs[f].self + costs[f].outgoing - costs[f].incoming;
    if (unclaimed > 0) roots.push_back({static_cast<std::uint32_t>(f), unclaimed});
  }
  std::ranges::sort(roots, {}, [](const Root& root) { return std::pair(-root.cost, root.function); });
  const double least = std::max(total * limits.least_share, 1e-9);
  Builder builder(std::move(costs), limits, least, tree);
  double below = 0;
  for (const Root& root : roots) {
    if (root.cost < least || tree.nodes.size() >= limits.most_nodes) break;
    builder.add(root.function, 0, root.cost, 1);
    below += root.cost;
  }
  tree.nodes[0].total = std::max(total, below);
  tree.nodes[0].self = tree.nodes[0].total - below;
  return tree;
}

}  // namespace tally
