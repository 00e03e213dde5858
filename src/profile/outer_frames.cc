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

std::map<CallPair, std::uint64_t> costs_by_pair(const Profile& profile, std::size_t event) {
  std::map<CallPair, std::uint64_t> edges;
  for (std::size_t call = 0; call < profile.calls.size(); ++call)
    edges[pair_of(profile, call)] += profile.call_cost(call)[event];
  return edges;
}

/// The call of `caller` with the most cost, where that is at least `whole`.
std::optional<CallPair> way_down(const std::map<CallPair, std::uint64_t>& edges, std::uint32_t caller,
                                 std::uint64_t whole) {
  std::optional<CallPair> found;
  for (auto edge = edges.lower_bound({caller, 0}); edge != edges.end() && edge->first.first == caller; ++edge) {
    if (edge->second >= whole && (!found || edge->second > edges.at(*found))) found = edge->first;
  }
  return found;
}

/// The function from which most goes out that nothing brings in.
std::optional<std::uint32_t> bottom_of_stack(const std::map<CallPair, std::uint64_t>& edges, std::uint64_t whole) {
  std::map<std::uint32_t, std::int64_t> balance;
  for (const auto& [edge, cost] : edges) {
    balance[edge.first] += static_cast<std::int64_t>(cost);
    balance[edge.second] -= static_cast<std::int64_t>(cost);
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
  std::map<CallPair, std::uint64_t> edges = costs_by_pair(left, event);
  std::optional<std::uint32_t> at = bottom_of_stack(edges, whole);
  while (at && whole > 0) {
    // The bottom frames execute a little themselves.
    const std::optional<CallPair> down = way_down(edges, *at, whole - whole / 50);
    if (!down) break;
    const std::uint64_t taken = std::min(whole, edges[*down]);
    edges[*down] -= taken;
    take_off(left, event, *down, taken);
    at = statement.root = down->second;
  }
  return statement;
}

}  // namespace tally
