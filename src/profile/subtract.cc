#include "profile/subtract.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "profile/callgrind.h"

namespace tally {

namespace {

/// Object, file, name; and the file of the code.
using FunctionName = std::tuple<std::string_view, std::string_view, std::string_view>;
using RowName = std::pair<FunctionName, std::string_view>;

FunctionName name_of(const Profile& profile, std::uint32_t function) {
  const Profile::Function& one = profile.functions[function];
  return {profile.object_of(one), profile.file_of(one), profile.name_of(one)};
}

RowName row_name(const Profile& profile, std::uint32_t row) {
  return {name_of(profile, profile.rows[row].function), profile.strings[profile.rows[row].file]};
}

void subtract(std::uint64_t& from, std::uint64_t off) { from -= std::min(from, off); }

void subtract_row(std::vector<std::uint64_t>& from, std::size_t row, std::span<const std::uint64_t> off) {
  for (std::size_t event = 0; event < off.size(); ++event) subtract(from[row * off.size() + event], off[event]);
}

void subtract_each(std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& off) {
  for (std::size_t i = 0; i < std::min(from.size(), off.size()); ++i) subtract(from[i], off[i]);
}

}  // namespace

void subtract(Profile& from, const Profile& off) {
  if (from.events != off.events) return;
  subtract_each(from.totals, off.totals);
  subtract_each(from.summary, off.summary);
  std::map<RowName, std::uint32_t> rows;
  for (std::uint32_t row = 0; row < off.rows.size(); ++row) rows.emplace(row_name(off, row), row);
  for (std::uint32_t row = 0; row < from.rows.size(); ++row) {
    const auto found = rows.find(row_name(from, row));
    if (found != rows.end()) subtract_row(from.row_costs, row, off.row_cost(found->second));
  }
  std::map<std::pair<RowName, FunctionName>, std::size_t> calls;
  for (std::size_t call = 0; call < off.calls.size(); ++call)
    calls.emplace(std::pair(row_name(off, off.calls[call].row), name_of(off, off.calls[call].callee)), call);
  for (std::size_t call = 0; call < from.calls.size(); ++call) {
    Profile::Call& one = from.calls[call];
    const auto found = calls.find(std::pair(row_name(from, one.row), name_of(from, one.callee)));
    if (found == calls.end()) continue;
    subtract(one.count, off.calls[found->second].count);
    subtract_row(from.call_costs, call, off.call_cost(found->second));
  }
}

void subtract(InstructionCosts& from, const InstructionCosts& off) {
  using Place = std::tuple<std::string_view, std::string_view, std::uint64_t>;
  const auto place_of = [](const InstructionCosts& costs, const InstructionCosts::Cost& one) {
    const InstructionCosts::Function& function = costs.functions[one.function];
    return Place(function.object, function.name, one.address);
  };
  std::map<Place, std::uint64_t> left;
  for (const InstructionCosts::Cost& one : off.costs) left[place_of(off, one)] += one.cost;
  for (InstructionCosts::Cost& one : from.costs) {
    const auto found = left.find(place_of(from, one));
    if (found == left.end()) continue;
    // An instruction may be there more than once.
    const std::uint64_t taken = std::min(one.cost, found->second);
    one.cost -= taken;
    found->second -= taken;
    from.total -= taken;
  }
}

Result<Profile> profile_less(std::string_view longer, std::string_view shorter) {
  auto profile = parse_callgrind(longer);
  if (!profile || shorter.empty()) return profile;
  const auto off = parse_callgrind(shorter);
  if (!off) return std::unexpected(off.error());
  subtract(*profile, *off);
  return profile;
}

}  // namespace tally
