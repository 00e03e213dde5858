#include "profile/function_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tally {

void FunctionCounts::add(FunctionKey key, double count) {
  if (count == 0) return;
  if (counts_.empty() || counts_.rbegin()->first < key) {
    counts_.emplace_hint(counts_.end(), std::move(key), count);
    return;
  }
  const auto [it, fresh] = counts_.try_emplace(std::move(key), count);
  if (fresh) return;
  it->second += count;
  if (it->second == 0) counts_.erase(it);
}

FunctionCounts& FunctionCounts::operator+=(const FunctionCounts& other) {
  if (&other == this) return *this = scaled(2);
  for (const auto& [key, count] : other.counts_) add(key, count);
  return *this;
}

FunctionCounts& FunctionCounts::operator-=(const FunctionCounts& other) {
  if (&other == this) return *this = {};
  for (const auto& [key, count] : other.counts_) add(key, -count);
  return *this;
}

FunctionCounts FunctionCounts::scaled(double factor) const {
  FunctionCounts result;
  for (const auto& [key, count] : counts_) result.add(key, count * factor);
  return result;
}

FunctionCounts FunctionCounts::filtered(const std::function<bool(const FunctionKey&)>& keep) const {
  FunctionCounts result;
  for (const auto& [key, count] : counts_) {
    if (keep(key)) result.add(key, count);
  }
  return result;
}

FunctionCounts FunctionCounts::renamed(const std::function<FunctionKey(const FunctionKey&)>& rename) const {
  FunctionCounts result;
  for (const auto& [key, count] : counts_) result.add(rename(key), count);
  return result;
}

FunctionCounts FunctionCounts::grouped(Grouping by) const {
  return renamed([by](const FunctionKey& key) -> FunctionKey {
    switch (by) {
      case Grouping::function:
        return {key.object, "", key.name};
      case Grouping::file:
        return {"", key.file, ""};
      case Grouping::object:
        return {key.object, "", ""};
    }
    return key;
  });
}

double FunctionCounts::sum() const {
  double total = 0;
  for (const auto& [key, count] : counts_) total += count;
  return total;
}

double FunctionCounts::of(const FunctionKey& key) const {
  const auto it = counts_.find(key);
  return it == counts_.end() ? 0 : it->second;
}

std::vector<FunctionCounts::Entry> FunctionCounts::sorted() const {
  std::vector<Entry> result(counts_.begin(), counts_.end());
  std::ranges::sort(result, [](const Entry& a, const Entry& b) {
    const double first = std::abs(a.second);
    const double second = std::abs(b.second);
    return first != second ? first > second : a.first < b.first;
  });
  return result;
}

namespace {

/// Counts of a profile's functions, whose keys are made when all are known.
class ByTexts {
 public:
  explicit ByTexts(const Profile& profile) : profile_(profile) {}

  void add(const Profile::Function& function, std::uint32_t file, double count) {
    if (count != 0) entries_.push_back({{function.object, file, function.name}, count});
  }

  [[nodiscard]] FunctionCounts counts(FunctionNaming naming) && {
    FunctionCounts result;
    if (naming == nullptr) {
      sort();
      for (const auto& [texts, count] : entries_) result.add({text(texts[0]), text(texts[1]), text(texts[2])}, count);
      return result;
    }
    // Not sorted before: names that are given are few, or in another order.
    FunctionKey key;
    for (const auto& [texts, count] : entries_) {
      key.object = text(texts[0]);
      key.file = text(texts[1]);
      key.name = text(texts[2]);
      result.add(naming(key), count);
    }
    return result;
  }

 private:
  struct Entry {
    std::array<std::uint32_t, 3> texts;  ///< Object, file, name.
    double count;
  };

  [[nodiscard]] const std::string& text(std::uint32_t number) const { return profile_.strings[number]; }

  /// Into the order of their keys by sorting each text once, and not each key: of 60,000 functions most keys differ
  /// only in the last of their three texts.
  void sort() {
    std::vector<std::uint32_t> order(profile_.strings.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) -> const std::string& { return text(i); });
    std::vector<std::uint32_t> ranks(order.size());
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
    std::ranges::sort(entries_, {}, [&](const Entry& one) {
      return std::tuple(ranks[one.texts[0]], ranks[one.texts[1]], ranks[one.texts[2]]);
    });
  }

  const Profile& profile_;
  std::vector<Entry> entries_;
};

