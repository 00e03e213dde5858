/// What is executed: a snippet in one of two languages, or a whole command.
#pragma once

#include <string_view>

namespace tally {

enum class Language { python, cpp, command };

std::string_view to_string(Language language);  // "python", "cpp", "command"

}  // namespace tally
