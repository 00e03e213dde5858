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
    case Mode::functions:
      return "functions";
    case Mode::threads:
      return "threads";
    case Mode::lines:
      return "lines";
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

void without(CaseOutcome& outcome, Mode mode, const std::string& why) {
  const std::string what = mode == Mode::sites     ? "where it allocates is not known: "
                           : mode == Mode::threads ? "what each of its threads executes is not known: "
                           : mode == Mode::lines   ? "its source lines are not known: "
                                                   : "its Python functions are not known: ";
  outcome.warnings.push_back(what + why);
}

}  // namespace tally
