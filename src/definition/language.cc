#include "definition/language.h"

namespace tally {

std::string_view to_string(Language language) { return language == Language::python ? "python" : "cpp"; }

}  // namespace tally
