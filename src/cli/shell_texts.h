/// Completions for shells, and manual pages, made from the options by which the command line is read. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option_set.h"

namespace tally::cli {

/// A script that completes the program's commands, options and their words. `shell`: "bash", "zsh" or "fish".
std::string completion_script(const OptionSet& program, std::string_view shell);

/// A page of the manual, as groff's man macros have it: of the program, or of the command that `path` leads to
/// ("history", "add"), which exists. `version` stands in the footer.
std::string man_page(const OptionSet& program, const std::vector<std::string>& path, const std::string& version);

/// "tally", "tally-run", "tally-history-add": of all pages.
std::vector<std::vector<std::string>> man_pages(const OptionSet& program);
std::string man_page_name(const OptionSet& program, const std::vector<std::string>& path);

}  // namespace tally::cli
