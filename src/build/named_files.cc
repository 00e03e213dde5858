#include "build/named_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// A file that is there; "" for what names none.
std::string file_of(std::string_view name, const std::string& folder) {
  if (name.empty()) return {};
  const fs::path path = (fs::path(folder) / name).lexically_normal();
  std::error_code code;
  return fs::is_regular_file(path, code) ? path.string() : std::string();
}

/// The words of a response file. One with a blank in quotes falls apart, and then names no file.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream all(text);
  for (std::string word; all >> word;) {
    std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
    words.push_back(std::move(word));
  }
  return words;
}

void add_files(std::span<const std::string> arguments, const std::string& folder, std::vector<std::string>& files) {
  for (const std::string& argument : arguments) {
    std::vector<std::string_view> names = {argument};
    for (const char before : {'@', '=', ','}) {
      if (const std::size_t at = argument.rfind(before); at != std::string::npos)
        names.push_back(std::string_view(argument).substr(at + 1));
    }
    for (const std::string_view name : names) {
      const std::string file = file_of(name, folder);
      if (file.empty() || contains(files, file)) continue;
      files.push_back(file);
      if (!argument.starts_with('@')) continue;
      if (const auto text = read_file(file)) add_files(words_of(*text), folder, files);
    }
  }
}

}  // namespace

std::vector<std::string> files_named_in(std::span<const std::string> arguments, const std::string& folder) {
  std::vector<std::string> files;
  add_files(arguments, folder, files);
  return files;
}

std::vector<std::string> libraries_named(std::string_view library, std::span<const std::string> arguments,
                                         const std::string& folder) {
  std::vector<std::string> names = {fmt::format("lib{}.so", library.substr(2)),
                                    fmt::format("lib{}.a", library.substr(2))};
  if (library.starts_with("-l:")) names = {std::string(library.substr(3))};
  std::vector<std::string> found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view place = arguments[i];
    if (!place.starts_with("-L")) continue;
    place.remove_prefix(2);
    if (place.empty() && i + 1 < arguments.size()) place = arguments[i + 1];
    for (const std::string& name : names) {
      if (const std::string file = file_of((fs::path(place) / name).string(), folder); !file.empty())
        found.push_back(file);
    }
  }
  return found;
}

}  // namespace tally