/// A profile's functions by the keys that they have in counts: those of one key are one group. Without a naming each is
/// a group of its own.
class Groups {
 public:
  Groups(const Profile& profile, FunctionNaming naming) : profile_(profile), of_(profile.functions.size()) {
    std::map<FunctionKey, std::uint32_t> known;
    for (std::uint32_t f = 0; f < of_.size(); ++f) {
      of_[f] = f;
      if (naming == nullptr) continue;
      const auto& [object, file, name] = profile.functions[f];
      FunctionKey key = naming({text(object), text(file), text(name)});
      const auto [at, is_new] = known.try_emplace(std::move(key), static_cast<std::uint32_t>(keys_.size()));
      if (is_new) keys_.push_back(at->first);
      of_[f] = at->second;
    }
    size_ = naming == nullptr ? of_.size() : keys_.size();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t of(std::uint32_t function) const { return of_[function]; }

  [[nodiscard]] FunctionCounts counts(const std::vector<double>& values) const {
    if (keys_.empty()) {
      ByTexts result(profile_);
      for (std::size_t f = 0; f < values.size(); ++f)
        result.add(profile_.functions[f], profile_.functions[f].file, values[f]);
      return std::move(result).counts(nullptr);
    }
    FunctionCounts result;
    for (std::size_t group = 0; group < values.size(); ++group) result.add(keys_[group], values[group]);
    return result;
  }

 private:
  [[nodiscard]] const std::string& text(std::uint32_t number) const { return profile_.strings[number]; }

  const Profile& profile_;
  std::vector<std::uint32_t> of_;
  std::vector<FunctionKey> keys_;  ///< None without a naming.
  std::size_t size_ = 0;
};

/// A part that the compiler has taken out of a function: going there is no call of that function.
bool is_outlined(std::string_view name) { return name.contains(".part.") || name.contains(".cold"); }

}  // namespace

FunctionCounts function_counts(const Profile& profile, std::size_t event, Inclusion inclusion, FunctionNaming naming) {
  if (event >= profile.events.size()) return {};
  if (inclusion == Inclusion::exclusive) {
    ByTexts result(profile);
    for (std::size_t row = 0; row < profile.rows.size(); ++row) {
      result.add(profile.functions[profile.rows[row].function], profile.rows[row].file,
                 static_cast<double>(profile.row_cost(row)[event]));
    }
    return std::move(result).counts(naming);
  }
  const Groups groups(profile, naming);
  std::vector<double> own(groups.size());
  std::vector<double> incoming(groups.size());
  std::vector<bool> is_called(groups.size());
  std::vector<bool> ran_before(groups.size());             // or how often it was called is not known
  std::vector<bool> has_caller(profile.functions.size());  // of any group
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    own[groups.of(profile.rows[row].function)] += static_cast<double>(profile.row_cost(row)[event]);
  }
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const std::uint32_t caller = profile.rows[profile.calls[i].row].function;
    const std::uint32_t callee = profile.calls[i].callee;
    if (caller == callee) continue;
    has_caller[callee] = true;
    const std::uint32_t from = groups.of(caller);
    const std::uint32_t to = groups.of(callee);
    if (profile.calls[i].count == 0) ran_before[to] = true;
    if (from == to) continue;
    const auto cost = static_cast<double>(profile.call_cost(i)[event]);
    own[from] += cost;
    incoming[to] += cost;
    is_called[to] = true;
  }
  for (std::uint32_t f = 0; f < profile.functions.size(); ++f) {
    if (!has_caller[f]) ran_before[groups.of(f)] = true;
  }
  std::vector<double> costs(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    // A function that was running when the region began has cost that no call claims: the larger figure is the whole.
    costs[group] = !is_called[group]   ? own[group]
                   : ran_before[group] ? std::max(incoming[group], own[group])
                                       : incoming[group];
  }
  return groups.counts(costs);
}

FunctionCounts function_calls(const Profile& profile, FunctionNaming naming) {
  const Groups groups(profile, naming);
  std::vector<double> called(groups.size());
  for (const Profile::Call& call : profile.calls) {
    const std::uint32_t caller = profile.rows[call.row].function;
    if (caller != call.callee && groups.of(caller) == groups.of(call.callee) &&
        is_outlined(profile.name_of(profile.functions[call.callee])))
      continue;
    called[groups.of(call.callee)] += static_cast<double>(call.count);
  }
  return groups.counts(called);
}

}  // namespace tally
