#include "trace/text_table.h"

#include "base/short_text.h"

namespace tally::trace {
namespace {

/// The high and low halves of the product, folded: every input bit reaches every output bit.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Good enough for tables of texts that are compared in full afterwards.
std::uint64_t hash_text(std::string_view text) {
  constexpr std::uint64_t k0 = 0x9E37'79B9'7F4A'7C15, k1 = 0xD1B5'4A32'D192'ED03;
  std::uint64_t hash = k0 ^ text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  while (left > 16) {
    hash = fold(load_word(at) ^ k1, load_word(at + 8) ^ hash);
    at += 16;
    left -= 16;
  }
  const std::uint64_t a = left < 8 ? short_word({at, left}) : load_word(at);
  const std::uint64_t b = left > 8 ? short_word({at + 8, left - 8}) : 0;
  return fold(fold(a ^ k1, b ^ hash), k0);
}

/// Where a text is looked for first: by its length and its two ends.
std::size_t recent_place(std::string_view text, std::size_t places) {
  constexpr std::uint64_t k0 = 0x9E37'79B9'7F4A'7C15, k1 = 0xD1B5'4A32'D192'ED03;
  const char* const at = text.data();
  const std::uint64_t first = text.size() < 8 ? short_word(text) : load_word(at);
  const std::uint64_t last = text.size() < 8 ? 0 : load_word(at + text.size() - 8);
  return ((first ^ text.size()) * k0 + last * k1) >> 32 & (places - 1);
}

}  // namespace

std::uint32_t TextTable::number(std::string_view text) {
  std::uint32_t& recent = recent_[recent_place(text, recent_.size())];
  if (recent != kOverflow && same_text(texts_[recent], text)) return recent;
  const std::uint32_t found = find_or_add(text);
  if (found != kOverflow) recent = found;
  return found;
}

std::uint32_t TextTable::find_or_add(std::string_view text) {
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
    return kOverflow;
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
