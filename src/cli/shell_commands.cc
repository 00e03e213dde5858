#include "cli/shell_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/shell_texts.h"
#include "tally_version.h"

namespace tally::cli {

void add_completions_options(OptionSet& command, CompletionsOptions& options) {
  command.add("shell", &options.shell, "Shell whose script to print").required().one_of({"bash", "zsh", "fish"});
  command.footer =
      "bash: source <(tally completions bash), in ~/.bashrc\n"
      "zsh:  source <(tally completions zsh), in ~/.zshrc after compinit\n"
      "fish: tally completions fish > ~/.config/fish/completions/tally.fish\n"
      "\n"
      "cmake --install puts all three below PREFIX/share. Debian's zsh looks there by itself where\n"
      "PREFIX is /usr/local; elsewhere: fpath+=(PREFIX/share/zsh/site-functions), in ~/.zshrc before\n"
      "compinit. The Debian package needs nothing.";
}

int run_completions(const Context& context, const CompletionsOptions& options, std::ostream& out,
                    std::ostream& /*err*/) {
  out << completion_script(*context.program, options.shell);
  return kFine;
}

void add_man_options(OptionSet& command, ManOptions& options) {
  command.add("command", &options.command, "Command whose page to print, such as run, or history add")
      .value_name("COMMAND");
  command.add("--all", &options.folder, "Write all pages into this folder").value_name("DIR").excludes("command");
  command.footer = "tally man run | man -l -";
}

int run_man(const Context& context, const ManOptions& options, std::ostream& out, std::ostream& err) {
  const std::string version = std::string("tally ") + TALLY_VERSION;
  const auto pages = man_pages(*context.program);
  if (options.folder.empty()) {
    if (!contains(pages, options.command)) {
      return report_error({ErrorKind::input, fmt::format("there is no command '{}'", join(options.command, " ")),
                           "tally man", "`tally --help` lists them"},
                          err);
    }
    out << man_page(*context.program, options.command, version);
    return kFine;
  }
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code)
    return report_error({ErrorKind::io, "cannot create the folder: " + code.message(), options.folder, {}}, err);
  for (const auto& path : pages) {
    const std::filesystem::path file =
        std::filesystem::path(options.folder) / (man_page_name(*context.program, path) + ".1");
    if (Status written = write_file(file, man_page(*context.program, path, version)); !written)
      return report_error(written.error(), err);
  }
  return kFine;
}

}  // namespace tally::cli
