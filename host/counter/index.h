/// From keys to numbers from 1, in a table that grows.
#pragma once

#include "valgrind.h"

namespace tally::counter {

class Index {
 public:
  /// 0 where there was none: to be filled in.
  UInt& at(ULong key) {
    if (2 * (used_ + 1) > size_) grow();
    Entry& entry = place_of(key);
    if (entry.number == 0) {
      entry.key = key;
      ++used_;
    }
    return entry.number;
  }

 private:
  struct Entry {
    ULong key;
    UInt number;
  };

  Entry& place_of(ULong key) const {
    for (UInt at = static_cast<UInt>((key * 0x9e37'79b9'7f4a'7c15ULL) >> 32U) & (size_ - 1);;
         at = (at + 1) & (size_ - 1)) {
      Entry& entry = entries_[at];
      if (entry.number == 0 || entry.key == key) return entry;
    }
  }

  void grow() {
    Entry* const before = entries_;
    const UInt count = size_;
    size_ = size_ == 0 ? 4096 : 2 * size_;
    entries_ = static_cast<Entry*>(VG_(calloc)("tally.index", size_, sizeof(Entry)));
    for (UInt i = 0; i < count; ++i) {
      if (before[i].number != 0) place_of(before[i].key) = before[i];
    }
    if (before != nullptr) VG_(free)(before);
  }

  Entry* entries_ = nullptr;
  UInt size_ = 0;
  UInt used_ = 0;
};

}  // namespace tally::counter
