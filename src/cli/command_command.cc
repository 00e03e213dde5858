#include "cli/command_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <ostream>

#include "base/contains.h"
#include "base/digest.h"
#include "base/text.h"
#include "cli/exit_codes.h"
#include "cli/measuring.h"
#include "cli/run_command.h"
#include "definition/benchmark_rules.h"
#include "definition/suite.h"
#include "records/record_files.h"
#include "report/text/command_report.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

std::string absolute_path(const std::string& folder, const std::string& path) {
  return (fs::path(folder) / path).lexically_normal().string();
}

std::optional<long> whole_number(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::vector<Param>> params_of(const std::vector<std::string>& parameters) {
  std::vector<Param> params;
  for (const std::string& text : parameters) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail(ErrorKind::input, fmt::format("'{}' is not a parameter", text), "--parameter",
                  "write NAME=A,B,C or NAME=1..10; the command has ${NAME} where the value belongs");
    }
    const std::string name = text.substr(0, equals);
    auto values = parameter_values(text.substr(equals + 1), "--parameter");
    if (!values) return std::unexpected(values.error());
    if (contains(*values, "")) return fail(ErrorKind::input, "an empty value", "--parameter " + name, "leave it out");
    params.push_back({.name = name, .values = *std::move(values), .at = {}});
  }
  if (Status ok = check_params(params, {}, {"--parameter"}); !ok) return std::unexpected(ok.error());
  return params;
}

Status add_variables(const std::vector<std::string>& texts, std::map<std::string, std::string>& variables) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fail(ErrorKind::input, fmt::format("'{}' sets no variable", text), "--env", "write NAME=VALUE");
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

/// What is to be started of each.
Result<std::vector<std::vector<std::string>>> runs_of(const CommandOptions& options) {
  std::vector<std::vector<std::string>> runs;
  for (const std::string& text : options.commands) {
    if (options.shell) {
      runs.push_back({"/bin/sh", "-c", text});
      continue;
    }
    auto words = shell_words(text);
    if (!words) return std::unexpected(words.error());
    runs.push_back(*std::move(words));
  }
  if (!options.words.empty() && options.shell) {
    runs.push_back({"/bin/sh", "-c", join(options.words, " ")});
  } else if (!options.words.empty()) {
    runs.push_back(options.words);
  }
  if (!runs.empty()) return runs;
  return fail(ErrorKind::input, "no command to measure", {},
              "write tally command -- PROGRAM ARGUMENT…, or several, each in quotes: tally command 'a b' 'c d'");
}

/// A name that a line has room for: the beginning of a long text, and what distinguishes it from others.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // within a character
  return text.substr(0, end) + "… " + digest(text).substr(0, 8);
}

}  // namespace

std::string command_name(const std::vector<std::string>& words) {
  std::string name;
  for (const std::string& word : words) {
    std::string plain = word;
    for (std::size_t at = 0; (at = plain.find("${", at)) != std::string::npos;)
      plain.erase(at, std::min(plain.find('}', at), plain.size() - 1) - at + 1);
    const bool is_plain = plain.empty() ? !word.empty() : shell_quote(plain) == plain;
    name += (name.empty() ? "" : " ") + (is_plain ? word : shell_quote(word));
  }
  return name;
}

