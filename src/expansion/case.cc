#include "expansion/case.h"

namespace tally {

std::string_view to_string(Autograd autograd) {
  switch (autograd) {
    case Autograd::forward:
      return "forward";
    case Autograd::forward_backward:
      return "forward_backward";
    case Autograd::explicit_case:
      return "explicit";
  }
  return "explicit";
}

}  // namespace tally
