#include "expansion/digest.h"

#include <fmt/format.h>

#include <cstdint>

namespace tally {

std::string digest_of(std::initializer_list<std::string_view> fields) {
  // FNV-1a (Fowler, Noll, Vo), 64 bits, over "LENGTH:FIELD" of each; then one xor-shift multiply round, because FNV
  // leaves the high bits of short texts alike.
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::string_view text) {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  };
  for (std::string_view field : fields) {
    add(fmt::format("{}:", field.size()));
    add(field);
  }
  hash = (hash ^ (hash >> 32U)) * 0x9e3779b97f4a7c15U;
  return fmt::format("{:016x}", hash ^ (hash >> 29U));
}

}  // namespace tally
