/// What the parts of the recorder of allocations share. Owns nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host::sites {

/// Whose allocator was asked. What CPython's allocator passes on to the C library's is seen in both.
enum class Domain : std::uint8_t { c, python };

struct Totals {
  std::uint64_t count = 0;  ///< Of the C library's, as the record's `allocations` has them.
  std::uint64_t bytes = 0;
};

void note(Domain domain, std::size_t size);

}  // namespace tally::host::sites
