#include "profile/nameless.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace tally {
namespace {

struct Renamed {
  std::uint32_t function = 0;  ///< Its new place.
  bool by_jump = false;        ///< It is no function's beginning: what goes there is no call.
};

/// Adds what belongs to one key, in the order of first use.
template <typename Key>
class Sums {
 public:
  explicit Sums(std::size_t events) : events_(events) {}
  std::size_t add(const Key& key, std::span<const std::uint64_t> costs, std::vector<std::uint64_t>& sums) {
    const auto [at, fresh] = places_.emplace(key, places_.size());
    if (fresh) sums.resize(places_.size() * events_);
    for (std::size_t e = 0; e < events_; ++e) sums[at->second * events_ + e] += costs[e];
    return at->second;
  }

 private:
  std::map<Key, std::size_t> places_;
  std::size_t events_;
};

std::vector<Renamed> rename(const Profile& profile, const CodeNames& names, Profile& to) {
  std::unordered_map<std::string, std::uint32_t> strings;
  for (std::uint32_t i = 0; i < to.strings.size(); ++i) strings.emplace(to.strings[i], i);
  std::map<Profile::Function, std::uint32_t> places;
  std::vector<Renamed> renamed;
  for (Profile::Function function : profile.functions) {
    bool by_jump = false;
    const std::string& name = profile.name_of(function);
    if (const auto address = nameless_address(name)) {
      const CodeName found = names(profile.object_of(function), *address);
      if (!found.name.empty()) {
        const auto [at, fresh] =
            strings.emplace(found.name + name.substr(std::min(name.find('\''), name.size())), to.strings.size());
        if (fresh) to.strings.push_back(at->first);
        function.name = at->second;
        by_jump = !found.is_entry;
      }
    }
    const auto [at, fresh] = places.emplace(function, to.functions.size());
    if (fresh) to.functions.push_back(function);
    renamed.push_back({at->second, by_jump});
  }
  return renamed;
}

}  // namespace

std::optional<std::uint64_t> nameless_address(std::string_view name) {
  name = name.substr(0, name.find('\''));
  if (!name.starts_with("0x")) return std::nullopt;
  name.remove_prefix(2);
  std::uint64_t address = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), address, 16);
  if (problem != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return address;
}

Profile with_names(const Profile& profile, const CodeNames& names) {
  Profile named;
  named.events = profile.events;
  named.totals = profile.totals;
  named.summary = profile.summary;
  named.strings = profile.strings;
  named.notes = profile.notes;
  named.truncated = profile.truncated;
  const std::vector<Renamed> renamed = rename(profile, names, named);
  Sums<Profile::Row> rows(profile.events.size());
  std::vector<std::uint32_t> row_at;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const Profile::Row row{renamed[profile.rows[i].function].function, profile.rows[i].file};
    const std::size_t at = rows.add(row, profile.row_cost(i), named.row_costs);
    if (at == named.rows.size()) named.rows.push_back(row);
    row_at.push_back(static_cast<std::uint32_t>(at));
  }
  Sums<std::pair<std::uint32_t, std::uint32_t>> calls(profile.events.size());
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const Profile::Call& call = profile.calls[i];
    const auto [callee, by_jump] = renamed[call.callee];
    if (by_jump && named.rows[row_at[call.row]].function == callee) continue;
    const std::size_t at = calls.add({row_at[call.row], callee}, profile.call_cost(i), named.call_costs);
    if (at == named.calls.size()) named.calls.push_back({row_at[call.row], callee, 0});
    named.calls[at].count += by_jump ? 0 : call.count;
  }
  return named;
}

std::vector<NamelessObject> nameless_objects(const Profile& profile, std::size_t event) {
  std::map<std::string, std::uint64_t> costs;
  for (std::size_t i = 0; i < profile.rows.size(); ++i) {
    const Profile::Function& function = profile.functions[profile.rows[i].function];
    const std::string& name = profile.name_of(function);
    if (name == "???" || nameless_address(name)) costs[profile.object_of(function)] += profile.row_cost(i)[event];
  }
  std::vector<NamelessObject> objects;
  for (const auto& [object, cost] : costs) {
    if (cost > 0) objects.push_back({object, cost});
  }
  std::ranges::sort(objects, [](const NamelessObject& a, const NamelessObject& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.object < b.object;
  });
  return objects;
}

}  // namespace tally
