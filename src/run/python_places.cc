#include "run/python_places.h"

#include "execution/traceback.h"

namespace tally {

void name_place(PythonPlace& place, const std::vector<Snippet>& parts) {
  constexpr std::string_view kCase = "<case>";
  constexpr std::string_view kNested = "<case>.<locals>.";
  if (place.file != "<tally>") return;
  const SourcePosition at = place_of(static_cast<int>(place.line), parts);
  place.file = at.line > 0 ? at.file : "generated code";
  place.line = at.line > 0 ? static_cast<std::uint64_t>(at.line) : 0;
  if (place.function == kCase) place.function = "statement";
  if (place.function.starts_with(kNested)) place.function.erase(0, kNested.size());
}

}  // namespace tally
