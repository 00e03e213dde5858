#include "profile/line_attribution.h"

#include <map>
#include <set>
#include <utility>

namespace tally {
namespace {

/// The user's lines that lead to a function without code of the user's own.
class Callers {
 public:
  Callers(const InstructionCosts& costs, const CodeLines& lines) : costs_(costs), lines_(lines) {
    for (const auto& call : costs.calls) {
      if (call.function != call.callee) of_[call.callee].push_back({call.function, call.address});
    }
  }

  /// The only one; nothing where there are more, or where it is not known.
  std::optional<SourceLine> only(std::uint32_t function) {
    if (const auto found = known_.find(function); found != known_.end()) return found->second;
    std::set<SourceLine> found;
    std::set<std::uint32_t> seen;
    const bool whole = collect(function, found, seen);
    return known_[function] = whole && found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
  }

 private:
  /// False where code calls it that has no line.
  bool collect(std::uint32_t function, std::set<SourceLine>& found, std::set<std::uint32_t>& seen) {
    if (!seen.insert(function).second) return true;
    const auto callers = of_.find(function);
    if (callers == of_.end()) return false;
    for (const auto& [caller, address] : callers->second) {
      const std::string& object = costs_.functions[caller].object;
      const auto line = lines_(object, address);
      if (!line || object != costs_.functions[function].object) return false;
      if (line->is_users) {
        found.insert(line->at);
      } else if (!collect(caller, found, seen)) {
        return false;
      }
    }
    return true;
  }

  const InstructionCosts& costs_;
  const CodeLines& lines_;
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint64_t>>> of_;
  std::map<std::uint32_t, std::optional<SourceLine>> known_;
};

}  // namespace

LineCosts attributed(const InstructionCosts& costs, const CodeLines& lines) {
  Callers callers(costs, lines);
  LineCosts result;
  for (const auto& [function, address, cost] : costs.costs) {
    const std::string& object = costs.functions[function].object;
    const auto line = lines(object, address);
    std::optional<SourceLine> at;
    if (line && !line->is_users) at = callers.only(function);
    if (line && !at && line->at.line > 0) at = line->at;
    (at ? result.lines[*at] : result.elsewhere[object]) += cost;
  }
  return result;
}

}  // namespace tally
