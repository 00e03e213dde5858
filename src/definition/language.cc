#include "definition/language.h"

namespace tally {

std::string_view to_string(Language language) {
  switch (language) {
    case Language::python:
      return "python";
    case Language::cpp:
      return "cpp";
    case Language::command:
      break;
  }
  return "command";
}

}  // namespace tally
