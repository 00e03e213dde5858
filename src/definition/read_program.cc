#include "definition/read_program.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "definition/fields.h"
#include "definition/frameworks.h"
#include "definition/read_definitions.h"
#include "definition/read_toolchain.h"

namespace tally {

namespace {

constexpr auto kProgramKeys = std::to_array<std::string_view>(
    {"path",         "pytest",       "asv",       "pyperf",      "script",  "python",  "name",       "args",
     "filter",       "exclude",      "subject",   "environment", "tags",    "timeout", "iterations", "replicates",
     "min_run_time", "max_run_time", "precision", "memory",      "retries", "entropy"});

/// Where a suite lies, as a program in Python is started there.
std::string where_it_runs(const std::string& folder) {
  std::error_code code;
  const std::filesystem::path path = std::filesystem::absolute(folder.empty() ? "." : folder, code).lexically_normal();
  const std::string text = path.string();
  return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

/// Which of the keys that say what it is the table has, and what it says.
void read_kind(Fields& fields, const TomlNode& table, const std::string& folder, Program& program) {
  if (const std::string path = fields.string("path"); !path.empty()) {
    program.path = (std::filesystem::path(folder) / path).lexically_normal().string();
    program.path_at = fields.place("path");
  }
  bool is_twice = false;
  for (const Framework& one : kFrameworks) {
    if (fields.find(one.name) == nullptr) continue;
    is_twice = is_twice || !program.framework.empty() || !program.path.empty();
    program.framework = one.name;
    program.paths = fields.strings(one.name);
    program.folder = where_it_runs(folder);
    program.path_at = fields.place(one.name);
  }
  if (is_twice) {
    fields.refuse({ErrorKind::input, "a [[program]] is of one kind, and this one says two", describe(program.path_at),
                   "write a [[program]] for each"});
  }
  if (program.framework.empty() ? !program.path.empty() : !program.paths.empty()) return;
  const SourcePosition at =
      program.path_at.line > 0 || fields.find("path") == nullptr ? table.at : fields.place("path");
  fields.refuse({ErrorKind::input, "a [[program]] without a path", describe(at),
                 "write path = \"build/bench\", relative to this suite; of one in Python, pytest = \"bench/\""});
}

Result<Program> program_of(const TomlNode& table, const std::string& folder) {
  Fields fields(table, "[[program]]", kProgramKeys);
  Program program{.python = fields.strings("python"),
                  .name = fields.string("name"),
                  .args = fields.strings("args"),
                  .filters = fields.strings("filter"),
                  .excludes = fields.strings("exclude"),
                  .subject = read_subject(fields, folder),
                  .options = read_options(fields),
                  .at = read_places(fields, table),
                  .filter_at = fields.place("filter")};
  read_kind(fields, table, folder, program);
  for (std::string& interpreter : program.python) {
    if (interpreter.contains('/'))
      interpreter = (std::filesystem::path(folder) / interpreter).lexically_normal().string();
  }
  read_environment(fields, program.environment);
  if (!program.python.empty() && program.framework.empty()) {
    fields.refuse({ErrorKind::input, "an executable is run by no interpreter", describe(fields.place("python")),
                   "leave python out"});
  }
  for (const std::string& argument : program.args) {
    if (!argument.contains('\0')) continue;
    fields.refuse(
        {ErrorKind::input, "no argument can hold a null character", describe(fields.place("args")), "take it out"});
  }
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  return program;
}

}  // namespace

Status read_program(const TomlNode& table, const std::string& folder, const ProgramLister& list, Suite& suite) {
  const auto program = program_of(table, folder);
  if (!program) return std::unexpected(program.error());
  const std::string where = describe(program->path_at);
  if (!list) {
    return fail(ErrorKind::input, "a suite with [[program]] cannot be used here", where, "use a suite without one");
  }
  const auto listed = list(*program);
  if (!listed) {
    const Error& error = listed.error();
    const std::string_view between = error.where.empty() ? "" : error.where == program->path ? " " : ": ";
    return fail(error.kind, fmt::format("{}{}{}", error.where, between, error.message), where, error.hint);
  }
  return suite.add(*program, *listed);
}

}  // namespace tally
