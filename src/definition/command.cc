#include "definition/command.h"

#include "base/text.h"

namespace tally {

std::string text_of(const CommandLine& line) {
  std::string text;
  for (const std::string& argument : line.run) text += (text.empty() ? "" : " ") + shell_quote(argument);
  return text;
}

}  // namespace tally
