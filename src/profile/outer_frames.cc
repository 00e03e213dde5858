#include "profile/outer_frames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tally {
namespace {

/// Caller and callee.
using CallPair = std::pair<std::uint32_t, std::uint32_t>;

CallPair pair_of(const Profile& profile, std::size_t call) {
  return {profile.rows[profile.calls[call].row].function, profile.calls[call].callee};
}

struct PairCost {
  std::uint64_t cost = 0;
  std::uint64_t count = 0;
};
using PairCosts = std::map<CallPair, PairCost>;

PairCosts edges_of(const Profile& profile, std::size_t event) {
  PairCosts edges;
  for (std::size_t call = 0; call < profile.calls.size(); ++call) {
    PairCost& edge = edges[pair_of(profile, call)];
    edge.cost += profile.call_cost(call)[event];
    edge.count += profile.calls[call].count;
  }
  return edges;
}

/// The call of `caller` with the most cost, where it was on the stack when the region began: then it has all of the
/// region's cost, and was not counted (the statement's own calls were), or has more than that.
std::optional<CallPair> way_down(const PairCosts& edges, std::uint32_t caller, std::uint64_t whole) {
  // The bottom frames execute a little themselves.
  const std::uint64_t least = whole - whole / 50;
  std::optional<CallPair> found;
  for (auto at = edges.lower_bound({caller, 0}); at != edges.end() && at->first.first == caller; ++at) {
    const auto& [cost, count] = at->second;
    const bool outer = cost >= least && (count == 0 || cost > whole);
    if (outer && (!found || cost > edges.at(*found).cost)) found = at->first;
  }
  return found;
}

/// The function from which most goes out that nothing brings in.
std::optional<std::uint32_t> bottom_of_stack(const PairCosts& edges, std::uint64_t whole) {
  std::map<std::uint32_t, std::int64_t> balance;
  for (const auto& [pair, edge] : edges) {
    balance[pair.first] += static_cast<std::int64_t>(edge.cost);
    balance[pair.second] -= static_cast<std::int64_t>(edge.cost);
  }
  const auto most = std::ranges::max_element(balance, {}, [](const auto& one) { return one.second; });
  // Its own part is missing from what goes out, and may be all but nothing of the whole.
  if (most == balance.end() || most->second < static_cast<std::int64_t>(whole / 2)) return std::nullopt;
  return most->first;
}

void take_off(Profile& profile, std::size_t event, CallPair edge, std::uint64_t cost) {
  for (std::size_t call = 0; call < profile.calls.size() && cost > 0; ++call) {
    if (pair_of(profile, call) != edge) continue;
    std::uint64_t& here = profile.call_costs[call * profile.events.size() + event];
    const std::uint64_t taken = std::min(here, cost);
    here -= taken;
    cost -= taken;
  }
}

}  // namespace

Statement without_outer_frames(Profile profile, std::size_t event) {
  Statement statement{.profile = std::move(profile), .root = {}};
  Profile& left = statement.profile;
  if (event >= left.events.size()) return statement;
  std::uint64_t whole = 0;
  for (std::size_t row = 0; row < left.rows.size(); ++row) whole += left.row_cost(row)[event];
  PairCosts edges = edges_of(left, event);
  std::optional<std::uint32_t> at = bottom_of_stack(edges, whole);
  while (at && whole > 0) {
    const std::optional<CallPair> down = way_down(edges, *at, whole);
    if (!down) break;
    const std::uint64_t taken = std::min(whole, edges[*down].cost);
    edges[*down].cost -= taken;
    take_off(left, event, *down, taken);
    at = statement.root = down->second;
  }
  return statement;
}

}  // namespace tally