namespace {

Result<Suite> suite_of(const Context& context, const CommandOptions& options) {
  const auto runs = runs_of(options);
  if (!runs) return std::unexpected(runs.error());
  if (options.names.size() > runs->size())
    return fail(ErrorKind::input, "more names than commands", "--name", "give each command one, in their order");
  auto params = params_of(options.parameters);
  if (!params) return std::unexpected(params.error());
  auto expected = options.ignored.empty()
                      ? exit_codes(options.expected.empty() ? "0" : options.expected, "--expect-status")
                      : exit_codes(options.ignored, "--ignore-failure", {0});
  if (!expected) return std::unexpected(expected.error());
  CommandLine line{.prepare = options.prepare,
                   .setup = options.setup,
                   .cleanup = options.cleanup,
                   .expected = *std::move(expected),
                   .folder = absolute_path(context.working_folder, options.folder),
                   .warm_up = options.warm_up,
                   .runs = options.runs,
                   .own_numbers = options.own_numbers,
                   .private_tmp = options.private_tmp};
  if (line.folder.size() > 1 && line.folder.ends_with('/')) line.folder.pop_back();
  if (!options.input.empty() && options.input != "null")
    line.input = absolute_path(context.working_folder, options.input);
  if (!options.output.empty())
    line.output = is_no_file(options.output) ? options.output : absolute_path(context.working_folder, options.output);
  for (const std::string& file : options.files) {
    if (file.empty())
      return fail(ErrorKind::input, "an empty path", "--file", "name a file or a folder; . is all of it");
    line.files.push_back(absolute_path(line.folder, file));
    if (line.files.back().size() > 1 && line.files.back().ends_with('/')) line.files.back().pop_back();
  }
  if (auto added = add_variables(options.environment, line.environment); !added) return std::unexpected(added.error());
  Suite suite;
  for (std::size_t i = 0; i < runs->size(); ++i) {
    Command command{.line = line, .params = *params};
    command.line.run = (*runs)[i];
    const bool of_shell = options.shell && i < options.commands.size();
    command.label = {i < options.names.size() ? options.names[i]
                     : of_shell               ? shortened(options.commands[i])
                                              : shortened(command_name(command.line.run))};
    std::ranges::replace_if(command.label[0], [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    // A shell's own ${…} is not a parameter of ours.
    if (params->empty()) command.label[0] = replace_all(command.label[0], "${", "$${");
    if (Status added = suite.add(std::move(command)); !added) return std::unexpected(added.error());
  }
  return suite;
}

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  constexpr std::string_view kOfShells = "|&;<>()$`*?[]#~";
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    return fail(ErrorKind::input, message, std::string(text), hint);
  };
  std::vector<std::string> words;
  std::optional<std::string> word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n') {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    const bool is_parameter = text.substr(i).starts_with("${");
    if (!word) word.emplace();
    if (c == '\'' || c == '"') {
      for (++i; i < text.size() && text[i] != c; ++i) {
        if (c == '"' && text[i] == '\\' && i + 1 < text.size() && std::string_view("\"\\$`").contains(text[i + 1])) ++i;
        *word += text[i];
      }
      if (i == text.size()) return refuse("a quote does not end", "end it, or write the command behind --");
    } else if (c == '\\' && i + 1 < text.size()) {
      *word += text[++i];
    } else if (is_parameter) {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos) return refuse("'${' does not end", "write ${NAME}");
      word->append(text.substr(i, end - i + 1));
      i = end;
    } else if (kOfShells.contains(c) && !(c == '#' && !word->empty()) && !(c == '~' && !word->empty())) {
      return refuse(fmt::format("'{}' needs a shell", c), "add --shell, or put it in quotes");
    } else {
      *word += c;
    }
  }
  if (word) words.push_back(*std::move(word));
  if (words.empty()) return refuse("an empty command", "name a program");
  return words;
}

Result<std::vector<std::string>> parameter_values(const std::string& text, const std::string& where) {
  constexpr long kMost = 10000;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    std::vector<std::string> values;
    for (const std::string_view value : split(text, ',')) values.emplace_back(value);
    return values;
  }
  const auto parts = [&] {
    std::vector<std::optional<long>> numbers;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find("..", at), text.size());
      numbers.push_back(whole_number(std::string_view(text).substr(at, end - at)));
      at = end + 2;
    }
    return numbers;
  }();
  const bool are_numbers = (parts.size() == 2 || parts.size() == 3) &&
                           std::ranges::all_of(parts, [](const auto& one) { return one.has_value(); });
  const long step = are_numbers && parts.size() == 3 ? *parts[2] : 1;
  if (!are_numbers || step < 1 || *parts[1] < *parts[0] || (*parts[1] - *parts[0]) / step > kMost) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a range", text), where,
                "write 1..10, or 0..100..25 for steps of 25; 10,000 values at the most");
  }
  std::vector<std::string> values;
  for (long value = *parts[0]; value <= *parts[1]; value += step) values.push_back(fmt::format("{}", value));
  return values;
}

