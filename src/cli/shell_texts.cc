#include "cli/shell_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"
#include "cli/context.h"

namespace tally::cli {

namespace {

/// The names of an option, "-f" and "--filter"; none of a word without a dash.
std::vector<std::string> dashed_names(const Option& option) {
  std::vector<std::string> names;
  for (const std::string_view name : split(option.names, ',')) {
    if (name.starts_with('-')) names.emplace_back(name);
  }
  return names;
}

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.target) || std::holds_alternative<Option::Choose>(option.target) ||
         !option.alone.empty();
}

/// Every command with the words that lead to it; the program itself by none.
void for_all(const OptionSet& set, std::vector<std::string>& path,
             const std::function<void(const std::vector<std::string>&, const OptionSet&)>& act) {
  act(path, set);
  for (const OptionSet& command : set.commands) {
    path.push_back(command.name);
    for_all(command, path, act);
    path.pop_back();
  }
}

void for_all(const OptionSet& program,
             const std::function<void(const std::vector<std::string>&, const OptionSet&)>& act) {
  std::vector<std::string> path;
  for_all(program, path, act);
}

/// Commands and options that may come next, with what they are.
std::vector<std::pair<std::string, std::string>> words_after(const std::vector<std::string>& path,
                                                             const OptionSet& set) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const OptionSet& command : set.commands) words.emplace_back(command.name, command.description);
  for (const Option& option : set.options) {
    for (const std::string& name : dashed_names(option)) words.emplace_back(name, option.help);
  }
  words.emplace_back("--help", "Print the help");
  if (path.empty()) words.emplace_back("--version", "Print the version");
  return words;
}

/// Within '…' of a shell.
std::string in_quotes(std::string_view text) { return "'" + replace_all(text, "'", "'\\''") + "'"; }

/// The lines of a shell's `case` that follow the words to a command: `"history add") command="history add" ;;`.
std::string steps(const OptionSet& program) {
  std::string text;
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet&) {
    if (path.empty()) return;
    const std::string before = join(std::vector(path.begin(), path.end() - 1), " ");
    text += fmt::format("      \"{} {}\") command=\"{}\" ;;\n", before, path.back(), join(path, " "));
  });
  return text;
}

/// Of options that take one of some words: `"run --isolation") … ;;`.
std::string choices(const OptionSet& program, const std::function<std::string(const Option&)>& act) {
  std::string text;
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet& set) {
    for (const Option& option : set.options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : dashed_names(option))
        text += fmt::format("    \"{} {}\") {} ;;\n", join(path, " "), name, act(option));
    }
  });
  return text;
}

std::string bash_script(const OptionSet& program) {
  std::string text = fmt::format(
      "# Completes the commands and options of {0}. Have your shell read it: source <({0} completions bash)\n"
      "_{0}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=\"\" words=\"\" i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$command ${{COMP_WORDS[i]}}\" in\n"
      "{1}"
      "    esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case \"$command $before\" in\n"
      "{2}"
      "  esac\n"
      "  case \"$command\" in\n",
      program.name, steps(program), choices(program, [](const Option& option) {
        return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return", join(option.choices, " "));
      }));
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet& set) {
    std::string words;
    for (const auto& [word, help] : words_after(path, set)) words += (words.empty() ? "" : " ") + word;
    text += fmt::format("    \"{}\") words=\"{}\" ;;\n", join(path, " "), words);
  });
  text += fmt::format(
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _{0} {0}\n",
      program.name);
  return text;
}

