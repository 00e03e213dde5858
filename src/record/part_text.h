/// A record of which the cases stay text: what a merge reads of a part, and how it passes a case on.
///
/// A case may have 60 KB of samples, and a plan 100,000 cases; of each, a merge wants to know a dozen words. The whole
/// text is held to be JSON, and what is taken from it to have its type; numbers that are passed on are not made anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// Where something stands in the text of a case.
struct TextSpan {
  std::size_t at = 0;
  std::size_t bytes = 0;
};

struct CaseText {
  std::uint64_t offset = 0;  ///< Of its text in that of the record.
  std::uint64_t bytes = 0;
  std::string digest;  ///< Of its text: it may be read again later.
  std::string id;
  std::string environment;  ///< Its key in the record's environments; empty: they have none for it.
  std::size_t machine = 0;
  std::optional<std::string> profile;
  TextSpan machine_at;              ///< Its value.
  TextSpan profile_at;              ///< Its value; 0: there is none.
  bool is_placed_by_spans = false;  ///< On one line, and it names no environment: only these two are to be replaced.
  bool tried = false;               ///< As was_tried() has it.
  bool ok = false;
  bool has_counts = false;
  bool has_wall = false;
  bool varies = false;  ///< The flag `counts_vary`.
};

struct PartText {
  std::string name;  ///< A path, for errors.
  Record head;       ///< Without its cases.
  std::vector<CaseText> cases;
};

Result<PartText> read_part(std::string_view text, const std::string& name);

/// What a merge changes of a case.
struct CasePlace {
  std::size_t machine = 0;
  std::optional<std::string> environment;
  std::optional<std::string> profile;
};

/// The text of a case with that, on one line. `text` is the one that read_part() took for `one`.
std::string placed(std::string_view text, const CaseText& one, const CasePlace& place);

}  // namespace tally
