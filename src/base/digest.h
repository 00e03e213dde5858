/// Content addresses: 128-bit XXH3 as 32 hexadecimal digits, the same on every machine and in every version of
/// Tallymark: records keep them. Not for secrets: it distinguishes different texts, but does not detect forged ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace tally {

/// The digest of one text.
std::string digest(std::string_view bytes);

/// Whether the text is 32 hexadecimal digits, as a digest is.
bool is_digest(std::string_view text);

/// A digest's first 8 digits and "…", for people; any other text as it is.
std::string shortened_digest(std::string_view text);

/// The digest of a sequence of texts; ("ab", "c") differs from ("a", "bc").
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  Digest& add(std::string_view text);
  /// Bytes that continue the text before them, for input that comes in blocks.
  Digest& add_raw(std::string_view bytes);
  [[nodiscard]] std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace tally