std::string zsh_script(const OptionSet& program) {
  std::string text = fmt::format(
      "#compdef {0}\n"
      "# Completes the commands and options of {0}: {0} completions zsh > \"${{fpath[1]}}/_{0}\"\n"
      "_{0}() {{\n"
      "  local command=\"\" word\n"
      "  local -a next\n"
      "  for word in ${{words[2,CURRENT-1]}}; do\n"
      "    case \"$command $word\" in\n"
      "{1}"
      "    esac\n"
      "  done\n"
      "  case \"$command ${{words[CURRENT-1]}}\" in\n"
      "{2}"
      "  esac\n"
      "  case \"$command\" in\n",
      program.name, steps(program), choices(program, [](const Option& option) {
        std::string words;
        for (const std::string& word : option.choices) words += " " + in_quotes(word);
        return "compadd --" + words + "; return";
      }));
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet& set) {
    std::string words;
    for (const auto& [word, help] : words_after(path, set))
      words += " " + in_quotes(replace_all(word, ":", "\\:") + ":" + help);
    text += fmt::format("    \"{}\") next=({}) ;;\n", join(path, " "), words.substr(1));
  });
  text += fmt::format(
      "  esac\n"
      "  _describe -t commands {0} next\n"
      "  [[ $PREFIX == -* || -z $command ]] || _files\n"
      "}}\n"
      "# Read as a function of fpath, it is to complete at once; by source, it is to be known.\n"
      "if [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
      program.name);
  return text;
}

/// When fish is to offer something: where the words so far lead to the command.
std::string fish_condition(const OptionSet& program, const std::vector<std::string>& path, const OptionSet& set) {
  std::vector<std::string> parts;
  parts.reserve(path.size() + 1);
  for (const std::string& word : path) parts.push_back("__fish_seen_subcommand_from " + word);
  std::vector<std::string> others;
  others.reserve(set.commands.size());
  for (const OptionSet& command : set.commands) others.push_back(command.name);
  if (path.size() == 1) {
    // "command" is one of the program's, and another's argument may be called so: the first word decides.
    parts = {fmt::format("__{}_is {}", program.name, path.front())};
  }
  if (!others.empty()) parts.push_back("not __fish_seen_subcommand_from " + join(others, " "));
  return join(parts, "; and ");
}

std::string fish_script(const OptionSet& program) {
  std::string text = fmt::format(
      "# Completes the commands and options of {0}: {0} completions fish > ~/.config/fish/completions/{0}.fish\n"
      "function __{0}_is\n"
      "  set -l words (commandline -opc)\n"
      "  test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
      "end\n",
      program.name);
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet& set) {
    const std::string when =
        fmt::format("complete -c {} -n {}", program.name, in_quotes(fish_condition(program, path, set)));
    for (const OptionSet& command : set.commands)
      text += fmt::format("{} -f -a {} -d {}\n", when, command.name, in_quotes(command.description));
    for (const Option& option : set.options) {
      std::string line;
      for (const std::string& name : dashed_names(option))
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (line.empty()) continue;
      if (!is_flag(option)) line += " -r";
      if (!option.choices.empty()) line += " -f -a " + in_quotes(join(option.choices, " "));
      text += fmt::format("{}{} -d {}\n", when, line, in_quotes(option.help));
    }
  });
  return text;
}

// --- the manual

/// Text of a page: no line of it is taken for a request.
std::string roff(std::string_view text) {
  std::string made = replace_all(replace_all(text, "\\", "\\e"), "-", "\\-");
  if (made.starts_with('.') || made.starts_with('\'')) made.insert(0, "\\&");
  return replace_all(made, "\n", "\n.br\n");
}

std::string value_of(const Option& option) {
  if (is_flag(option)) return {};
  if (!option.choices.empty()) return join(option.choices, "|");
  if (!option.shown_value.empty()) return option.shown_value;
  return std::holds_alternative<std::string*>(option.target) ? "TEXT" : "NUMBER";
}

std::string default_of(const Option& option) {
  if (!option.default_is_shown) return {};
  return std::visit(
      []<typename T>(const T& target) -> std::string {
        if constexpr (std::is_same_v<T, Option::Choose>) {
          return {};
        } else if constexpr (std::is_same_v<T, std::vector<std::string>*>) {
          return join(*target, ",");
        } else {
          return fmt::format("{}", *target);
        }
      },
      option.target);
}

