// Any bytes as an accept file: read or refused. An entry with any texts is refused, or reads as it was meant, below
// what stood there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "comparison/accept.h"

namespace {

/// The part before the next null, which goes.
std::string next(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  std::string part(bytes.substr(0, end));
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return part;
}

bool are_equal(const tally::Acceptance& a, const tally::Acceptance& b) {
  return a.cases == b.cases && a.metric == b.metric && std::abs(a.up_to - b.up_to) < 1e-10 && a.reason == b.reason &&
         a.expires == b.expires && a.commit == b.commit && a.owner == b.owner && a.issue == b.issue;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = next(bytes);
  const auto before = tally::parse_accept_file(text, "accept.toml");
  tally::Acceptance one;
  one.up_to = 0.05;
  one.expires = "2026-03-01";
  one.cases = next(bytes);
  one.reason = next(bytes);
  one.commit = next(bytes);
  one.owner = next(bytes);
  one.issue = next(bytes);
  const auto longer = tally::with_acceptance(text, one, "accept.toml");
  if (!longer) return 0;
  const auto after = tally::parse_accept_file(*longer, "accept.toml");
  if (!before || !after || after->accepted.size() != before->accepted.size() + 1) std::abort();
  for (std::size_t i = 0; i < before->accepted.size(); ++i) {
    if (!are_equal(before->accepted[i], after->accepted[i])) std::abort();
  }
  if (!are_equal(after->accepted.back(), one)) std::abort();
  return 0;
}
