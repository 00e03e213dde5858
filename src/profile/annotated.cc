#include "profile/annotated.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "profile/nameless.h"
#include "profile/names.h"

namespace tally {

std::string callgrind_name(std::string_view name) {
  if (name.empty()) return "???";
  const auto address = nameless_address(name);
  if (!address) return demangle(name);
  return fmt::format("0x{:016x}{}", *address, name.substr(std::min(name.find('\''), name.size())));
}

std::vector<std::pair<std::uint64_t, std::string>> annotated(const Profile& profile, std::size_t event,
                                                             Inclusion inclusion) {
  std::vector<std::string> names;  // of functions
  names.reserve(profile.functions.size());
  for (const Profile::Function& function : profile.functions)
    names.push_back(callgrind_name(profile.name_of(function)));
  const auto key_of = [&](std::uint32_t file, std::uint32_t function) {
    const std::string& path = profile.strings[file];
    return fmt::format("{}:{}", path.empty() ? "???" : path, names[function]);
  };
  std::unordered_map<std::string, std::uint64_t> own;
  std::unordered_map<std::string, std::uint64_t> called;
  std::unordered_map<std::string, std::string_view> objects;
  for (std::size_t r = 0; r < profile.rows.size(); ++r) {
    const std::uint32_t at = profile.rows[r].function;
    const Profile::Function& function = profile.functions[at];
    own[key_of(profile.rows[r].file, at)] += profile.row_cost(r)[event];
    objects[key_of(function.file, at)] = profile.object_of(function);
  }
  for (std::size_t i = 0; inclusion == Inclusion::inclusive && i < profile.calls.size(); ++i) {
    const Profile::Row& row = profile.rows[profile.calls[i].row];
    const std::uint32_t callee = profile.calls[i].callee;
    own[key_of(row.file, row.function)] += profile.call_cost(i)[event];
    called[key_of(profile.functions[callee].file, callee)] += profile.call_cost(i)[event];
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