std::string described(const Option& option) {
  std::string text = option.help;
  if (option.whole_range) text += fmt::format(" ({} to {})", option.whole_range->first, option.whole_range->second);
  if (option.real_range) text += fmt::format(" ({:g} to {:g})", option.real_range->first, option.real_range->second);
  if (const std::string usual = default_of(option); !usual.empty()) text += fmt::format(" (default: {})", usual);
  if (!option.needed.empty()) text += "; needs " + join(option.needed, ", ");
  if (!option.excluded.empty()) text += "; not with " + join(option.excluded, ", ");
  return text;
}

std::string options_part(const OptionSet& set) {
  std::string words;
  std::string options;
  for (const Option& option : set.options) {
    std::vector<std::string> names;
    for (const std::string& name : dashed_names(option)) names.push_back("\\fB" + roff(name) + "\\fR");
    const std::string value = value_of(option);
    std::string& part = names.empty() ? words : options;
    if (names.empty()) names.push_back("\\fI" + roff(option.names) + "\\fR");
    part += ".TP\n" + join(names, ", ");
    if (!value.empty() && &part == &options) part += " \\fI" + roff(value) + "\\fR";
    part += "\n" + roff(described(option)) + "\n";
  }
  return (words.empty() ? "" : ".SH ARGUMENTS\n" + words) + (options.empty() ? "" : ".SH OPTIONS\n" + options);
}

const OptionSet& at(const OptionSet& program, const std::vector<std::string>& path) {
  const OptionSet* set = &program;
  for (const std::string& word : path) set = &*std::ranges::find(set->commands, word, &OptionSet::name);
  return *set;
}

std::string synopsis(const OptionSet& program, const std::vector<std::string>& path, const OptionSet& set) {
  std::string text = "\\fB" + program.name + (path.empty() ? "" : " " + join(path, " ")) + "\\fR";
  if (!set.options.empty()) text += " [\\fIOPTIONS\\fR]";
  for (const Option& option : set.options) {
    if (!dashed_names(option).empty()) continue;
    const bool several = std::holds_alternative<std::vector<std::string>*>(option.target);
    const std::string word = "\\fI" + roff(option.names) + "\\fR" + (several ? "..." : "");
    text += option.is_required ? " " + word : " [" + word + "]";
  }
  if (!set.commands.empty()) text += set.options.empty() ? " \\fICOMMAND\\fR ..." : " [\\fICOMMAND\\fR ...]";
  if (set.behind_dashes != nullptr) text += " [\\-\\- \\fIARGUMENT\\fR...]";
  return text;
}

}  // namespace

std::string completion_script(const OptionSet& program, std::string_view shell) {
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return bash_script(program);
}

std::vector<std::vector<std::string>> man_pages(const OptionSet& program) {
  std::vector<std::vector<std::string>> pages;
  for_all(program, [&](const std::vector<std::string>& path, const OptionSet&) { pages.push_back(path); });
  return pages;
}

std::string man_page_name(const OptionSet& program, const std::vector<std::string>& path) {
  return program.name + (path.empty() ? "" : "-" + join(path, "-"));
}

std::string man_page(const OptionSet& program, const std::vector<std::string>& path, const std::string& version) {
  const OptionSet& set = at(program, path);
  const std::string name = man_page_name(program, path);
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string text = fmt::format(".TH {} 1 \"\" \"{}\" \"\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", roff(upper),
                                 roff(version), roff(name), roff(set.description), synopsis(program, path, set));
  if (!set.commands.empty()) text += ".SH COMMANDS\n";
  for (const OptionSet& command : set.commands)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(command.name), roff(command.description));
  text += options_part(set);
  text += fmt::format(".SH EXIT STATUS\n{}\n", kExitCodes);
  if (!set.footer.empty() && !path.empty()) text += ".SH NOTES\n" + roff(set.footer) + "\n";
  std::vector<std::string> others;
  if (!path.empty()) others.push_back(man_page_name(program, std::vector(path.begin(), path.end() - 1)));
  for (const OptionSet& command : set.commands) others.push_back(name + "-" + command.name);
  for (std::string& other : others) other = "\\fB" + roff(other) + "\\fR(1)";
  return text + ".SH SEE ALSO\n" + join(others, ", ") + "\n";
}

}  // namespace tally::cli
