#include "expansion/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tally {
namespace {

std::string placeholder(std::string_view name) { return fmt::format("${{{}}}", name); }

/// Every line but empty ones after the margin.
std::string indented(std::string_view text, std::string_view margin) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (!result.empty()) result += '\n';
    if (!line.empty()) result += fmt::format("{}{}", margin, line);
  }
  return result;
}

bool left_out(std::string_view line, const TemplateValues& values) {
  return std::ranges::any_of(values.words, [&](const auto& word) {
    return word.first == "result" && word.second.empty() && line.contains(placeholder(word.first));
  });
}

}  // namespace

Code fill(std::string_view text, const TemplateValues& values) {
  Code code;
  std::string lines;
  const auto flush = [&] {
    if (!lines.empty()) code.parts.push_back({lines, {}});
    lines.clear();
  };
  for (const std::string_view line : split(text, '\n')) {
    const auto block =
        std::ranges::find_if(values.blocks, [&](const auto& one) { return trim(line) == placeholder(one.first); });
    if (block != values.blocks.end()) {
      flush();
      Snippet part = block->second;
      part.text = indented(part.text, line.substr(0, line.find('$')));
      if (!part.text.empty()) code.parts.push_back(std::move(part));
      continue;
    }
    if (left_out(line, values)) continue;
    std::string filled(line);
    for (const auto& [name, value] : values.words) filled = replace_all(filled, placeholder(name), value);
    if (!lines.empty()) lines += '\n';
    lines += filled;
  }
  flush();
  return code;
}

}  // namespace tally
