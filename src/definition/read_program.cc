#include "definition/read_program.h"

#include <fmt/format.h>

#include <array>

#include "definition/fields.h"
#include "definition/read_definitions.h"
#include "definition/read_toolchain.h"

namespace tally {

namespace {

constexpr auto kProgramKeys = std::to_array<std::string_view>(
    {"path", "name", "args", "filter", "exclude", "subject", "environment", "tags", "timeout", "iterations",
     "replicates", "min_run_time", "max_run_time", "precision", "memory", "retries", "entropy"});

Result<Program> program_of(const TomlNode& table, const std::string& folder) {
  Fields fields(table, "[[program]]", kProgramKeys);
  const std::string path = fields.string("path");
  Program program{.path = (std::filesystem::path(folder) / path).lexically_normal().string(),
                  .name = fields.string("name"),
                  .args = fields.strings("args"),
                  .filters = fields.strings("filter"),
                  .excludes = fields.strings("exclude"),
                  .subject = read_subject(fields, folder),
                  .options = read_options(fields),
                  .at = read_places(fields, table),
                  .path_at = fields.place("path"),
                  .filter_at = fields.place("filter")};
  read_environment(fields, program.environment);
  if (path.empty()) {
    const SourcePosition at = fields.find("path") == nullptr ? table.at : program.path_at;
    fields.refuse({ErrorKind::input, "a [[program]] without a path", describe(at),
                   "write path = \"build/bench\", relative to this suite"});
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
    return fail(error.kind, fmt::format("{}{}{}", error.where, between, error.message), where, error.mend);
  }
  return suite.add(*program, *listed);
}

}  // namespace tally
