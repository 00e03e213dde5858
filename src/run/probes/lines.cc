/// The source lines of a case's instructions, in C++ and in commands. Callgrind keeps the cost of each instruction, in
/// hosts of its own; of a command, the counter does. Debug information has the lines (symbols/source_lines.h). They are
/// kept in the case's profile.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "protocol/command_tree.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

/// With the cost of each instruction, at its whole address. Nothing that changes what is executed.
std::vector<std::string> instruction_flags(const Settings& settings) {
  std::vector<std::string> flags = valgrind_flags(of_instructions_alone(settings));
  std::ranges::replace(flags, "--dump-instr=no", "--dump-instr=yes");
  std::ranges::replace(flags, "--compress-pos=yes", "--compress-pos=no");
  return flags;
}

constexpr ProbeHost kLinesHost{.description = "with source lines",
                               .valgrind_flags = instruction_flags,
                               .command_option = protocol::command::kInstructionsOption};

Status keep_lines(const ProbeSample& found, ProbeContext& context) {
  if (context.profile == nullptr) return {};
  const std::string_view lead = found.lead.empty() ? std::string_view() : found.lead.front().dump;
  auto costs = context.lines.of(context.measured, found.statement.front().dump, lead);
  if (!costs) return std::unexpected(costs.error());
  // A command need not have been built with debug information.
  if (context.measured.command && costs->lines.empty()) return {};
  Profile& profile = context.profile->profile;
  if (costs->total() != profile.totals.front()) {
    profile.notes.push_back(
        fmt::format("its source lines have {} instructions, and its functions {}: they were found by two executions",
                    costs->total(), profile.totals.front()));
  }
  const Status texts = context.keeps_sources
                           ? context.lines.keep(*costs, context.measured, context.working_folder,
                                                std::filesystem::path(context.folder) / kSourcesFolder)
                           : Status();
  context.profile->lines = *std::move(costs);
  return texts;
}

}  // namespace

/// The empty loop is executed, too, so that the statement finds what it finds where it is counted.
constinit const KeptProbe kLines = {
    .probe = {.name = "lines",
              .activity = "finding the source lines of",
              .unknown = "its source lines are not known",
              .applies = [](const Case& one, const Toolchain&) { return one.language == Language::cpp; },
              .host = &kLinesHost},
    .field = "lines",
    .option = "--no-lines",
    .help = "For --profiles: leave out source lines, of C++ and of commands, which need an execution of their own",
    .keep = keep_lines,
};

}  // namespace tally::probes
