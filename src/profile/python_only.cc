#include <map>

#include "profile/python_functions.h"

namespace tally {

namespace {

FunctionKey key_of(const Profile& profile, std::uint32_t function) {
  const Profile::Function& one = profile.functions[function];
  return {profile.object_of(one), profile.file_of(one), profile.name_of(one)};
}

}  // namespace

Profile python_only(const Profile& profile) {
  Profile out;
  out.events = profile.events;
  out.totals = profile.totals;
  out.strings = profile.strings;
  out.notes = profile.notes;
  const auto is_native = [&](std::uint32_t function) {
    return !is_python_object(profile.object_of(profile.functions[function]));
  };
  // Of each function, itself, or where it is counted: with the only one that calls it, with itself further out.
  std::vector<std::uint32_t> whose(profile.functions.size());
  std::map<FunctionKey, std::uint32_t> outermost;
  for (std::uint32_t i = 0; i < whose.size(); ++i) {
    whose[i] = i;
    if (!is_native(i)) outermost.emplace(key_of(profile, i), i);
  }
  for (const Profile::Call& call : profile.calls) {
    if (is_native(call.callee)) whose[call.callee] = profile.rows[call.row].function;
  }
  std::vector<bool> is_again(whose.size());
  for (std::uint32_t& one : whose) {
    FunctionKey key = key_of(profile, one);
    if (!key.name.ends_with(kPythonRecursion)) continue;
    key.name.erase(key.name.size() - kPythonRecursion.size());
    const auto found = outermost.find(key);
    if (found == outermost.end()) continue;
    is_again[one] = true;
    one = found->second;
  }
  std::vector<std::uint32_t> place(profile.functions.size());
  for (std::uint32_t i = 0; i < whose.size(); ++i) {
    if (whose[i] != i) continue;
    place[i] = static_cast<std::uint32_t>(out.functions.size());
    out.functions.push_back(profile.functions[i]);
    out.rows.push_back({place[i], profile.functions[i].file});
  }
  out.row_costs.assign(out.rows.size() * out.events.size(), 0);
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    const std::uint32_t to = place[whose[profile.rows[row].function]];
    for (std::size_t event = 0; event < out.events.size(); ++event)
      out.row_costs[to * out.events.size() + event] += profile.row_cost(row)[event];
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::vector<std::uint64_t>>> calls;
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const Profile::Call& call = profile.calls[i];
    if (is_native(call.callee)) continue;
    auto& [count, costs] = calls[{place[whose[profile.rows[call.row].function]], place[whose[call.callee]]}];
    count += call.count;
    costs.resize(out.events.size());
    for (std::size_t event = 0; event < costs.size() && !is_again[call.callee]; ++event)
      costs[event] += profile.call_cost(i)[event];
  }
  for (const auto& [pair, one] : calls) {
    out.calls.push_back({pair.first, pair.second, one.first});
    out.call_costs.insert(out.call_costs.end(), one.second.begin(), one.second.end());
  }
  return out;
}

}  // namespace tally
