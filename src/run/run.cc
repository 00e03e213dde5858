#include "run/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/files.h"
#include "build/function_symbols.h"
#include "discovery/case_imports.h"
#include "discovery/valgrind.h"
#include "engine/engine.h"
#include "engine/jobs.h"
#include "hosts/environment.h"
#include "process/install_command.h"
#include "protocol/command_tree.h"
#include "record/json.h"
#include "reuse/count_reuse.h"
#include "run/assemble.h"
#include "run/cards.h"
#include "run/case_recorder.h"
#include "run/environments.h"
#include "run/journal_header.h"
#include "run/machine.h"
#include "run/source.h"

namespace tally {

namespace {

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// What a run needs of the machine, found before anything is measured.
struct Ready {
  RunEnvironment environment;
  std::filesystem::path cache;
  HostSurroundings hosts;
  std::string valgrind_version;  ///< Of what counts; empty: nothing is counted.
  std::map<std::string, ResolvedToolchain> toolchains;
};

/// Whether a case of the environment is to run on a device.
bool has_devices(const std::vector<Case>& cases, const std::string& environment) {
  return std::ranges::any_of(cases, [&](const Case& one) {
    return names_device(one) &&
           environment_name(one.toolchain, to_string(one.language), one.host_runtime) == environment;
  });
}

/// The program itself, behind all links; none where none was found.
std::vector<std::string> program_of(const ResolvedToolchain& toolchain) {
  if (!toolchain.interpreter || !*toolchain.interpreter) return {};
  std::error_code code;
  const std::filesystem::path real = std::filesystem::canonical((*toolchain.interpreter)->path, code);
  return code ? std::vector<std::string>() : std::vector{real.string()};
}

/// Where Valgrind finds symbols of what is measured, and of its interpreter.
std::string symbols_of_subjects(const std::map<std::string, ResolvedToolchain>& toolchains, const Cache& cache,
                                RunObserver& observer) {
  const std::filesystem::path folder = function_symbols_folder(cache.root());
  for (const auto& [name, resolved] : toolchains) {
    if (resolved.carried) continue;  // They lie on another machine, and hosts have them already.
    const std::vector<std::string> program = program_of(resolved);
    for (const auto* libraries : {&resolved.spec.cpp.preload, &resolved.libraries, &program}) {
      if (const Status made = make_function_symbols(*libraries, folder); !made)
        observer.on_message(fmt::format("warning: functions without a symbol stay so: {}", describe(made.error())));
    }
  }
  return folder.string();
}

/// Whether more is counted of a case than its instructions by function.
bool needs_callgrind(const Settings& settings) {
  return settings.cache_sim || settings.branch_sim || settings.call_context > 0;
}

/// Tally's counter, or Valgrind where it is needed or the counter cannot be used.
Status set_counter(Workspace& workspace, const RunRequest& request, Ready& ready) {
  auto valgrind =
      find_valgrind(workspace.runner(), ready.environment.full, ready.environment.filtered, ready.hosts.libexec);
  if (!valgrind) return std::unexpected(valgrind.error());
  const bool wants_callgrind = needs_callgrind(request.settings);
  if (valgrind->path.empty() && wants_callgrind) {
    return fail(ErrorKind::missing, "Valgrind is not installed, and simulated caches, branches and calls need it", {},
                install_command("valgrind") + ", or leave out --cache-sim, --branch-sim and --call-context");
  }
  ready.hosts.valgrind = std::move(valgrind->path);
  ready.hosts.counter_start = std::move(valgrind->counter_start);
  ready.valgrind_version = wants_callgrind || valgrind->counter.empty() ? std::move(valgrind->version)
                                                                        : std::move(valgrind->counter_version);
  if (!wants_callgrind) ready.hosts.counter = std::move(valgrind->counter);
  return {};
}

/// What of them does not work, and where one takes another interpreter than its user may expect.
void report_toolchains(const std::map<std::string, ResolvedToolchain>& toolchains, bool takes_times,
                       RunObserver& observer) {
  for (const auto& [name, resolved] : toolchains) {
    if (resolved.compiler && !*resolved.compiler) observer.on_message(describe(resolved.compiler->error()));
    if (!resolved.interpreter) continue;
    if (!*resolved.interpreter) {
      observer.on_message(describe(resolved.interpreter->error()));
    } else if (resolved.carried) {
      observer.on_message(
          fmt::format("toolchain '{}' is not installed here, and counts in images that were carried here: "
                      "Python {}, {}{}",
                      name, (*resolved.interpreter)->version, (*resolved.interpreter)->path,
                      takes_times ? "; no times are taken of it" : ""));
    } else if (!(*resolved.interpreter)->passed_over.empty()) {
      observer.on_message(fmt::format("toolchain '{}' takes {}, not the activated environment's: {}", name,
                                      (*resolved.interpreter)->path, (*resolved.interpreter)->passed_over));
    }
  }
}

Result<Ready> make_ready(Workspace& workspace, const RunRequest& request, bool counts, RunObserver& observer) {
  Ready ready;
  auto environment = run_environment(workspace.runner(), request.caller, request.tools, request.settings);
  if (!environment) return std::unexpected(environment.error());
  ready.environment = *std::move(environment);
  const EnvironmentVariables& full = ready.environment.full;
  ready.hosts = {
      .environment = ready.environment.filtered,
      .timed_environment = filter_environment(full, request.settings.kept_environment, MeasuredFor::times),
      .command_environment = filter_environment(full, request.settings.kept_environment, MeasuredFor::commands),
      .device_environment = device_environment(full),
      .working_folder = ready.environment.working_folder,
      .libexec = workspace.surroundings().libexec,
      .valgrind = {},
      .here = request.tools.here};
  if (counts) {
    if (Status set = set_counter(workspace, request, ready); !set) return std::unexpected(set.error());
  }
  auto cache = default_cache_root(value_of(full, "XDG_CACHE_HOME"), value_of(full, "HOME"));
  if (!cache) return std::unexpected(cache.error());
  ready.cache = *cache;
  auto quota = HostImages::quota_of(value_of(full, HostImages::kVariable));
  if (!quota) return std::unexpected(quota.error());
  if (*quota > 0) ready.hosts.images = HostImages(host_images_folder(ready.cache), *quota);
  auto toolchains =
      resolve_toolchains(workspace.runner(), *request.plan, request.tools, ready.environment, Cache(ready.cache));
  if (!toolchains) return std::unexpected(toolchains.error());
  ready.toolchains = *std::move(toolchains);
  if (counts) ready.hosts.function_symbols = symbols_of_subjects(ready.toolchains, Cache(ready.cache), observer);
  report_toolchains(ready.toolchains, request.settings.wall, observer);
  return ready;
}

/// Where Callgrind counts, the profile of a count has its calls already.
ProbeSet wanted_probes(const RunRequest& request, const Ready& ready) {
  ProbeSet wanted = request.profiles ? request.profiles->probes : ProbeSet();
  if (ready.hosts.counter.empty()) wanted.set(probes::kCalls, false);
  return wanted;
}

bool notes_inputs(const RunRequest& request) {
  return request.settings.counts && (request.notes_inputs || !request.reuse.empty());
}

ExecutionResult execute(Workspace& workspace, const RunRequest& request, const Ready& ready,
                        const std::string& examiner, const std::vector<bool>& done, CaseRecorder& recorder) {
  const std::string& libexec = workspace.surroundings().libexec;
  BuildOptions build{.snippet_include = libexec + "/include",
                     .artifact_driver = libexec + "/make_artifacts.py",
                     .environment = ready.environment.full,
                     .examined = !examiner.empty()};
  Builder builder(Cache(ready.cache), build, ready.toolchains, request.plan->cases);
  NvidiaCards cards(workspace.runner(), ready.environment.full);
  ExecutionRequest execution{.cases = request.plan->cases,
                             .settings = request.settings,
                             .toolchains = ready.toolchains,
                             .surroundings = ready.hosts,
                             .examiner = examiner,
                             .may_know_counts = !request.reuse.empty(),
                             .probes = probes_to_execute(wanted_probes(request, ready), ready.hosts.counter.empty()),
                             .cards = &cards,
                             .device_probe = &probes::kKernels.probe};
  Engine engine(workspace.runner(), workspace.leases(), workspace.hosts(), builder, std::move(execution), recorder);
  return engine.run(done);
}

/// Whose process numbers counted commands see: their own, which are the same in each run, or the system's.
std::string process_numbers(ProcessRunner& runner, const HostSurroundings& hosts) {
  ProcessRequest request;
  request.argv = {hosts.libexec + "/tally-host-command", protocol::command::kAsksForNumbers};
  request.environment = hosts.environment;
  request.deadline = Milliseconds(10'000);
  return succeeded(run(runner, std::move(request))) ? "own" : "system";
}

/// That of a case, with what is special to what its cases are.
Environment environment_of(const Case& one, ProcessRunner& runner, const RunRequest& request, const Ready& ready,
                           const std::map<std::string, std::string>& facts, FileDigests& digests) {
  const ResolvedToolchain& toolchain = ready.toolchains.at(one.toolchain);
  Environment described =
      describe_environment(runner, toolchain, one.language, facts, ready.environment.filtered, digests);
  if (one.command && request.settings.counts) {
    described.facts["process.numbers"] = process_numbers(runner, ready.hosts);
    // The loader of each program reads other variables.
    if (ready.hosts.counter_start.size() > 1) described.facts["launcher"] = "tally";
  }
  return described;
}

/// Everything that a record says before anything is measured.
Record describe_run(Workspace& workspace, const RunRequest& request, const Ready& ready, const FoundSource& found,
                    FileDigests& digests) {
  Record record;
  record.started = utc_now();
  record.tool = workspace.surroundings().tool;
  record.server = workspace.surroundings().server;
  record.command = request.caller.command;
  static_cast<Settings&>(record.settings) = request.settings;
  if (request.settings.counts) {
    record.settings.valgrind_flags = valgrind_flags(request.settings);
    record.settings.counted_with = ready.hosts.counter.empty() ? "callgrind" : "tally-counter";
    record.settings.counting = kCountingVersion;
  }
  record.source = found.source;
  record.suite = found.suite;
  record.part = request.plan->part;
  record.machines = {read_machine(static_cast<int>(workspace.leases().topology().allowed.size()))};
  if (record.part) record.machines.front().name = machine_name(request.caller.environment);
  auto facts = common_facts(ready.environment.filtered, ready.valgrind_version);
  // Beside all that counts follow from: a history begins an epoch where one of them changes.
  if (record.settings.counting) {
    // Counts with simulated caches are compared with their like alone.
    const bool is_marked = ready.hosts.counter.empty() && !request.settings.cache_sim && !request.settings.branch_sim;
    facts.merge(counting_facts(is_marked));
  }
  if (record.settings.entropy != "fixed") facts["entropy"] = *record.settings.entropy;
  if (record.settings.time_of_day == "fixed") facts["time_of_day"] = "fixed";
  const auto machine = machine_facts(workspace.runner(), ready.environment.filtered);
  for (const Case& one : request.plan->cases) {
    const std::string name = environment_name(one.toolchain, to_string(one.language), one.host_runtime);
    record.cases.push_back({describe_case(one)});
    if (record.environments.contains(name)) continue;
    Environment& described = record.environments[name];
    described = environment_of(one, workspace.runner(), request, ready, facts, digests);
    described.machine = machine;
    if (has_devices(request.plan->cases, name)) described.machine->merge(gpu_facts());
    const ResolvedToolchain& toolchain = ready.toolchains.at(one.toolchain);
    if (one.language == Language::python && toolchain.interpreter && *toolchain.interpreter)
      described.machine->emplace(kPythonFolder, folder_of_environment((*toolchain.interpreter)->path));
    if (one.language == Language::python && toolchain.carried) described.machine->emplace(kPythonLibraries, "carried");
    if (const auto& program = toolchain.spec.own_host.python)
      described.machine->emplace(kProgramFolder, program->folder);
  }
  return record;
}

/// Another for each commit, else for each day.
std::string run_text(const Record& record) {
  return record.source && !record.source->dirty ? record.source->commit : record.started.substr(0, 10);
}

/// Takes over what an earlier run has finished; which cases those are.
Result<std::vector<bool>> take_over(const std::vector<std::string>& payloads, const std::string& where,
                                    std::vector<CaseRecord>& cases, EnvironmentRecorder& environments) {
  std::vector<bool> done(cases.size());
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) places[cases[i].id] = i;
  for (const std::string& payload : payloads) {
    auto taken = environments.take_over(payload, where);
    if (!taken) return std::unexpected(taken.error());
    if (*taken) continue;
    auto record = case_from_json(payload, where);
    if (!record) return std::unexpected(record.error());
    const auto place = places.find(record->id);
    if (place == places.end()) continue;
    done[place->second] = true;
    cases[place->second] = *std::move(record);
  }
  return done;
}

/// Which cases are done already; none without a journal.
Result<std::vector<bool>> open_journal(const RunRequest& request, const Ready& ready, const FoundSource& found,
                                       EnvironmentRecorder& environments, RunResult& result) {
  if (!request.journal) return std::vector<bool>(result.record.cases.size());
  const std::string& path = request.journal->path;
  JournalHeader header = journal_header(*request.plan, request.settings, request.tools, ready.environment.filtered,
                                        result.record.environments);
  if (found.source) header.facts["commit"] = found.source->commit;
  if (request.journal->resume) {
    auto resumed = JournalWriter::resume(path, header);
    if (resumed) {
      result.journal.emplace(std::move(resumed->writer));
      environments.keep_in(&*result.journal);
      return take_over(resumed->payloads, path, result.record.cases, environments);
    }
    if (resumed.error().kind != ErrorKind::missing) return std::unexpected(resumed.error());
  }
  auto created = JournalWriter::create(path, header);
  if (!created) return std::unexpected(created.error());
  result.journal.emplace(*std::move(created));
  environments.keep_in(&*result.journal);
  return std::vector<bool>(result.record.cases.size());
}

}  // namespace

Result<RunResult> measure(Workspace& workspace, const RunRequest& asked, RunObserver& observer) {
  RunRequest request = asked;
  request.settings = normalized(request.settings);
  const auto start = std::chrono::steady_clock::now();
  const int interruptions = workspace.runner().interruptions();
  // Tools that were killed while they described themselves reported nothing: no journal may keep that as a case's
  // failure.
  const auto is_interrupted = [&] { return workspace.runner().interruptions() != interruptions; };
  const auto interrupted = fail(ErrorKind::interrupted, "interrupted before the first case");
  const auto found = find_source(workspace.runner(), request.caller.environment, request.source);
  if (!found) return is_interrupted() ? interrupted : std::unexpected(found.error());
  if (!found->why_unknown.empty())
    observer.on_message("the record will not say which commit it is of: " + found->why_unknown);
  auto ready = make_ready(workspace, request, request.settings.counts, observer);
  if (!ready) return is_interrupted() ? interrupted : std::unexpected(ready.error());
  RunResult result;
  Record& record = result.record;
  FileDigests digests(digests_folder(ready->cache));
  record = describe_run(workspace, request, *ready, *found, digests);
  EnvironmentRecorder environments(record.environments, ready->toolchains, digests,
                                   {workspace.surroundings().libexec, ready->cache.string()},
                                   ready->environment.filtered);
  std::optional<CountInputsFinder> inputs;
  std::optional<CountReuse> reuse;
  if (notes_inputs(request)) {
    inputs.emplace(*request.plan, request.settings, record.environments, ready->toolchains, record.tool,
                   import_digests(workspace.runner(), *request.plan, ready->toolchains, ready->environment, digests),
                   digests);
    if (!request.reuse.empty()) reuse.emplace(request.reuse, record.cases, *inputs, run_text(record));
  }
  if (is_interrupted()) return interrupted;
  const auto done = open_journal(request, *ready, *found, environments, result);
  if (!done) return std::unexpected(done.error());
  observer.on_begin(done->size(), static_cast<std::size_t>(std::ranges::count(*done, true)));
  CaseRecorder recorder(request, record.cases, observer,
                        {.environments = &environments,
                         .journal = result.journal ? &*result.journal : nullptr,
                         .inputs = inputs ? &*inputs : nullptr,
                         .reuse = reuse ? &*reuse : nullptr});
  const ExecutionResult executed = execute(workspace, request, *ready, {}, *done, recorder);
  if (reuse) {
    observer.on_message(reuse->summary());
    result.refuted = reuse->refuted();
  }
  if (request.settings.counts) record.settings.host_start = environments.host_starts();
  set_fingerprints(record);
  std::ignore = digests.save();  // lost, they are computed again
  observer.on_end();
  result.interrupted = executed.interrupted;
  result.stopped = executed.stopped;
  if (result.journal) {
    if (Status safe = result.journal->sync(); !safe && !result.stopped) result.stopped = safe.error();
  }
  record.finished = utc_now();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Status write_json(const RunResult& result, const std::function<Status(std::string_view)>& sink) {
  return write_json(
      result.record,
      [&](std::size_t i) -> Result<std::string> {
        const CaseRecord& one = result.record.cases[i];
        if (one.wall && one.wall->stored) return result.journal->read_back(*one.wall->stored);
        return case_to_json(one);
      },
      sink);
}

Result<ExaminationResult> examine(Workspace& workspace, const RunRequest& request, RunObserver& observer) {
  auto examiner = read_file(workspace.surroundings().libexec + "/examiner.py");
  if (!examiner) return std::unexpected(examiner.error());
  auto ready = make_ready(workspace, request, false, observer);
  if (!ready) return std::unexpected(ready.error());
  ExaminationResult result;
  for (const Case& one : request.plan->cases) result.cases.push_back({describe_case(one)});
  observer.on_begin(result.cases.size(), 0);
  CaseRecorder recorder(request, result.cases, observer, {});
  const ExecutionResult executed = execute(workspace, request, *ready, *examiner, {}, recorder);
  observer.on_end();
  if (executed.stopped) return std::unexpected(*executed.stopped);
  result.results = std::move(recorder.results());
  result.interrupted = executed.interrupted;
  return result;
}

}  // namespace tally
