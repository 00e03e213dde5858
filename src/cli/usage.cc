#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace tally::cli {

namespace {

/// "trace record".
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr || parent->get_parent() == nullptr ? command.get_name()
                                                              : full_name(*parent) + " " + command.get_name();
}

std::string see_help(const CLI::App& command) { return fmt::format("see `tally {} --help`", full_name(command)); }

/// What one types to reach a command's own options: "trace FILE" for a command that has commands of its own.
std::string spelled(const CLI::App& command) {
  std::string text = "tally " + full_name(command);
  if (command.get_subcommands(nullptr).empty()) return text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) return text + " " + option->get_name(true);
  }
  return text;
}

bool has_option(const CLI::App& command, const std::string& word) {
  return std::ranges::any_of(command.get_options(),
                             [&](const CLI::Option* option) { return option->check_name(word); });
}

/// Where else the option exists: on the command above, and beside this one.
std::vector<std::string> owners_of(const CLI::App& command, const std::string& word) {
  std::vector<std::string> owners;
  const CLI::App* const parent = command.get_parent();
  if (parent == nullptr) return owners;
  if (parent->get_parent() != nullptr && has_option(*parent, word)) owners.push_back("`" + spelled(*parent) + "`");
  for (const CLI::App* beside : parent->get_subcommands(nullptr)) {
    if (beside != &command && has_option(*beside, word)) owners.push_back("`" + spelled(*beside) + "`");
  }
  return owners;
}

const CLI::App* chosen_of(const CLI::App& app) {
  const std::vector<const CLI::App*> all = app.get_subcommands(nullptr);
  const auto found = std::ranges::find_if(all, [](const CLI::App* command) { return command->parsed(); });
  return found == all.end() ? nullptr : *found;
}

/// The command that the words lead to: `record` of `tally trace record`.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* const chosen = chosen_of(app);
  return chosen == nullptr ? app : innermost(*chosen);
}

/// "did you mean 'NAME'?" of the nearest name, or else what to say where none is near.
std::string nearest_or(std::string_view word, std::span<const std::string> names, std::string otherwise) {
  const std::string near = nearest(word, std::vector<std::string_view>(names.begin(), names.end()));
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

std::string list_of(std::span<const std::string> commands) {
  return fmt::format("there are {}", fmt::join(commands, ", "));
}

Error unknown_option(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> owners = owners_of(command, word);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return {ErrorKind::input,
          fmt::format("`tally {}` has no option '{}'", full_name(command), word),
          {},
          owners.empty() ? nearest_or(word, names, see_help(command))
                         : fmt::format("{} belongs to {}", word, fmt::join(owners, ", "))};
}

/// The first word, when it is no command's name, or when there is none: CLI11 would only say that one is required.
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

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

/// CLI11's error in our words; `app` is the one that has failed to parse.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  if (&command == &app) return {ErrorKind::input, error.what(), {}, "see `tally --help`"};
  const std::vector<std::string> extras = app.remaining(true);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
    const auto option = std::ranges::find_if(extras, [](std::string_view text) { return text.starts_with('-'); });
    if (option != extras.end()) return unknown_option(command, option->substr(0, option->find('=')));
    return {ErrorKind::input,
            fmt::format("`tally {}` does not expect '{}'", full_name(command), extras.front()),
            {},
            nearest_or(extras.front(), subcommands_of(command), see_help(command))};
  }
  return {ErrorKind::input, fmt::format("`tally {}`: {}", full_name(command), error.what()), {}, see_help(command)};
}

/// "help", and "help COMMAND…", as the option that CLI11 knows.
std::vector<std::string> with_help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

/// Moves what stands behind "--" to where the command wants it.
void take_behind_dashes(const OptionSet& program, std::vector<std::string>& arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  const auto command = std::ranges::find_if(
      program.commands, [&](const OptionSet& one) { return !arguments.empty() && one.name == arguments.front(); });
  if (dashes == arguments.end() || command == program.commands.end() || command->behind_dashes == nullptr) return;
  command->behind_dashes->assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
}

CLI::Option* declare(CLI::App& app, const Option& option) {
  return std::visit(
      [&]<typename T>(const T& target) {
        if constexpr (std::is_same_v<T, Option::Choose>) {
          return app.add_flag_callback(option.names, target, option.help);
        } else if constexpr (std::is_same_v<T, bool*>) {
          return app.add_flag(option.names, *target, option.help);
        } else if constexpr (std::is_same_v<T, std::string*>) {
          return option.alone.empty() ? app.add_option(option.names, *target, option.help)
                                      : app.add_flag(option.names, *target, option.help);
        } else {
          return app.add_option(option.names, *target, option.help);
        }
      },
      option.target);
}

/// Shown in the help as "{auto,always,never}".
CLI::Validator one_of(const std::vector<std::string>& choices) {
  const auto why_not = [choices](const std::string& word) -> std::string {
    if (contains(choices, word)) return {};
    const std::string near = nearest(word, std::vector<std::string_view>(choices.begin(), choices.end()));
    return fmt::format("'{}' is none of {}{}", word, fmt::join(choices, ", "),
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  };
  return {why_not, fmt::format("{{{}}}", fmt::join(choices, ",")), "one_of"};
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* const declared = declare(app, option);
  declared->required(option.is_required);
  if (!option.shown_value.empty()) declared->type_name(option.shown_value);
  if (option.default_is_shown) declared->capture_default_str();
  if (option.whole_range) declared->check(CLI::Range(option.whole_range->first, option.whole_range->second));
  if (option.real_range) declared->check(CLI::Range(option.real_range->first, option.real_range->second));
  if (option.must_be_positive) declared->check(CLI::PositiveNumber);
  // A flag that is given without a value has this one in CLI11.
  if (!option.alone.empty())
    declared->transform([alone = option.alone](const std::string& given) { return given == "true" ? alone : given; });
  if (!option.choices.empty()) declared->check(one_of(option.choices));
  // Expected once, it is shown without "...", which would promise that one mention takes several.
  if (option.values == Option::Values::one_each) declared->expected(1)->take_all()->allow_extra_args(false);
  for (const std::string& other : option.needed) declared->needs(app.get_option(other));
  for (const std::string& other : option.excluded) declared->excludes(app.get_option(other));
}

void add_all(CLI::App& app, const OptionSet& set) {
  for (const Option& option : set.options) add_option(app, option);
  for (const OptionSet& command : set.commands) {
    CLI::App* const added = app.add_subcommand(command.name, command.description);
    if (!command.group.empty()) added->group(command.group);
    add_all(*added, command);
  }
  if (!set.footer.empty()) app.footer(set.footer);
  if (set.on_chosen) app.callback(set.on_chosen);
}

}  // namespace

Result<Asked> read_command_line(const OptionSet& program, std::vector<std::string> arguments,
                                const std::string& version) {
  std::vector<std::string> names;
  for (const OptionSet& command : program.commands) names.push_back(command.name);
  arguments = with_help_as_option(std::move(arguments));
  take_behind_dashes(program, arguments);
  if (auto unknown = unknown_command(arguments, names)) return std::unexpected(*std::move(unknown));
  CLI::App app(program.description, program.name);
  app.set_version_flag("-V,--version", version);
  app.require_subcommand(1);
  add_all(app, program);
  try {
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app.parse(arguments);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    app.exit(asked, text, text);
    return Asked{.command = {}, .text = std::move(text).str()};
  } catch (const CLI::ParseError& error) {
    return std::unexpected(usage_error(app, error));
  }
  return Asked{.command = chosen_of(app)->get_name(), .text = {}};
}

}  // namespace tally::cli
