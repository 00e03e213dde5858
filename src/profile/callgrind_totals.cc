#include <cstring>

#include "base/text.h"
#include "profile/callgrind.h"
#include "profile/callgrind_state.h"
#include "protocol/string_repetitions.h"

namespace tally {
namespace {

/// The rest of the next whole line at or after `from` that starts with `key`; `from` moves past it.
/// data() is null when there is none.
std::string_view next_line(std::string_view bytes, std::string_view key, std::size_t& from) {
  while (from < bytes.size()) {
    const auto* found =
        static_cast<const char*>(memmem(bytes.data() + from, bytes.size() - from, key.data(), key.size()));
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(found - bytes.data());
    const std::size_t end = bytes.find('\n', at);
    from = at + key.size();
    if (at > 0 && bytes[at - 1] != '\n') continue;
    if (end == std::string_view::npos) break;
    from = end + 1;
    return bytes.substr(at + key.size(), end - at - key.size());
  }
  from = bytes.size();
  return {};
}

}  // namespace

Result<Totals> callgrind_totals(std::string_view bytes) {
  Totals totals;
  std::size_t events_at = 0;
  std::size_t totals_at = 0;
  while (true) {
    const std::string_view events = next_line(bytes, "events:", events_at);
    if (events.data() == nullptr) break;
    std::vector<std::size_t> columns;
    for (const std::string_view word : split(events, ' ')) {
      const std::string name(trim(word));
      if (name.empty()) continue;
      std::size_t column = 0;
      while (column < totals.events.size() && totals.events[column] != name) ++column;
      if (column == totals.events.size()) {
        totals.events.push_back(name);
        totals.values.push_back(0);
      }
      columns.push_back(column);
    }
    totals_at = events_at;
    const std::string_view values = next_line(bytes, "totals:", totals_at);
    if (values.data() == nullptr) {
      return fail(ErrorKind::input, "no totals: line, so the Callgrind file is cut off", {}, "measure again");
    }
    const char* at = values.data();
    const char* const end = at + values.size();
    for (const std::size_t column : columns) {
      while (at != end && (*at == ' ' || *at == '\t')) ++at;
      totals.values[column] += take_number(at, end);
    }
    events_at = totals_at;
  }
  if (totals.events.empty()) {
    return fail(ErrorKind::input, "no events: line, so this is not a Callgrind file", {},
                "give a file that Callgrind wrote (callgrind.out.*)");
  }
  if (const auto again = next_line(bytes, protocol::kStringRepetitions, totals_at); again.data() != nullptr) {
    const char* at = again.data();
    totals.events.emplace_back(kRepetitionsColumn);
    totals.values.push_back(take_number(at, at + again.size()));
  }
  return totals;
}

}  // namespace tally
