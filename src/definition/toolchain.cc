#include "definition/toolchain.h"

#include <algorithm>

#include "base/text.h"

namespace tally {

bool is_own_host(const Toolchain& toolchain) {
  return !toolchain.own_host.executable.empty() || toolchain.own_host.python;
}

const ScriptedRuntime* find_runtime(const Toolchain& toolchain, std::string_view name) {
  const auto found = std::ranges::find(toolchain.runtimes, name, &ScriptedRuntime::name);
  return found == toolchain.runtimes.end() ? nullptr : &*found;
}

std::vector<FunctionRule> noise_rules(const Toolchain& toolchain, Language language) {
  std::vector<FunctionRule> rules;
  for (const NoiseRule& noise : toolchain.noise) {
    if (noise.language == language) rules.push_back(noise.rule);
  }
  return rules;
}

std::vector<ToolchainCode> before_setup(const CaseTexts& texts, Language language, int threads) {
  std::vector<ToolchainCode> code = {
      {"seed", texts.seed.in(language)},
      {"set_threads", replace_all(texts.set_threads.in(language), "${threads}", std::to_string(threads))},
  };
  std::erase_if(code, [](const ToolchainCode& one) { return one.text.empty(); });
  return code;
}

}  // namespace tally
