/// A value of an event as it stands in the text, and what it means once its escapes are resolved. Few values need
/// that: names that are shown, and labels.
#pragma once

#include <string>
#include <string_view>

namespace tally::trace {

/// A value as it stands in the text.
struct Raw {
  std::string_view text;  ///< Without the quotes of a string.
  bool string = false;
  bool escaped = false;  ///< A string with a backslash in it.
  [[nodiscard]] bool present() const { return text.data() != nullptr; }
  [[nodiscard]] bool absent_or_null() const { return !present() || (!string && text == "null"); }
};

/// Whether it names a step of the program's loop, as the user marks them.
inline bool is_step(const Raw& name) { return name.text.starts_with("ProfilerStep"); }

/// The text of a string value with its escapes resolved; text of other values as it is.
std::string plain_text(const Raw& value);

}  // namespace tally::trace
