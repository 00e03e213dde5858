/// What is wrong with a command line, in the voice of all other errors: the word, and the mend.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tally::cli {

/// The first word, when it is no command's name, or when there is none: CLI11 would only say that one is required.
std::optional<Error> unknown_command(std::span<const std::string> arguments, std::span<const std::string> commands);

/// CLI11's error in our words; `app` is the one that has failed to parse.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

/// "help", and "help COMMAND", as the option that CLI11 knows.
std::vector<std::string> with_help_as_option(std::vector<std::string> arguments);

}  // namespace tally::cli
