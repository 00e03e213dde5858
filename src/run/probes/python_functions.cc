/// The Python functions of a case's instructions: its calls are observed by a module in counted hosts of its own
/// (host/python_functions), and the counter follows them, or Callgrind where that counts.
#include "profile/python_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/callgrind.h"
#include "profile/python_call_table.h"
#include "protocol/descriptors.h"
#include "protocol/dump_names.h"
#include "protocol/python_contexts.h"
#include "run/probes/table.h"
#include "session/traceback.h"

namespace tally::probes {

namespace {

/// What the evaluator and what leads from it to the functions that it calls do is kept apart by trampoline, and each
/// trampoline by the native functions that lead to it. Stubs of linkage tables are functions there: with
/// --skip-plt=yes, Callgrind has their instructions in a caller's own and not in its inclusive costs (of an addition, 6
/// in 55).
std::vector<std::string> callgrinds_flags(const Settings& settings) {
  std::vector<std::string> flags = valgrind_flags(of_instructions_alone(settings));
  flags.emplace_back("--demangle=no");  // demangled names hold what contexts are divided by
  std::ranges::replace(flags, "--skip-plt=yes", "--skip-plt=no");
  std::ranges::replace(flags, "--dump-line=yes", "--dump-line=no");
  const auto separate = [&](unsigned callers, const std::string& pattern) {
    flags.push_back(fmt::format("--separate-callers{}={}", callers, pattern));
  };
  separate(protocol::kEvaluatorCallers, fmt::format("{}*", protocol::kPythonEvaluator));
  separate(protocol::kTrampolineCallers, fmt::format("{}*", protocol::kPythonTrampoline));
  for (const char* pattern : protocol::kPythonPlumbing) separate(protocol::kPlumbingCallers, pattern);
  return flags;
}

/// The observer is loaded before all else, from an open descriptor.
void add_observer(HostSpec& spec, const HostSurroundings& around) {
  spec.files.push_back({around.libexec + "/_tally_functions.abi3.so", protocol::kHostFunctions});
  std::string& boot = *std::next(std::ranges::find(spec.argv, "-c"));
  boot.insert(0, fmt::format(R"(import sys
sys.dont_write_bytecode = True
import importlib.machinery as m, importlib.util as u
s = u.spec_from_file_location("_tally_functions", "/proc/self/fd/{}", loader=m.ExtensionFileLoader("_tally_functions", "/proc/self/fd/{}"))
x = u.module_from_spec(s)
s.loader.exec_module(x)
sys.modules["_tally_functions"] = x
)",
                             protocol::kHostFunctions, protocol::kHostFunctions));
}

constexpr ProbeHost kObservedHost{
    .description = "with Python functions",
    .add = add_observer,
    .may_be_image = true,
};
constexpr ProbeHost kObservedByCallgrind = [] {
  ProbeHost host = kObservedHost;
  host.valgrind_flags = callgrinds_flags;
  host.folder_variable = "TALLY_PYTHON_FUNCTIONS";
  return host;
}();

/// Once: what it costs to observe is in it anyway, and what is reported is checked to be complete.
ProbeStep next_region_of_callgrind(const ProbeState& state) {
  if (state.taken.empty()) return each_once(state);
  const RegionCounted& region = state.taken.front();
  if (!state.of_statement) {
    if (auto why = why_unusable(region)) return fail(ErrorKind::failed, *std::move(why));
  } else if (region.left.empty() || region.dump.empty()) {
    return fail(ErrorKind::failed, "the observer of Python calls left nothing");
  }
  return std::nullopt;
}

/// The same, with calls.
ProbeStep next_observed_region(const ProbeState& state) {
  ProbeStep step = next_region_of_callgrind(state);
  if (step && *step && state.of_statement) (*step)->followed = protocol::Followed::python_calls;
  return step;
}

Status keep_python_functions(const ProbeSample& found, ProbeContext& context) {
  const RegionCounted& region = found.statement.front();
  auto calls = read_python_calls(region.left);
  if (!calls) return std::unexpected(calls.error());
  const std::vector<Snippet> parts = python_parts(context.measured);
  for (PythonFunction& function : calls->functions) {
    PythonPlace place{.file = function.file, .function = function.name, .line = function.line};
    name_place(place, parts);
    function = {.name = std::move(place.function), .file = std::move(place.file), .line = place.line};
  }
  const auto observed = parse_callgrind(region.dump);
  if (!observed) return std::unexpected(observed.error());
  const std::uint64_t loop = found.baseline.empty() ? 0 : (*found.baseline.front().totals)->values.front();
  auto read = python_profile(*observed, *calls, loop);
  if (!read) return std::unexpected(read.error());
  const double observed_each =
      static_cast<double>(read->profile.totals.front()) / static_cast<double>(region.iterations);
  const double counted = context.record.counts ? context.record.counts->per_iteration : 0;
  if (std::string note = note_of_difference(observed_each, counted); !note.empty())
    read->profile.notes.push_back(std::move(note));
  return context.keep_file(kPythonFunctions.suffix, to_json({compacted(read->profile), region.iterations}));
}

constexpr Probe kFunctionsProbe = {
    .name = "functions",
    .activity = "finding the Python functions of",
    .unknown = "its Python functions are not known",
    .applies = [](const Case& one, const Toolchain&) { return one.language == Language::python; },
    .host = &kObservedHost,
    .file_ending = protocol::kPythonCallsEnding,
    .examiner =
        "def examined(stmt, names, namespace, result):\n"
        "    __import__('_tally_functions').install()\n"
        "    return stmt\n",
    .before_region = "__import__('_tally_functions').begin()",
    .next = next_observed_region};
constinit const Probe kFunctionsByCallgrind =
    in_other_host(kFunctionsProbe, kObservedByCallgrind, next_region_of_callgrind);

}  // namespace

constinit const KeptProbe kPythonFunctions = {
    .probe = kFunctionsProbe,
    .by_callgrind = &kFunctionsByCallgrind,
    .field = "python_functions",
    .option = "--no-python-functions",
    .help = "For --profiles: leave out Python functions, which need a host of their own",
    .suffix = ".python.json",
    .keep = keep_python_functions,
};

}  // namespace tally::probes
