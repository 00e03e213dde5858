/// The toolchains that every suite knows: the files of toolchains/, put into the program when it is built.
///
/// They are in the language of a suite's [toolchain.NAME] and are read by the same reader, once for each process. That
/// they can be read is a test's to say (builtin_toolchains_test.cc), so nobody else asks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "definition/toolchain.h"

namespace tally {

struct ToolchainText {
  std::string_view name;  ///< "torch"
  std::string_view text;  ///< Of toolchains/torch.toml.
};

/// cpp, python, torch: each builds on those before it.
std::vector<ToolchainText> builtin_toolchain_texts();

/// What the comment on top of a toolchain's file says first, up to the end of its line.
std::string_view toolchain_summary(std::string_view text);

/// The text without its schema, for a suite that calls the toolchain `name`.
std::string toolchain_to_paste(const ToolchainText& toolchain, const std::string& name);

/// All of them, read. Each serves both languages.
const std::vector<Toolchain>& builtin_toolchains();

/// The noise of a language, where nothing says which toolchain it ran under: that of the built-in one of its name.
std::vector<FunctionRule> language_noise(Language language);

}  // namespace tally
