/// Objects of a program whose standard library is LLVM's, read as its first ABI lays them out. This library is built
/// with GCC's, and has no types of theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tally::preload::libcxx {

/// A std::string: behind its first byte if it is short, else where its last word says.
std::string text_of(const void* string);

/// Whether bytes are those of a std::map that is empty or has a root, with at most so many entries.
bool looks_like_a_map(const void* map, std::size_t most);

/// Calls `each` with the address of every entry, a std::pair, in order. `map` looks like one.
void for_each_entry(const void* map, const std::function<void(const char* entry)>& each);

/// The size of a std::string: a value that needs no more than eight bytes of alignment lies so far behind its key.
inline constexpr std::size_t kStringSize = 24;

}  // namespace tally::preload::libcxx
