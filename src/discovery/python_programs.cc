#include "discovery/python_programs.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <variant>

#include "base/files.h"
#include "base/text.h"
#include "build/resolve.h"
#include "definition/frameworks.h"
#include "hosts/host_spec.h"
#include "json/text.h"
#include "protocol/descriptors.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Native, but some suites import much: three modules of networkx's take 27 s.
constexpr Milliseconds kListingDeadline(300'000);

/// As errors name it.
std::string place_of_program(const Program& program) {
  return fmt::format("{} {}", program.framework, join(program.paths, " "));
}

Error program_error(const Program& program, const std::string& why, const std::string& hint) {
  return {ErrorKind::input, why, place_of_program(program), hint};
}

Toolchain toolchain_for(const Program& program, const Framework& framework) {
  Toolchain toolchain = Suite().toolchain("python").value_or(Toolchain());
  toolchain.name = toolchain_of(program);
  if (!framework.module.empty()) toolchain.python.modules = {std::string(framework.module)};
  if (!program.python.empty()) toolchain.python.interpreters = program.python;
  toolchain.own_host.args = program.args;
  toolchain.own_host.python =
      PythonProgram{.framework = program.framework, .paths = program.paths, .folder = program.folder};
  return toolchain;
}

Status check_paths(const Program& program) {
  for (const std::string& path : program.paths) {
    std::error_code code;
    // pytest's own form of a test in a file.
    const std::string file = path.substr(0, path.find("::"));
    if (fs::exists(fs::path(program.folder) / file, code)) continue;
    return fail(ErrorKind::input, "there is no such file or folder", path,
                fmt::format("name what {} is to collect, as from {}", program.framework, program.folder));
  }
  return {};
}

/// A process that has listed nothing: what it wrote last.
Error no_list(const Program& program, const ProcessResult& result) {
  if (const auto* const failed = std::get_if<SpawnFailed>(&result.outcome))
    return program_error(program, "cannot be run: " + failed->error.message, "");
  const std::string text = trim(result.err.text()).empty() ? result.out.text() : result.err.text();
  std::string_view said = last_line(trim(text));
  // Frameworks say more after what is wrong: where they are, and how they are used.
  for (const std::string_view line : split(text, '\n')) {
    // Of pytest's own errors the last is a warning where a project makes errors of them.
    if (line.contains("rror: ") || (line.starts_with("INTERNALERROR> ") && line.contains("arning: "))) said = line;
  }
  // A framework's script of ours has refused something, and its line says it all.
  constexpr std::string_view kOurs = "tally: ";
  if (said.starts_with(kOurs)) return program_error(program, std::string(trim(said.substr(kOurs.size()))), "");
  return program_error(program,
                       fmt::format("does not list its benchmarks: {}{}", describe(result.outcome),
                                   trim(said).empty() ? "" : fmt::format(", and says: {}", trim(said))),
                       "run it by itself in the environment that cases get: a variable that it needs goes through with "
                       "--keep-env NAME");
}

/// A benchmark that is a whole command, which needs no host of the program.
Command command_of(const Program& program, const json::Value& line) {
  Command command{.label = json::texts_of(line["label"])};
  command.line.run = json::texts_of(line["command"]);
  command.line.folder = line["folder"].text_or(program.folder);
  if (const auto* variables = line["environment"].object(); variables != nullptr) {
    for (const auto& [name, value] : *variables) command.line.environment[name] = value.text_or("");
  }
  return command;
}

/// What the last line reports about the files.
void add_files(PythonProgram& program, const json::Value& files) {
  if (const auto* own = files["own"].object(); own != nullptr) {
    for (const auto& [name, file] : *own) program.own[name] = file.text_or("");
  }
  if (const auto* packages = files["packages"].object(); packages != nullptr) {
    for (const auto& [name, list] : *packages) program.packages[name] = json::texts_of(list);
  }
  program.loaded = json::texts_of(files["loaded"]);
}

}  // namespace

