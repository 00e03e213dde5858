/// A hash table from keys to 32-bit indexes that only grows, open-addressed in one block. Internal to src/profile.
///
/// With std::unordered_map the reader stood at 110 MB/s on a profile of 38,000 functions: a node per entry is a cache
/// miss per lookup.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tally {

template <typename Key, typename Hash>
class FlatIndex {
 public:
  /// The index of `key`, and whether it is new; a new key gets `next`.
  std::pair<std::uint32_t, bool> add(const Key& key, std::uint32_t next) {
    if (used_ * 2 >= slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    if (slot.index != empty) return {slot.index, false};
    slot = {key, next};
    ++used_;
    return {next, true};
  }

 private:
  static constexpr std::uint32_t empty = 0xffffffff;
  struct Slot {
    Key key{};
    std::uint32_t index = empty;
  };

  [[nodiscard]] std::size_t place(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = Hash{}(key)&mask;
    while (slots_[at].index != empty && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.index != empty) slots_[place(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace tally
