#include "profile/annotated.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace tally {

std::vector<std::pair<std::uint64_t, std::string>> annotated(const Profile& profile, std::size_t event,
                                                             Inclusion inclusion) {
  const auto name = [&](std::uint32_t file, const Profile::Function& function) {
    return fmt::format("{}:{}", profile.strings[file], profile.name_of(function));
  };
  std::unordered_map<std::string, std::uint64_t> own;
  std::unordered_map<std::string, std::uint64_t> called;
  std::unordered_map<std::string, std::string_view> objects;
  for (std::size_t r = 0; r < profile.rows.size(); ++r) {
    const Profile::Function& function = profile.functions[profile.rows[r].function];
    own[name(profile.rows[r].file, function)] += profile.row_cost(r)[event];
    objects[name(function.file, function)] = profile.object_of(function);
  }
  for (std::size_t i = 0; inclusion == Inclusion::inclusive && i < profile.calls.size(); ++i) {
    const Profile::Row& row = profile.rows[profile.calls[i].row];
    const Profile::Function& callee = profile.functions[profile.calls[i].callee];
    own[name(row.file, profile.functions[row.function])] += profile.call_cost(i)[event];
    called[name(callee.file, callee)] += profile.call_cost(i)[event];
  }
  for (const auto& [key, cost] : called) own[key] = cost;
  std::vector<std::pair<std::uint64_t, std::string>> table;
  for (const auto& [key, cost] : own) {
    if (cost == 0) continue;
    const auto object = objects.find(key);
    const bool known = object != objects.end() && !object->second.empty();
    table.emplace_back(cost, known ? fmt::format("{} [{}]", key, object->second) : key);
  }
  std::ranges::sort(
      table, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  return table;
}

}  // namespace tally
