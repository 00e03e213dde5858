#include "report/html/profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "profile/names.h"
#include "profile/python_functions.h"
#include "profile/rules.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

constexpr std::size_t kMostOwn = 80;      ///< Functions by own cost, whether they are in the tree or not.
constexpr std::size_t kMostChanged = 60;  ///< And by change.

/// Numbers things by their first mention.
template <typename Key>
class Numbered {
 public:
  std::size_t number(const Key& key) {
    const auto [at, fresh] = numbers_.try_emplace(key, all_.size());
    if (fresh) all_.push_back(key);
    return at->second;
  }
  [[nodiscard]] const std::vector<Key>& all() const { return all_; }

 private:
  std::map<Key, std::size_t> numbers_;
  std::vector<Key> all_;
};

double rounded(double value) { return std::round(value * 10) / 10; }
double rounded_calls(double value) { return std::round(value * 1000) / 1000; }

/// One side's figures of each function, per iteration.
struct Figures {
  FunctionCounts own;
  FunctionCounts all;
  FunctionCounts calls;

  Figures(const StoredProfile* stored, const PythonNames& names) {
    if (stored == nullptr || stored->profile.events.empty()) return;
    const std::size_t event = std::min(event_index(stored->profile, "Ir"), stored->profile.events.size() - 1);
    const double scale = 1.0 / static_cast<double>(std::max<std::uint64_t>(stored->iterations, 1));
    const auto per_iteration = [&](const FunctionCounts& counts) {
      return counts.grouped(Grouping::function).scaled(scale).renamed([&](const FunctionKey& key) {
        return names.of(key);
      });
    };
    own = per_iteration(function_counts(stored->profile, event, Inclusion::exclusive, standardize));
    all = per_iteration(function_counts(stored->profile, event, Inclusion::inclusive, standardize));
    calls = per_iteration(function_calls(stored->profile, standardize));
  }
};

Object functions_json(const std::vector<FunctionKey>& keys, const Figures& before, const Figures& after, bool compared,
                      Numbered<std::string>& strings) {
  Array name, object, own, all, calls, own_before, all_before, calls_before;
  for (const FunctionKey& key : keys) {
    name.push_back(strings.number(shorten(key.name)));
    object.push_back(strings.number(key.object));
    own.push_back(rounded(after.own.of(key)));
    // Nameless functions are many: what each of them has with its calls must not be added up.
    const bool many = key.name == "???";
    all.push_back(many ? json::Value() : json::Value(rounded(after.all.of(key))));
    calls.push_back(rounded_calls(after.calls.of(key)));
    own_before.push_back(rounded(before.own.of(key)));
    all_before.push_back(many ? json::Value() : json::Value(rounded(before.all.of(key))));
    calls_before.push_back(rounded_calls(before.calls.of(key)));
  }
  Object json = {{"name", std::move(name)},
                 {"object", std::move(object)},
                 {"own", std::move(own)},
                 {"all", std::move(all)},
                 {"calls", std::move(calls)}};
  if (!compared) return json;
  json["own_before"] = std::move(own_before);
  json["all_before"] = std::move(all_before);
  json["calls_before"] = std::move(calls_before);
  return json;
}

}  // namespace

json::Value profile_json(const ProfiledSide& before, const ProfiledSide& after, std::size_t most_nodes) {
  const bool compared = before.profile != nullptr;
  const CallTreeDelta tree = call_tree_delta(before, after, most_nodes);
  Numbered<FunctionKey> functions;
  Array function, parent, total, total_before;
  for (const CallDelta& call : tree.calls) {
    function.push_back(functions.number(call.function));
    parent.push_back(call.parent);
    total.push_back(rounded(call.after));
    total_before.push_back(rounded(call.before));
  }
  const PythonNames names = {after.profile ? &after.profile->profile : nullptr,
                             before.profile ? &before.profile->profile : nullptr};
  const Figures old(before.profile, names);
  const Figures now(after.profile, names);
  const auto add = [&](const FunctionCounts& counts, std::size_t most) {
    const auto sorted = counts.sorted();
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) functions.number(sorted[i].first);
  };
  add(now.own, kMostOwn);
  if (compared) add(now.own - old.own, kMostChanged);

  Numbered<std::string> strings;
  Object nodes = {{"function", std::move(function)}, {"parent", std::move(parent)}, {"total", std::move(total)}};
  if (compared) nodes["before"] = std::move(total_before);
  Object json = {{"approximate", tree.approximate}, {"tree", std::move(nodes)}};
  json["functions"] = functions_json(functions.all(), old, now, compared, strings);
  json["strings"] = strings.all();
  return json;
}

}  // namespace tally
