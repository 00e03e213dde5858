/// Scans JSON text for the few parts that are wanted, and makes no values: strict (RFC 8259), it accepts what the
/// parsing library accepts, and no more. Pure; never allocates.
///
/// A record's case may have 60 KB of samples. A merge passes them on as they are; to parse and to write them again took
/// 48 s for 950 MB (bench/merge).
#pragma once

#include <optional>
#include <string_view>

namespace tally::json {

/// One step at a time; after the first that is not JSON, none succeeds.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Into an object ('{') or an array ('['); false: none begins here.
  bool enter(char open);
  /// To the next member's value, with the text of its key as it stands between the quotes. False at the end of the
  /// object, which is left, and where it is not JSON.
  bool next_member(std::string_view& key);
  /// The same of an array.
  bool next_element();
  /// Over the value that begins here: its text. Nothing where it is not JSON.
  std::optional<std::string_view> value();
  /// The first byte of what comes next, blanks stepped over; null at the end of the text.
  const char* here();

  /// Nothing but blanks is left.
  bool is_at_end() { return !broken_ && here() == nullptr; }
  [[nodiscard]] bool is_broken() const { return broken_; }
  /// Where it stands.
  [[nodiscard]] const char* at() const { return at_; }

 private:
  bool fail();
  bool next(char close);
  bool any(int level);
  bool members(int level);
  bool elements(int level);
  bool string();
  bool escape();
  std::optional<unsigned> hex_digits();
  bool number();
  bool word(std::string_view text);

  const char* at_;
  const char* end_;
  bool first_ = false;  ///< Just entered: no comma is due.
  bool broken_ = false;
};

}  // namespace tally::json
