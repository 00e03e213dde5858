#include "definition/command.h"

#include "base/text.h"

namespace tally {

std::string text_of(const CommandLine& line) {
  std::string text;
  for (const std::string& argument : line.run) text += (text.empty() ? "" : " ") + shell_quote(argument);
  return text;
}

bool is_no_file(const std::string& output) {
  return output == "null" || output == "pipe" || output == "errors" || output == "inherit";
}

std::string name_in_own_folder(const CommandLine& line, const std::string& file) {
  if (file == line.folder) return {};
  const std::string below = line.folder == "/" ? line.folder : line.folder + "/";
  return file.starts_with(below) ? file.substr(below.size()) : file.substr(file.rfind('/') + 1);
}

}  // namespace tally