void add_command_options(OptionSet& command, CommandOptions& options) {
  command.add("commands", &options.commands, "Commands to measure and compare, each in quotes; or one behind --")
      .value_name("COMMAND");
  command.behind_dashes = &options.words;
  command.add("--shell", &options.shell, "Let /bin/sh run them: for pipes, redirections and variables");
  command.add("--name", &options.names, "Name of each command, in their order (default: its text)")
      .value_name("NAME")
      .one_each();
  command
      .add("--parameter", &options.parameters, "Measure for each value of ${NAME} in a command: n=1,10,100 or n=1..10")
      .value_name("NAME=VALUES")
      .one_each();
  command
      .add("--setup", &options.setup,
           "Shell commands to run once before counting, and once before timing; what they leave running ends after the "
           "cleanup")
      .value_name("TEXT");
  command.add("--prepare", &options.prepare, "Shell commands to run before each execution, unmeasured")
      .value_name("TEXT");
  command
      .add("--cleanup", &options.cleanup,
           "Shell commands to run once after counting, and once after timing; after a failure and Ctrl-C, too")
      .value_name("TEXT");
  command
      .add("--file", &options.files,
           "Copy this file or folder into a new folder for each execution, and run the command there")
      .value_name("PATH")
      .one_each();
  command.add("--warmup", &options.warm_up, "Executions before the first one that is timed").range(0, 1000);
  command.add("--runs", &options.runs, "Executions that are timed (default: until --precision is reached)")
      .range(1, 1'000'000);
  command.add("--input", &options.input, "File for the standard input (default: none)").value_name("FILE");
  command
      .add("--output", &options.output,
           "Where the standard output goes: null, pipe (read, and thrown away), errors (shown when it fails), inherit "
           "(where tally's own goes) or a file (default: null)")
      .value_name("null|pipe|errors|inherit|FILE");
  command
      .add("--expect-status", &options.expected, "Exit codes that count as success, such as 0,1, or any (default: 0)")
      .value_name("CODES");
  command.add("--ignore-failure", &options.ignored, "Accept any exit: --expect-status any; with =CODES, these beside 0")
      .value_alone("any")
      .excludes("--expect-status");
  command.add("--working-folder", &options.folder, "Folder to run in (default: here)").value_name("DIR");
  command.add("--own-process-numbers", &options.own_numbers,
              "Count with process numbers that are the same in each run, for users who are not root, too: in a user "
              "namespace, where files of others show as nobody's");
  command.add("--private-tmp", &options.private_tmp,
              "Give each execution an empty /tmp and /var/tmp of its own; what it leaves there is gone afterwards");
  command.add("--env", &options.environment, "Set an environment variable for the commands")
      .value_name("NAME=VALUE")
      .one_each();
  command.add("--json", &options.json, "Write the record to this file (-: standard output)").value_name("FILE");
  command
      .add("--export", &options.exported,
           "Print this instead of the table: hyperfine's JSON, a table in Markdown, or CSV")
      .one_of({"hyperfine", "markdown", "csv"})
      .excludes("--json");
  add_profiles_option(command, options.profiles);
  add_repository_options(command, options.source);
  add_run_options(command, options.run);
  add_column_options(command, options.run);
  // Each execution is one of processes of its own, which nothing prepares, and no calls are followed in.
  command.leave_out({"-n,--iterations", "--isolation", "--denoise", "--cache-sim", "--branch-sim", "--call-context",
                     "--cxx", "--python", "--images", "--host-timeout"});
}

int run_command(const Context& context, const CommandOptions& options, std::ostream& out, std::ostream& err) {
  const auto suite = suite_of(context, options);
  if (!suite) return report_error(suite.error(), err);
  auto plan = make_plan(*suite, {});
  if (!plan) return report_error(plan.error(), err);
  auto settings = settings_of(options.run);
  if (!settings) return report_error(settings.error(), err);
  if (auto fine = check_outputs({options.json}); !fine) return report_error(fine.error(), err);
  if (const auto view = view_of(options.run); !view) return report_error(view.error(), err);
  if (options.output == "inherit" && (options.json == "-" || !options.exported.empty())) {
    return report_error({ErrorKind::input, "what the command prints would be within tally's own output",
                         "--output inherit", "leave out --export, and write the record to a file"},
                        err);
  }
  if (auto fine = check(options.profiles, options.json); !fine) return report_error(fine.error(), err);
  RunOptions run = options.run;
  run.server = "off";  // there is nothing to be kept warm
  auto measuring = Measuring::begin(context, run, err);
  if (!measuring) return report_error(measuring.error(), err);
  // A history is of a suite: that of a folder's commands is called "command".
  const std::string& folder = plan->cases.front().command->folder;
  RunRequest request{.plan = &*plan,
                     .caller = caller_of(context, run),
                     .settings = *std::move(settings),
                     .tools = run.tools,
                     .source = {.measured = folder + "/command",
                                .folder = options.source.repository.empty()
                                              ? ""
                                              : absolute_path(context.working_folder, options.source.repository),
                                .commit = options.source.commit}};
  request.profiles = request_of(options.profiles, options.json);
  auto measured = (*measuring)->measure(request, {serve::SuiteText{}, Selection{}});
  if (!measured) return report_error(measured.error(), err);
  if (!options.json.empty() && !is_beside_file(options.json)) measuring->reset();  // as in `run`
  if (!options.exported.empty()) {
    out << (options.exported == "hyperfine"  ? to_hyperfine(measured->record)
            : options.exported == "markdown" ? commands_to_markdown(measured->record)
                                             : commands_to_csv(measured->record));
    return exit_code_of(*measured);
  }
  if (auto printed = print_record(context, run, *measured, options.json, out); !printed)
    return report_error(printed.error(), err);
  if (options.json != "-") out << processes_text(measured->record) << relations_text(measured->record);
  if (measured->stopped) report_error(*measured->stopped, err);
  if (measured->interrupted && !measured->stopped) fmt::print(err, "tally: interrupted\n");
  return exit_code_of(*measured);
}

}  // namespace tally::cli
