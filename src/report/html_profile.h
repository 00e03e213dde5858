/// Profiles as the page's script reads them: names interned for the whole page, a flame graph of both sides merged into
/// one tree, and a table of functions. Internal to src/report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "comparison/call_delta.h"
#include "json/value.h"
#include "profile/store.h"

namespace tally {

/// Strings of the whole page, each once.
class PageStrings {
 public:
  std::size_t id(const std::string& text);
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> ids_;
  std::vector<std::string> all_;
};

/// { "approximate", "names": [..], "objects": [..], "parents": [..], "totals": [..], "bases": [..] }: node 0 is the
/// statement; totals are instructions per iteration. "bases" only where it is `compared`.
json::Value flame_json(const CallTreeDelta& tree, bool compared, PageStrings& strings);

/// [[name, object, exclusive, inclusive, base's exclusive], ..]: by exclusive or by change, at most `most`.
json::Value functions_json(const StoredProfile& profile, const StoredProfile* base, std::size_t most,
                           PageStrings& strings);

}  // namespace tally
