/// The two languages that a snippet may be written in.
#pragma once

#include <string_view>

namespace tally {

enum class Language { python, cpp };

std::string_view to_string(Language language);  // "python", "cpp"

}  // namespace tally
