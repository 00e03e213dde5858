#include "definition/builtin_toolchains.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "definition/read_toolchain.h"

namespace tally {
namespace {

Result<std::vector<Toolchain>> read_all() {
  std::vector<Toolchain> known;
  for (const ToolchainText& one : builtin_toolchain_texts()) {
    Result<std::vector<Toolchain>> read =
        parse_toolchains(one.text, "toolchains/" + std::string(one.name) + ".toml", known);
    if (!read) return read;
    known.insert(known.end(), read->begin(), read->end());
  }
  return known;
}

}  // namespace

std::string_view toolchain_summary(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

std::string toolchain_to_paste(const ToolchainText& toolchain, const std::string& name) {
  const std::string text = replace_all(toolchain.text, "schema = 1\n\n", "");
  return replace_all(text, fmt::format("[toolchain.{}", toolchain.name), fmt::format("[toolchain.{}", name));
}

const std::vector<Toolchain>& builtin_toolchains() {
  static const std::vector<Toolchain> toolchains = read_all().value();
  return toolchains;
}

std::vector<FunctionRule> language_noise(Language language) {
  const auto named = std::ranges::find(builtin_toolchains(), to_string(language), &Toolchain::name);
  return noise_rules(*named, language);
}

}  // namespace tally