Result<Suite> suite_of_python_list(const Program& program, Toolchain toolchain, std::string_view list) {
  const auto lines = split(list, '\n');
  if (lines.front() != protocol::kBenchmarkListStart)
    return std::unexpected(program_error(program, "ended before it has listed its benchmarks",
                                         "see whether it ends the interpreter by itself: os._exit(), a signal"));
  std::vector<SuiteEntry> entries;
  std::string none;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto line = json::parse(lines[i]);
    if (!line)
      return std::unexpected(program_error(program, "lists what is not a benchmark: " + line.error().message, ""));
    if (line->has("loaded")) {
      add_files(*toolchain.own_host.python, *line);
      none = (*line)["none"].text_or("");
      continue;
    }
    if (line->has("command")) {
      entries.emplace_back(command_of(program, *line));
      continue;
    }
    Timer timer{.label = json::texts_of((*line)["label"]), .language = Language::python};
    timer.stmt.text = (*line)["name"].text_or("");
    const bool* const reports = (*line)["reports"].flag();
    timer.reports = reports != nullptr && *reports;
    if (const auto* params = (*line)["params"].array(); params != nullptr && !params->empty()) {
      for (const json::Value& param : *params) {
        const std::vector<std::string> pair = json::texts_of(param);
        if (pair.size() == 2) timer.params.emplace_back(pair[0], pair[1]);
      }
      timer.name = json::texts_of((*line)["id"]);
    }
    timer.options.toolchain = toolchain.name;
    entries.emplace_back(std::move(timer));
  }
  if (entries.empty()) {
    return std::unexpected(program_error(program, "has no benchmarks" + (none.empty() ? "" : ": " + none),
                                         "see what it collects by itself"));
  }
  for (const auto& [name, file] : toolchain.own_host.python->own) {
    if (name.contains(".so")) toolchain.subject.push_back(file);
  }
  Suite suite;
  if (auto added = suite.add_toolchain(std::move(toolchain)); !added) return std::unexpected(added.error());
  for (SuiteEntry& entry : entries) {
    const Status added = std::visit([&](auto& one) { return suite.add(std::move(one)); }, entry);
    if (!added) return std::unexpected(added.error());
  }
  return suite;
}

Result<Suite> suite_of_python_program(ProcessRunner& runner, const Program& program, const Tools& tools,
                                      const RunEnvironment& environment, const std::string& libexec) {
  if (auto fine = check_paths(program); !fine) return std::unexpected(fine.error());
  Toolchain toolchain = toolchain_for(program, *find_framework(program.framework));
  if (!tools.python.empty()) toolchain.python.interpreters = {tools.python};
  ResolvedToolchain resolved{.spec = toolchain};
  resolved.interpreter = resolve_interpreter(runner, toolchain, {environment.full, environment.working_folder});
  if (!*resolved.interpreter) return std::unexpected(resolved.interpreter->error());
  const EnvironmentVariables variables = with_variables(environment.filtered, program.environment);
  const HostSurroundings around{.environment = variables,
                                .timed_environment = variables,
                                .working_folder = environment.working_folder,
                                .libexec = libexec,
                                .valgrind = {}};
  const auto spec = host_spec({.toolchain = toolchain.name, .language = Language::python}, resolved, {}, around, {});
  if (!spec) return std::unexpected(spec.error());
  UniqueFd list(::memfd_create("benchmarks", MFD_CLOEXEC));
  UniqueFd end(::dup(list.get()));
  if (!list || !end) return std::unexpected(errno_error("make room for a list of benchmarks", program.folder));
  auto request = host_request(*spec, "", std::move(end));
  if (!request) return std::unexpected(request.error());
  request->environment.emplace_back(protocol::kAskVariable, protocol::kAskToList);
  request->deadline = kListingDeadline;
  const ProcessResult result = run(runner, *std::move(request));
  if (!succeeded(result)) return std::unexpected(no_list(program, result));
  const auto text = read_file(fmt::format("/proc/self/fd/{}", list.get()));
  if (!text) return std::unexpected(text.error());
  return suite_of_python_list(program, std::move(toolchain), *text);
}

}  // namespace tally
