/// A hash table of 32-bit indexes into what is kept elsewhere, that only grows, open-addressed in one block. Internal
/// to src/profile.
///
/// With std::unordered_map the reader stood at 110 MB/s on a profile of 38,000 functions: a node per entry is a cache
/// miss per lookup. Eight bytes a place, without the keys: the half million places of that profile's calls nearly fit
/// a second-level cache.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tally {

class FlatIndex {
 public:
  /// The index that was added under `hash` and for which `is_same(index)` holds, and false; or `next`, which is added,
  /// and true.
  template <typename IsSame>
  std::pair<std::uint32_t, bool> add(std::uint32_t hash, std::uint32_t next, IsSame is_same) {
    if (used_ * 2 >= places_.size()) grow();
    const std::size_t mask = places_.size() - 1;
    std::size_t at = hash & mask;
    for (; places_[at].index != kEmpty; at = (at + 1) & mask) {
      if (places_[at].hash == hash && is_same(places_[at].index)) return {places_[at].index, false};
    }
    places_[at] = {hash, next};
    ++used_;
    return {next, true};
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t index = kEmpty;
  };

  void grow() {
    const std::vector<Place> old =
        std::exchange(places_, std::vector<Place>(places_.empty() ? 1024 : places_.size() * 2));
    const std::size_t mask = places_.size() - 1;
    for (const Place& place : old) {
      if (place.index == kEmpty) continue;
      std::size_t at = place.hash & mask;
      while (places_[at].index != kEmpty) at = (at + 1) & mask;
      places_[at] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t used_ = 0;
};

}  // namespace tally
