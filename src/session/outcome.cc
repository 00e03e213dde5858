#include "session/outcome.h"

namespace tally {

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

}  // namespace tally
