#include "base/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cstdint>

namespace tally {

namespace {

std::string to_hex(XXH128_hash_t hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

std::string digest(std::string_view bytes) { return to_hex(XXH3_128bits(bytes.data(), bytes.size())); }

bool is_digest(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string shortened_digest(std::string_view text) {
  constexpr std::size_t kKept = 8;
  return is_digest(text) ? std::string(text.substr(0, kKept)) + "…" : std::string(text);
}

void Digest::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Digest::Digest() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

Digest& Digest::add(std::string_view text) {
  // Little-endian whatever the machine is.
  std::array<unsigned char, sizeof(std::uint64_t)> size{};
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = static_cast<unsigned char>(text.size() >> (8 * i));
  XXH3_128bits_update(state_.get(), size.data(), size.size());
  return add_raw(text);
}

Digest& Digest::add_raw(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  return *this;
}

std::string Digest::hex() const { return to_hex(XXH3_128bits_digest(state_.get())); }

}  // namespace tally
