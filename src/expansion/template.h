/// The texts of toolchains, with their ${names} filled in. The rules for lines stand in scripted.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/snippet.h"

namespace tally {

struct TemplateValues {
  std::vector<std::pair<std::string_view, std::string>> words = {};
  std::vector<std::pair<std::string_view, Snippet>> blocks = {};  ///< Each on a line of its own.
};

/// Names that have no value stay as they are: the reader of toolchains has refused them.
Code fill(std::string_view text, const TemplateValues& values);

}  // namespace tally
