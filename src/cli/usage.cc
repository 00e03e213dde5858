#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace tally::cli {

namespace {

Error unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string near = nearest(word, std::vector<std::string_view>(names.begin(), names.end()));
  return {ErrorKind::input,
          fmt::format("`tally {}` has no option '{}'", command.get_name(), word),
          {},
          near.empty() ? fmt::format("see `tally {} --help`", command.get_name())
                       : fmt::format("did you mean '{}'?", near)};
}

}  // namespace

std::optional<Error> unknown_command(std::span<const std::string> arguments, std::span<const std::string> commands) {
  const auto word = std::ranges::find_if(arguments, [](std::string_view text) { return !text.starts_with('-'); });
  if (word == arguments.end()) {
    if (!arguments.empty()) return std::nullopt;  // an option, such as --version
    return Error{ErrorKind::input, "no command is given", {}, fmt::format("there are {}", fmt::join(commands, ", "))};
  }
  if (std::ranges::find(commands, *word) != commands.end()) return std::nullopt;
  const std::string near = nearest(*word, std::vector<std::string_view>(commands.begin(), commands.end()));
  return Error{
      ErrorKind::input,
      fmt::format("'{}' is no command", *word),
      {},
      near.empty() ? fmt::format("there are {}", fmt::join(commands, ", ")) : fmt::format("did you mean '{}'?", near)};
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
            fmt::format("see `tally {} --help`", command.get_name())};
  }
  return {ErrorKind::input,
          fmt::format("`tally {}`: {}", command.get_name(), error.what()),
          {},
          fmt::format("see `tally {} --help`", command.get_name())};
}

std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.resize(std::min<std::size_t>(arguments.size(), 1));
  arguments.emplace_back("--help");
  return arguments;
}

}  // namespace tally::cli
