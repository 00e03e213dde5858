/// The source lines of a case's instructions, in C++ and in commands. The counter keeps the cost of each instruction:
/// of a case in a further region of the host that counts it, of a command in an execution of its own. Where Callgrind
/// counts, it does so in hosts of its own. Debug information has the lines (symbols/source_lines.h). They are kept in
/// the case's profile.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "protocol/command_tree.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

using protocol::Followed;

/// Forked from the states that the case's count starts from: so the empty loop is executed once in the case child
/// itself, as it is there.
ProbeStep next_region_with_instructions(const ProbeState& state) {
  if (state.measured.command) return each_once(state);  // Its host keeps them of each execution.
  if (state.taken.empty()) {
    return AskCount{.iterations = state.iterations,
                    .followed = state.of_loop ? Followed::nothing : Followed::instructions};
  }
  if (!state.of_loop && state.taken.front().followed != Followed::instructions)
    return fail(ErrorKind::failed, "the program was built with an earlier tallymark, which keeps no instructions");
  return std::nullopt;
}

/// With the cost of each instruction, at its whole address. Nothing that changes what is executed.
std::vector<std::string> instruction_flags(const Settings& settings) {
  std::vector<std::string> flags = valgrind_flags(of_instructions_alone(settings));
  std::ranges::replace(flags, "--dump-instr=no", "--dump-instr=yes");
  std::ranges::replace(flags, "--compress-pos=yes", "--compress-pos=no");
  return flags;
}

constexpr ProbeHost kCommandsHost{.description = "with source lines",
                                  .command_option = protocol::command::kInstructionsOption};
constexpr ProbeHost kCallgrindsHost{.description = "with source lines", .valgrind_flags = instruction_flags};

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

constexpr Probe kLinesProbe = {
    .name = "lines",
    .activity = "finding the source lines of",
    .unknown = "its source lines are not known",
    .applies = [](const Case& one, const Toolchain&) { return one.language == Language::cpp; },
    .command_host = &kCommandsHost,
    .next = next_region_with_instructions};

constinit const Probe kLinesByCallgrind = in_other_host(kLinesProbe, kCallgrindsHost, each_once);

}  // namespace

/// The empty loop is executed, too, so that the statement finds what it finds where it is counted.
constinit const KeptProbe kLines = {
    .probe = kLinesProbe,
    .by_callgrind = &kLinesByCallgrind,
    .field = "lines",
    .option = "--no-lines",
    .help = "For --profiles: leave out source lines, of C++ and of commands, which need an execution of their own",
    .keep = keep_lines,
};

}  // namespace tally::probes
