#include "execution/outcome.h"

namespace tally {

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::counts:
      return "counts";
    case Mode::wall:
      return "wall";
    case Mode::sites:
      return "sites";
    case Mode::result:
      break;
  }
  return "result";
}

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::ok:
      return "ok";
    case Ending::failed:
      return "failed";
    case Ending::timed_out:
      return "timeout";
    case Ending::crashed:
      return "crashed";
    case Ending::host_lost:
      return "host lost";
    case Ending::cancelled:
      return "cancelled";
  }
  return "";
}

void without_allocation_sites(CaseOutcome& outcome, const std::string& why) {
  outcome.warnings.push_back("where it allocates is not known: " + why);
}

}  // namespace tally
