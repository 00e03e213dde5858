/// What a command takes, as plain data: flags, options with their bounds, what needs or excludes what, subcommands.
///
/// Declares only; usage.h reads a command line by it. Each declaration names where its value goes, which must outlive
/// the set. Names are written as the user does: "-f,--filter" for an option, "suite" for a word without a dash.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/contains.h"

namespace tally::cli {

class Option {
 public:
  /// What a flag does that chooses one of several things.
  using Choose = std::function<void()>;
  using Target = std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::vector<std::string>*, Choose>;
  /// How many values one mention of a list takes: "-f a b" is two of them, or one and a word for somebody else.
  enum class Values { many, one_each };

  Option(std::string names, Target target, std::string help)
      : names(std::move(names)), help(std::move(help)), target(std::move(target)) {}

  Option& required() { return is_required = true, *this; }
  /// What stands for the value in the help: "FILE".
  Option& value_name(std::string text) { return shown_value = std::move(text), *this; }
  /// A text that has this value where none is given; one is given behind an "=", and never as the next word.
  Option& value_alone(std::string text) { return alone = std::move(text), *this; }
  /// The help says what the target holds when it is declared.
  Option& shows_default() { return default_is_shown = true, *this; }
  Option& range(int low, int high) { return whole_range = {low, high}, *this; }
  Option& range(double low, double high) { return real_range = {low, high}, *this; }
  Option& positive() { return must_be_positive = true, *this; }
  Option& one_of(std::vector<std::string> words) { return choices = std::move(words), *this; }
  Option& one_each() { return values = Values::one_each, *this; }
  /// Makes no sense without, or together with, another one of the same set: "--confirm".
  Option& needs(std::string other) { return needed.push_back(std::move(other)), *this; }
  Option& excludes(std::string other) { return excluded.push_back(std::move(other)), *this; }

  std::string names;
  std::string help;
  Target target;
  std::string shown_value;
  std::string alone;  ///< Empty: a value has to be given.
  bool is_required = false;
  bool default_is_shown = false;
  bool must_be_positive = false;
  Values values = Values::many;
  std::optional<std::pair<int, int>> whole_range;
  std::optional<std::pair<double, double>> real_range;
  std::vector<std::string> choices;
  std::vector<std::string> needed;
  std::vector<std::string> excluded;
};

/// A command, with what it takes.
struct OptionSet {
  /// A bool and a choice are flags; a list takes a value for each mention.
  Option& add(std::string names, Option::Target target, std::string help) {
    return options.emplace_back(std::move(names), std::move(target), std::move(help));
  }
  /// For what shares the options of others, and has no use for these.
  void leave_out(const std::vector<std::string>& names) {
    std::erase_if(options, [&](const Option& one) { return contains(names, one.names); });
  }
  OptionSet& add_command(std::string its_name, std::string purpose) {
    return commands.emplace_back(OptionSet{.name = std::move(its_name), .description = std::move(purpose)});
  }

  std::string name;
  std::string description;
  std::string footer;             ///< Last in the help.
  std::string group = {};         ///< The heading that it stands under in its parent's help.
  Option::Choose on_chosen = {};  ///< Called when the command line names this command.
  /// Takes what stands behind "--", for a program that the command starts. Null: "--" only ends the options.
  std::vector<std::string>* behind_dashes = nullptr;
  std::list<Option> options = {};
  std::list<OptionSet> commands = {};
};

}  // namespace tally::cli
