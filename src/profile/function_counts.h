/// Counts per function as a value to calculate with: add, subtract, scale, filter, rename, sum, sort.
///
/// Zero counts are no counts: they are not kept, so a − a is empty. Counts are doubles, exact for whole numbers to
/// 2^53, and may be negative in a difference. Order is by key, never by hash.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tally {

struct FunctionKey {
  std::string object;
  std::string file;
  std::string name;
  friend auto operator<=>(const FunctionKey&, const FunctionKey&) = default;
};

enum class Inclusion { exclusive, inclusive };
enum class Grouping { function, file, object };

class FunctionCounts {
 public:
  using Entry = std::pair<FunctionKey, double>;

  FunctionCounts() = default;

  /// Quickest where keys come in order, as they do from another of these.
  void add(FunctionKey key, double count);
  FunctionCounts& operator+=(const FunctionCounts& other);
  FunctionCounts& operator-=(const FunctionCounts& other);
  friend FunctionCounts operator+(FunctionCounts a, const FunctionCounts& b) { return a += b; }
  friend FunctionCounts operator-(FunctionCounts a, const FunctionCounts& b) { return a -= b; }
  friend bool operator==(const FunctionCounts&, const FunctionCounts&) = default;

  [[nodiscard]] FunctionCounts scaled(double factor) const;
  [[nodiscard]] FunctionCounts filtered(const std::function<bool(const FunctionKey&)>& keep) const;
  /// Keys that become equal are added up.
  [[nodiscard]] FunctionCounts renamed(const std::function<FunctionKey(const FunctionKey&)>& rename) const;
  /// Keys reduced to what is requested: (object, "", name), ("", file, ""), (object, "", "").
  [[nodiscard]] FunctionCounts grouped(Grouping by) const;

  [[nodiscard]] double sum() const;
  [[nodiscard]] double of(const FunctionKey& key) const;
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  [[nodiscard]] const std::map<FunctionKey, double>& entries() const { return counts_; }
  /// Largest magnitude first, then by key.
  [[nodiscard]] std::vector<Entry> sorted() const;

 private:
  std::map<FunctionKey, double> counts_;
};

/// How a function is called in counts. Where it calls several the same, their counts are added.
using FunctionNaming = FunctionKey (*)(const FunctionKey&);

/// Exclusive: the costs of a function's own code, inlined code under its own file. Inclusive: with all it called; for a
/// function that has callers, the sum of what its calls cost (calls to itself left out), so that members of a longer
/// cycle count work twice; inclusive counts must not be summed. Functions that a naming calls the same are one, and
/// what they call of each other is within it. Without a naming, as the profile calls them.
FunctionCounts function_counts(const Profile& profile, std::size_t event, Inclusion inclusion,
                               FunctionNaming naming = nullptr);

/// How often each function was called, by itself too. Exact: Callgrind counts every call. One that was running when the
/// region began, and was not called within it, is not there; inlined code is never called. Where a naming makes one of
/// a function and a part that the compiler has taken out of it (".part.0", ".cold"), going there is no call.
FunctionCounts function_calls(const Profile& profile, FunctionNaming naming = nullptr);

}  // namespace tally
