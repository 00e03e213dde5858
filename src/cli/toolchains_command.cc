#include "cli/toolchains_command.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "definition/builtin_toolchains.h"
#include "definition/read_toolchain.h"

namespace tally::cli {

void add_toolchains_options(OptionSet& command, ToolchainsOptions& options) {
  command.add("name", &options.name, "Toolchain to print as TOML, for pasting into a suite").value_name("NAME");
  command.add("--as", &options.as, "Name to print it under; a suite's own toolchain needs a new name")
      .value_name("NAME")
      .needs("name");
}

int run_toolchains(const Context& /*context*/, const ToolchainsOptions& options, std::ostream& out, std::ostream& err) {
  const std::vector<ToolchainText> texts = builtin_toolchain_texts();
  if (options.name.empty()) {
    for (const ToolchainText& one : texts) fmt::print(out, "{:<8}{}\n", one.name, toolchain_summary(one.text));
    return kFine;
  }
  if (const auto known = choose_toolchain(builtin_toolchains(), options.name, {}); !known) {
    return report_error(known.error(), err);
  }
  const auto chosen = std::ranges::find(texts, options.name, &ToolchainText::name);
  out << toolchain_to_paste(*chosen, options.as.empty() ? options.name : options.as);
  return kFine;
}

}  // namespace tally::cli
