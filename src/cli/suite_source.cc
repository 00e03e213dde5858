#include "cli/suite_source.h"
#include "discovery/programs.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/measuring.h"
#include "discovery/programs.h"
#include "process/real_runner.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

void add_source(OptionSet& command, SuiteSource& source, std::string program) {
  command.add("suite", &source.suite, "TOML file of the suite").value_name("SUITE");
  command.add("--program", &source.program, std::move(program)).value_name("EXE");
  command
      .add("--pytest", &source.python[0],
           "Tests with pytest's fixture benchmark (or tally) to measure, instead of a suite; options of pytest follow "
           "--")
      .value_name("PATH");
  command
      .add("--asv", &source.python[1], "Folder of a project's asv.conf.json, or that file, to measure its benchmarks")
      .value_name("DIR");
  command.add("--pyperf", &source.python[2], "Scripts with a pyperf.Runner to measure").value_name("SCRIPT");
  command.add("--script", &source.python[3], "Python files with functions marked by @tallymark.bench to measure")
      .value_name("FILE");
}

}  // namespace

void add_suite_source(OptionSet& command, SuiteSource& source) {
  add_source(command, source, "C++ benchmark program to measure, instead of a suite");
}

void add_suite_source_with_arguments(OptionSet& command, SuiteSource& source) {
  add_source(command, source, "C++ benchmark program to measure, instead of a suite; its own arguments follow --");
  command.behind_dashes = &source.program_args;
}

void add_repository_options(OptionSet& command, SuiteSource& source) {
  command
      .add("--source", &source.repository,
           "Git repository to name in the record (default: that of the suite, the program or the working folder)")
      .value_name("DIR");
  command.add("--commit", &source.commit, "Commit to name in the record, instead of the one that is checked out")
      .value_name("ID");
}

ProgramLister lister_of(const Context& context, const RunOptions& options) {
  auto runner = std::make_shared<RealProcessRunner>(context.libexec + "/tally-supervisor");
  return [runner, list = program_lister(*runner, context.libexec, caller_of(context), options.tools, options.settings)](
             const Program& program) { return list(program); };
}

Result<Suite> suite_of_program(const Context& context, Program program, const ProgramLister& list) {
  program.path = (fs::path(context.working_folder) / program.path).lexically_normal().string();
  const auto listed = list(program);
  if (!listed) return std::unexpected(listed.error());
  Suite suite;
  if (Status added = suite.add(program, *listed); !added) return std::unexpected(added.error());
  return suite;
}

Result<std::optional<Program>> python_program_of(const Context& context, const SuiteSource& source) {
  std::optional<Program> program;
  for (std::size_t i = 0; i < kFrameworks.size(); ++i) {
    if (source.python[i].empty()) continue;
    if (program) {
      return fail(ErrorKind::input, "programs of two kinds", fmt::format("--{}", kFrameworks[i].name),
                  "measure one after the other, or write a suite with a [[program]] for each");
    }
    program.emplace(Program{.framework = std::string(kFrameworks[i].name),
                            .paths = source.python[i],
                            .folder = context.working_folder,
                            .args = source.program_args});
  }
  return program;
}

std::string measured_of(const SuiteSource& source) {
  if (!source.suite.empty()) return source.suite;
  if (!source.program.empty()) return source.program;
  for (const std::vector<std::string>& paths : source.python) {
    if (!paths.empty()) return paths.front();
  }
  return {};
}

namespace {

/// How to name what somebody gave as a suite, if it is a file in Python or a folder; else empty.
std::string named_as_python(const std::string& path) {
  std::error_code error;
  const std::string quoted = shell_quote(path);
  if (std::filesystem::is_directory(path, error)) {
    const bool has_asv = std::filesystem::exists(std::filesystem::path(path) / "asv.conf.json", error);
    return has_asv ? fmt::format("write --asv {}", quoted)
                   : fmt::format("write --pytest {} if its tests have pytest's fixture benchmark", quoted);
  }
  if (!path.ends_with(".py")) return {};
  return fmt::format(
      "write --pytest {0} for tests with pytest's fixture benchmark, --pyperf {0} for a script with a pyperf.Runner, "
      "or --script {0} for functions marked by @tallymark.bench",
      quoted);
}

}  // namespace

Result<Suite> definitions_of(const Context& context, const SuiteSource& source, const RunOptions& options) {
  auto in_python = python_program_of(context, source);
  if (!in_python) return std::unexpected(in_python.error());
  const int named = (source.suite.empty() ? 0 : 1) + (source.program.empty() ? 0 : 1) + (*in_python ? 1 : 0);
  if (named != 1) {
    return fail(ErrorKind::input, named == 0 ? "nothing to measure" : "a suite and a program", {},
                "name a suite's file, or a program with --program EXE, --pytest PATH, --asv DIR, --pyperf SCRIPT or "
                "--script FILE");
  }
  if (*in_python) {
    const ProgramLister list = lister_of(context, options);
    const auto listed = list(**in_python);
    if (!listed) return std::unexpected(listed.error());
    Suite suite;
    if (Status added = suite.add(**in_python, *listed); !added) return std::unexpected(added.error());
    return suite;
  }
  if (auto python = named_as_python(source.suite); !python.empty()) {
    return fail(ErrorKind::input, "is no suite (.toml)", source.suite, std::move(python));
  }
  if (is_program(source.suite)) {
    return fail(ErrorKind::input, "is a program and no suite", source.suite,
                fmt::format("write --program {}", shell_quote(source.suite)));
  }
  if (source.program.empty() && !source.program_args.empty()) {
    return fail(ErrorKind::input, fmt::format("arguments, but no program that takes them: {}", source.program_args[0]),
                "--", "name it with --program EXE or --pytest PATH; in a suite, a [[program]] has args = [\"…\"]");
  }
  const ProgramLister list = lister_of(context, options);
  if (source.program.empty()) return read_suite(source.suite, list);
  return suite_of_program(context, {.path = source.program, .args = source.program_args}, list);
}

serve::SuiteText suite_to_serve(const Context& context, const SuiteSource& source) {
  const auto in_python = python_program_of(context, source);
  if (in_python && *in_python) {
    const auto list = [](const std::vector<std::string>& texts) {
      json::Array array;
      for (const std::string& text : texts) array.emplace_back(text);
      return array;
    };
    json::Array programs;
    programs.push_back(
        json::Object{{(*in_python)->framework, list((*in_python)->paths)}, {"args", list((*in_python)->args)}});
    // A suite's own folder is where its programs in Python are started.
    return {.document = json::Object{{"schema", 1}, {"program", std::move(programs)}},
            .path = (fs::path(context.working_folder) / "program.toml").string()};
  }
  if (source.program.empty()) {
    // What was read a moment ago; should it have gone, the server says so.
    return {.text = read_suite_file(source.suite).value_or(""), .document = {}, .path = source.suite};
  }
  std::error_code code;
  json::Array programs;
  json::Array args;
  for (const std::string& arg : source.program_args) args.push_back(arg);
  programs.push_back(json::Object{{"path", fs::absolute(source.program, code).lexically_normal().string()},
                                  {"args", std::move(args)}});
  return {.document = json::Object{{"schema", 1}, {"program", std::move(programs)}}};
}

}  // namespace tally::cli
