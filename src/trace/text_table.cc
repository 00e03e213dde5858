#include "trace/text_table.h"

#include <cstring>

namespace tally::trace {
namespace {

std::uint64_t load(const char* at, std::size_t size) {
  std::uint64_t word = 0;
  if (size != 0) std::memcpy(&word, at, size);  // An absent text has no address.
  return word;
}

/// The high and low halves of the product, folded: every input bit reaches every output bit.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  constexpr std::uint64_t k0 = 0x9E37'79B9'7F4A'7C15, k1 = 0xD1B5'4A32'D192'ED03;
  std::uint64_t hash = k0 ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  while (left > 16) {
    hash = fold(load(at, 8) ^ k1, load(at + 8, 8) ^ hash);
    at += 16;
    left -= 16;
  }
  const std::uint64_t a = load(at, left < 8 ? left : 8);
  const std::uint64_t b = left > 8 ? load(at + 8, left - 8) : 0;
  return fold(fold(a ^ k1, b ^ hash), k0);
}

std::uint32_t TextTable::number(std::string_view text) {
  const std::uint64_t hash = hash_text(text);
  if (texts_.size() * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t found = slots_[slot] - 1;
    if (hashes_[found] == hash && texts_[found] == text) return found;
  }
  if (texts_.size() >= most_ || bytes_ + text.size() > most_bytes_) {
    ++overflowed_;
    return overflow;
  }
  bytes_ += text.size();
  texts_.emplace_back(text);
  hashes_.push_back(hash);
  slots_[slot] = static_cast<std::uint32_t>(texts_.size());
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

void TextTable::grow() {
  slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t slot = hashes_[i] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace tally::trace
