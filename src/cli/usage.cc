#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace tally::cli {

namespace {

std::string see_help(const CLI::App& command) { return fmt::format("see `tally {} --help`", command.get_name()); }

/// "did you mean 'NAME'?" of the nearest name, or else what to say where none is near.
std::string nearest_or(std::string_view word, std::span<const std::string> names, std::string otherwise) {
  const std::string near = nearest(word, std::vector<std::string_view>(names.begin(), names.end()));
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

std::string list_of(std::span<const std::string> commands) {
  return fmt::format("there are {}", fmt::join(commands, ", "));
}

Error unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return {ErrorKind::input,
          fmt::format("`tally {}` has no option '{}'", command.get_name(), word),
          {},
          nearest_or(word, names, see_help(command))};
}

}  // namespace

std::optional<Error> unknown_command(std::span<const std::string> arguments, std::span<const std::string> commands) {
  const auto word = std::ranges::find_if(arguments, [](std::string_view text) { return !text.starts_with('-'); });
  if (word == arguments.end()) {
    if (!arguments.empty()) return std::nullopt;  // an option, such as --version
    return Error{ErrorKind::input, "no command is given", {}, list_of(commands)};
  }
  if (std::ranges::find(commands, *word) != commands.end()) return std::nullopt;
  return Error{
      ErrorKind::input, fmt::format("'{}' is no command", *word), {}, nearest_or(*word, commands, list_of(commands))};
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> parsed = app.get_subcommands(nullptr);
  const auto found = std::ranges::find_if(parsed, [](const CLI::App* command) { return command->parsed(); });
  if (found == parsed.end()) return {ErrorKind::input, error.what(), {}, "see `tally --help`"};
  const CLI::App& command = **found;
  const std::vector<std::string> extras = app.remaining(true);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
    const auto option = std::ranges::find_if(extras, [](std::string_view text) { return text.starts_with('-'); });
    if (option != extras.end()) return unknown_option(command, option->substr(0, option->find('=')));
    return {ErrorKind::input,
            fmt::format("`tally {}` does not expect '{}'", command.get_name(), extras.front()),
            {},
            see_help(command)};
  }
  return {ErrorKind::input, fmt::format("`tally {}`: {}", command.get_name(), error.what()), {}, see_help(command)};
}

std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.resize(std::min<std::size_t>(arguments.size(), 1));
  arguments.emplace_back("--help");
  return arguments;
}

}  // namespace tally::cli
